import JSONText
import Wire

/// An object of a recording that a table describes: the table writes its members and reads them.
protocol MemberedObject: Sendable {
    /// An object of which no member was read.
    static var blank: Self { get }
    /// The members, in the order in which they are written.
    static var members: [RecordMember<Self>] { get }
}

/// One member of an object in a recording: how it is called and where it is kept.
struct RecordMember<Object>: Sendable {
    /// What became of a member: it was read, there was nothing of use, or a later version said something new.
    enum Outcome { case read, nothing, foreign }
    typealias Read = @Sendable (inout Object, inout LineDecoder) throws(JSONError) -> Outcome
    typealias Write = @Sendable (Object, inout RecordEncoder) -> Void

    let key: StaticString
    let read: Read
    let write: Write
    /// Whether the object is nothing without it.
    private(set) var isRequired: @Sendable (Object) -> Bool = { _ in false }

    /// A member that is read and written by functions of its own.
    init(_ key: StaticString, read: @escaping Read, write: @escaping Write) {
        self.key = key
        self.read = read
        self.write = write
    }

    /// A member that is kept at `path`, written where there is something or `always`.
    init<Value: MemberValue>(
        _ key: StaticString, at path: any WritableKeyPath<Object, Value> & Sendable, always: Bool = false,
        reading read: @escaping @Sendable (inout LineDecoder) throws(JSONError) -> Value? = Value.read,
        writing shown: @escaping @Sendable (Value, borrowing RecordEncoder) -> Value = { value, _ in value }
    ) {
        self.init(key) { object, decoder throws(JSONError) in
            guard let value = try read(&decoder) else { return .nothing }
            object[keyPath: path] = value
            return .read
        } write: { object, encoder in
            let value = shown(object[keyPath: path], encoder)
            guard always || !value.isAbsent else { return }
            encoder.json.key(key)
            value.write(into: &encoder)
        }
    }

    /// A member that is one of some words; a later version may have more of them.
    init<Word: RawRepresentable<String> & SendableMetatype>(
        _ key: StaticString, at path: any WritableKeyPath<Object, Word> & Sendable
    ) {
        self.init(key) { object, decoder throws(JSONError) in
            guard let text = try decoder.text() else { return .nothing }
            guard let word = Word(rawValue: text) else { return .foreign }
            object[keyPath: path] = word
            return .read
        } write: { object, encoder in
            encoder.text(key, object[keyPath: path].rawValue)
        }
    }

    /// The connection's number.
    static func connection(
        _ number: @escaping @Sendable (Object) -> Int?, set: @escaping @Sendable (inout Object, Int) -> Void
    ) -> RecordMember {
        RecordMember("c") { object, decoder throws(JSONError) in
            guard let number = try decoder.connectionNumber() else { return .nothing }
            set(&object, number)
            return .read
        } write: { object, encoder in
            encoder.connection(number: number(object))
        }
    }

    /// This member, without which the object, or such a one, is nothing.
    func required(_ isRequired: @escaping @Sendable (Object) -> Bool = { _ in true }) -> RecordMember {
        var member = self
        member.isRequired = isRequired
        return member
    }
}

extension LineDecoder {
    /// Reads the rest of a record that a table describes; nil, and the first member that is missing, where it is none.
    mutating func record<Body: MemberedObject>(
        _ kind: String, as record: (Body) -> Record
    ) throws(JSONError) -> Record? {
        var body = Body.blank
        var (found, isForeign): (UInt64, Bool) = (0, false)
        while let key = try reader.nextKey() {
            guard let (number, outcome) = try take(key, into: &body) else {
                try other(key)
                continue
            }
            if outcome != .nothing { found |= 1 << UInt64(number) }
            if outcome == .foreign { isForeign = true }
        }
        for (number, member) in Body.members.enumerated() where found & 1 << UInt64(number) == 0 {
            if member.isRequired(body) { return require(nil, member.key) }
        }
        return isForeign ? asUnknown(kind) : record(body)
    }

    /// Reads the member that was named, and tells its number in the table; nil when the table lacks it.
    fileprivate mutating func take<Object: MemberedObject>(
        _ key: JSONKey, into object: inout Object
    ) throws(JSONError) -> (number: Int, outcome: RecordMember<Object>.Outcome)? {
        for (number, member) in Object.members.enumerated() where reader.matches(key, member.key) {
            return (number, try member.read(&object, &self))
        }
        return nil
    }
}

extension MemberedObject {
    func writeMembers(into encoder: inout RecordEncoder) {
        for member in Self.members { member.write(self, &encoder) }
    }
}

/// What a member can hold.
protocol MemberValue: SendableMetatype {
    /// Reads a value; nil where there is none of use.
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Self?
    func write(into encoder: inout RecordEncoder)
    /// Whether there is nothing to be written.
    var isAbsent: Bool { get }
}

extension MemberValue {
    var isAbsent: Bool { false }
}

extension Optional: MemberValue where Wrapped: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Self? {
        try Wrapped.read(from: &decoder)
    }
    func write(into encoder: inout RecordEncoder) {
        if let self { self.write(into: &encoder) } else { encoder.json.null() }
    }
    var isAbsent: Bool { self == nil }
}

/// An object in a record.
extension MemberValue where Self: MemberedObject {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Self? {
        guard try decoder.reader.peek() == .object else {
            try decoder.reader.skip()
            return nil
        }
        var object = blank
        try decoder.reader.beginObject()
        while let key = try decoder.reader.nextKey() {
            if try decoder.take(key, into: &object) == nil { try decoder.reader.skip() }
        }
        return object
    }
    func write(into encoder: inout RecordEncoder) {
        encoder.json.beginObject()
        writeMembers(into: &encoder)
        encoder.json.endObject()
    }
}

extension String: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> String? { try decoder.text() }
    func write(into encoder: inout RecordEncoder) { encoder.json.string(encoder.shown(self)) }
}

extension Bool: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Bool? { try decoder.bool() }
    func write(into encoder: inout RecordEncoder) { encoder.json.bool(self) }
}

extension MemberValue where Self: BinaryInteger {
    func write(into encoder: inout RecordEncoder) { encoder.json.integer(Int64(self)) }
}

/// A number of things.
extension Int: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Int? { try decoder.count() }
}

/// A time or a difference, which may be negative.
extension Int64: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Int64? {
        try decoder.integer().map { Int64($0) }
    }
}

extension UInt32: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> UInt32? {
        try decoder.count().flatMap { UInt32(exactly: $0) }
    }
}

extension Moment: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Moment? { try decoder.moment() }
    func write(into encoder: inout RecordEncoder) { encoder.json.integer(microseconds) }
}

extension Duration: MemberValue {
    /// A year is longer than anybody wishes, and short enough to be added to any moment.
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Duration? {
        try decoder.integer().map { .microseconds(min(max(0, $0), 31_536_000_000_000)) }
    }
    func write(into encoder: inout RecordEncoder) { encoder.json.integer(microseconds) }
}

extension RawJSON: MemberValue {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> RawJSON? {
        try decoder.reader.raw()
    }
    func write(into encoder: inout RecordEncoder) { encoder.json.inertRaw(encoder.clean(self)) }
}

/// What a member can hold a list of, which some write as an object.
protocol MemberElement {
    static func list(from decoder: inout LineDecoder) throws(JSONError) -> [Self]?
    static func write(_ list: [Self], into encoder: inout RecordEncoder)
}

extension Array: MemberValue where Element: MemberElement {
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Self? {
        try Element.list(from: &decoder)
    }
    func write(into encoder: inout RecordEncoder) { Element.write(self, into: &encoder) }
    var isAbsent: Bool { isEmpty }
}

extension String: MemberElement {
    static func list(from decoder: inout LineDecoder) throws(JSONError) -> [String]? {
        var texts: [String] = []
        try decoder.reader.beginArray()
        while try decoder.reader.nextElement() { texts.append(try decoder.reader.string()) }
        return texts
    }

    static func write(_ list: [String], into encoder: inout RecordEncoder) {
        encoder.json.beginArray()
        var room = RecordFormat.maximumList
        for value in list {
            let text = encoder.shown(value)
            room -= text.utf8.count
            if room < 0 { break }
            encoder.json.string(text)
        }
        encoder.json.endArray()
    }
}

/// Numbers of connections, as texts.
extension Int: MemberElement {
    static func list(from decoder: inout LineDecoder) throws(JSONError) -> [Int]? {
        try String.list(from: &decoder)?.compactMap { Int($0) }
    }
    static func write(_ list: [Int], into encoder: inout RecordEncoder) {
        String.write(list.map { String($0) }, into: &encoder)
    }
}

/// An object with a member for each thing that is counted.
extension Record.Count: MemberElement {
    static func list(from decoder: inout LineDecoder) throws(JSONError) -> [Record.Count]? {
        var counts: [Record.Count] = []
        try decoder.reader.beginObject()
        while let key = try decoder.reader.nextKey() {
            let name = decoder.reader.string(key)
            if let count = try decoder.count() { counts.append(Record.Count(name: name, count: count)) }
        }
        return counts
    }

    static func write(_ list: [Record.Count], into encoder: inout RecordEncoder) {
        encoder.json.beginObject()
        for entry in list {
            encoder.json.key(encoder.shown(entry.name))
            encoder.json.integer(entry.count)
        }
        encoder.json.endObject()
    }
}

/// A list of five numbers.
extension Record.IndexRecord.Chunk: MemberElement {
    /// Nil when one of the chunks makes no sense: half an index is none.
    static func list(from decoder: inout LineDecoder) throws(JSONError) -> [Self]? {
        var chunks: [Self] = []
        var isWhole = true
        try decoder.reader.beginArray()
        while try decoder.reader.nextElement() {
            var numbers: [Int] = []
            try decoder.reader.beginArray()
            while try decoder.reader.nextElement() {
                if let number = try decoder.count() { numbers.append(number) }
            }
            guard numbers.count >= 5 else {
                isWhole = false
                continue
            }
            chunks.append(
                Self(
                    offset: numbers[0], firstTime: Moment(microseconds: Int64(numbers[1])),
                    lastTime: Moment(microseconds: Int64(numbers[2])), firstNumber: numbers[3], records: numbers[4]))
        }
        return isWhole ? chunks : nil
    }

    static func write(_ list: [Self], into encoder: inout RecordEncoder) {
        encoder.json.beginArray()
        for chunk in list {
            encoder.json.beginArray()
            encoder.json.integer(chunk.offset)
            encoder.json.integer(chunk.firstTime.microseconds)
            encoder.json.integer(chunk.lastTime.microseconds)
            encoder.json.integer(chunk.firstNumber)
            encoder.json.integer(chunk.records)
            encoder.json.endArray()
        }
        encoder.json.endArray()
    }
}

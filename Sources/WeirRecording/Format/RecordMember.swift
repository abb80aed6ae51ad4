import WeirJSON
import WeirWire

/// An object of a recording whose members are read and written by means of a table.
protocol MemberedObject: Sendable {
    /// An object with placeholder values, before any member is read.
    static var blank: Self { get }
    /// The members, in the order in which they are written.
    static var members: [RecordMember<Self>] { get }
}

/// One member of an object in a recording: its key, and the functions that read and write it.
struct RecordMember<Object>: Sendable {
    /// The result of reading a member: it was read, it had no usable value, or it has a value from a later version.
    enum Outcome { case read, nothing, foreign }
    typealias Read = @Sendable (inout Object, inout LineDecoder) throws(JSONError) -> Outcome
    typealias Write = @Sendable (Object, inout RecordEncoder) -> Void

    let key: StaticString
    let read: Read
    let write: Write
    /// Whether the object is invalid without this member.
    private(set) var isRequired: @Sendable (Object) -> Bool = { _ in false }

    /// Creates a member with its own functions for reading and writing.
    init(_ key: StaticString, read: @escaping Read, write: @escaping Write) {
        self.key = key
        self.read = read
        self.write = write
    }

    /// Creates a member stored at `path`. It is written when it has a value, or always with `always`.
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

    /// Creates a member whose value is one word of a closed list. A later version may add words.
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

    /// Creates the member `c`, the connection's number.
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

    /// Returns this member marked as required; `isRequired` can limit that to certain objects.
    func required(_ isRequired: @escaping @Sendable (Object) -> Bool = { _ in true }) -> RecordMember {
        var member = self
        member.isRequired = isRequired
        return member
    }
}

extension LineDecoder {
    /// Reads the rest of a record that a table describes. Returns `nil`, and notes the first missing member, when a
    /// required member is missing.
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

    /// Reads the member with this key into `object`. Returns its number in the table, or `nil` when the table has no
    /// such key.
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

/// A value that a member can hold.
protocol MemberValue: SendableMetatype {
    /// Reads a value; returns `nil` when it is not usable.
    @Sendable static func read(from decoder: inout LineDecoder) throws(JSONError) -> Self?
    func write(into encoder: inout RecordEncoder)
    /// Whether the value is absent, so that the member is left out.
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

/// An object inside a record, with a table of its own.
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

/// A count or a number from 0 to 2^53.
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
    /// The value is clamped to one year: longer than any real request, and short enough to be added to any moment.
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

/// An element of a list. The element's type decides whether the list is a JSON array or an object.
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

/// Connection numbers, written as strings.
extension Int: MemberElement {
    static func list(from decoder: inout LineDecoder) throws(JSONError) -> [Int]? {
        try String.list(from: &decoder)?.compactMap { Int($0) }
    }
    static func write(_ list: [Int], into encoder: inout RecordEncoder) {
        String.write(list.map { String($0) }, into: &encoder)
    }
}

/// Counts, written as one object with a member for each name.
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

/// A chunk of the index, written as an array of five numbers.
extension Record.IndexRecord.Chunk: MemberElement {
    /// Returns `nil` when one of the chunks is malformed: a partial index is useless.
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

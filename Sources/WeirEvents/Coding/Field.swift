package import WeirJSON

/// An entity described by a table of fields. The table reads the entity from the wire and from Weir's
/// own files, and writes it.
package protocol FieldedEntity: Sendable {
    /// The name of this kind of entity in error messages.
    static var subject: String { get }
    /// An entity before any field is read.
    static var blank: Self { get }
    /// The fields, in the order in which they are written.
    static var fields: [Field<Self>] { get }
    /// Derives values that the server does not send from other fields. Called after an entity is read from the wire.
    mutating func complete()
}

extension FieldedEntity {
    package mutating func complete() {}

    /// The member names that the server sends for such an entity, as far as the table reads them.
    package static var wireNames: [String] { fields.flatMap(\.wireNames).map(\.description) }

    /// Writes the entity as a JSON object; absent fields are left out.
    package func encode(into writer: inout JSONWriter) {
        Self.fields.write(self, into: &writer)
    }

    /// Reads an entity that `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged(Self.subject) { (reader) throws(Mismatch) in try Self(reading: &reader, .log) }
    }

    /// Reads a JSON object. A field that the object does not contain keeps its value in `blank`.
    init(
        reading reader: inout JSONReader, _ form: FieldForm = .wire, from blank: Self = .blank
    ) throws(Mismatch) {
        self = blank
        let start = try reader.open()
        let read = try Self.fields.read(into: &self, from: &reader, form)
        if form == .wire { complete() }
        try Self.fields.check(self, read, at: start, form)
    }

    /// Reads an object. Null and an empty list give `nil`.
    static func ifAny(reading reader: inout JSONReader, _ form: FieldForm = .wire) throws(Mismatch) -> Self? {
        if try reader.kind() == .object { return try Self(reading: &reader, form) }
        _ = try reader.openIfAny()
        return nil
    }

    /// Reads a list of entities; null counts as an empty list.
    static func list(reading reader: inout JSONReader, _ form: FieldForm = .wire) throws(Mismatch) -> [Self] {
        var entities: [Self] = []
        guard try reader.openListIfAny() else { return entities }
        while try reader.another() { entities.append(try Self(reading: &reader, form)) }
        return entities
    }
}

/// One field of an entity: its names, and how its value is read and written.
package struct Field<Entity>: Sendable {
    /// Reads the field's value and returns whether there was one.
    typealias Read = @Sendable (inout Entity, inout JSONReader, FieldForm) throws(Mismatch) -> Bool
    typealias Write = @Sendable (Entity, inout JSONWriter) -> Void

    /// The field's name in Weir's files; `nil` for a field that only the server sends.
    package let name: StaticString?
    /// The server's names for the field; empty if the server sends the value in another form.
    fileprivate private(set) var wireNames: [StaticString]
    /// Whether the entity is invalid without this field.
    fileprivate private(set) var isRequired = false
    fileprivate let read: Read
    fileprivate private(set) var write: Write
    private let isBlank: @Sendable (Entity) -> Bool

    private init(
        _ name: StaticString?, _ wireNames: [StaticString], read: @escaping Read,
        write: @escaping Write = { _, _ in }, isBlank: @escaping @Sendable (Entity) -> Bool = { _ in false }
    ) {
        self.name = name
        self.wireNames = wireNames
        self.read = read
        self.write = write
        self.isBlank = isBlank
    }

    /// Creates a field stored at `path`. Without `wire`, the server uses the same name as Weir.
    init<Value: FieldValue>(
        _ name: StaticString, wire names: StaticString..., at path: any WritableKeyPath<Entity, Value> & Sendable,
        reading wire: (@Sendable (inout JSONReader) throws(Mismatch) -> Value?)? = nil
    ) {
        self.init(
            name, names.isEmpty ? [name] : names,
            read: { entity, reader, form throws(Mismatch) in
                let value =
                    if let wire, form == .wire { try wire(&reader) } else { try Value.read(from: &reader, form) }
                if let value { entity[keyPath: path] = value }
                return value != nil
            }, write: { entity, writer in entity[keyPath: path].write(as: name, into: &writer) },
            isBlank: { $0[keyPath: path].isBlank })
    }

    /// A copy of this field without which the entity is invalid.
    var required: Field {
        var field = self
        field.isRequired = true
        return field
    }

    /// A copy of this field for Weir's files only: the server sends the value in another form.
    var kept: Field {
        var field = self
        field.wireNames = []
        return field
    }

    /// Returns a copy of this field that is written only for entities that satisfy `isWritten`.
    func written(if isWritten: @escaping @Sendable (Entity) -> Bool) -> Field {
        var field = self
        field.write = { [write] entity, writer in if isWritten(entity) { write(entity, &writer) } }
        return field
    }

    /// Returns this field for a `Whole` that stores the entity at `path`.
    func part<Whole>(of path: any WritableKeyPath<Whole, Entity> & Sendable) -> Field<Whole> {
        Field<Whole>(
            name, wireNames,
            read: { whole, reader, form throws(Mismatch) in try read(&whole[keyPath: path], &reader, form) },
            write: { whole, writer in write(whole[keyPath: path], &writer) })
    }

    /// Returns a field that only the server sends, read by the closure.
    static func sent(
        _ names: StaticString...,
        read: @escaping @Sendable (inout Entity, inout JSONReader) throws(Mismatch) -> Void
    ) -> Field {
        Field(
            nil, names,
            read: { entity, reader, _ throws(Mismatch) in
                try read(&entity, &reader)
                return true
            })
    }

    /// Returns a field for another server name of the value at `path`. A value that is already set is kept.
    static func fallback<Value: FieldValue>(
        _ name: StaticString, at path: any WritableKeyPath<Entity, Value> & Sendable
    ) -> Field {
        sent(name) { entity, reader throws(Mismatch) in
            guard entity[keyPath: path].isBlank else { return _ = try reader.pass() }
            if let value = try Value.read(from: &reader, .wire) { entity[keyPath: path] = value }
        }
    }

    /// Returns fields that the server nests in an object and Weir's files do not. Null and an
    /// empty list count as absent.
    static func nested(_ name: StaticString, _ fields: [Field]) -> Field {
        sent(name) { entity, reader throws(Mismatch) in
            if try reader.openIfAny() { try fields.read(into: &entity, from: &reader) }
        }
    }

    /// Returns fields grouped in an object of their own, which is always written.
    static func object(_ name: StaticString, _ fields: [Field]) -> Field {
        Field(
            name, [name],
            read: { entity, reader, form throws(Mismatch) in
                guard try reader.openIfAny() else { return false }
                try fields.read(into: &entity, from: &reader, form)
                return true
            },
            write: { entity, writer in
                writer.key(name)
                fields.write(entity, into: &writer)
            })
    }

    /// Returns a field that is written but never read, because it follows from other fields.
    static func derived(_ name: StaticString, _ value: @escaping @Sendable (Entity) -> String?) -> Field {
        Field(
            name, [],
            read: { _, reader, _ throws(Mismatch) in
                try reader.pass()
                return true
            }, write: { entity, writer in writer.member(name, value(entity)) })
    }

    fileprivate func isNamed(_ key: JSONKey, in reader: borrowing JSONReader, _ form: FieldForm) -> Bool {
        if form == .log { return name.map { reader.matches(key, $0) } ?? false }
        for name in wireNames where reader.matches(key, name) { return true }
        return false
    }

    /// Returns the field's name in `form` if the entity lacks a value for it; otherwise `nil`.
    fileprivate func missing(in entity: Entity, _ form: FieldForm) -> StaticString? {
        guard isBlank(entity) else { return nil }
        return form == .log ? name : wireNames.first
    }
}

/// The origin of a text, which decides how strictly it is read.
package enum FieldForm: Sendable {
    /// A text from a server: null, empty strings, and numbers in place of strings are read by their meaning.
    case wire
    /// A text from Weir: each value is read exactly as it was written.
    case log
}

extension Array {
    /// Reads the rest of an open object and skips members that the table does not contain.
    ///
    /// - Returns: A bit for each required field that had a value, numbered by its index in the table.
    @discardableResult
    func read<Entity>(
        into entity: inout Entity, from reader: inout JSONReader, _ form: FieldForm = .wire
    ) throws(Mismatch) -> UInt64 where Element == Field<Entity> {
        var read: UInt64 = 0
        while let key = try reader.field() {
            if try !take(key, into: &entity, from: &reader, form, &read) { try reader.pass() }
        }
        return read
    }

    /// Reads the value of the member `key`. If the field is required and has a value, its bit in `read` is set.
    ///
    /// - Returns: Whether the table contains the member.
    func take<Entity>(
        _ key: JSONKey, into entity: inout Entity, from reader: inout JSONReader, _ form: FieldForm,
        _ read: inout UInt64
    ) throws(Mismatch) -> Bool where Element == Field<Entity> {
        for (number, field) in enumerated() where field.isNamed(key, in: reader, form) {
            if try field.read(&entity, &reader, form), field.isRequired { read |= 1 << UInt64(number) }
            return true
        }
        return false
    }

    /// Throws a mismatch if the entity lacks a required field; its object starts at `start`.
    func check<Entity>(
        _ entity: Entity, _ read: UInt64, at start: Int, _ form: FieldForm
    ) throws(Mismatch) where Element == Field<Entity> {
        for (number, field) in enumerated() where field.isRequired && read & 1 << UInt64(number) == 0 {
            guard let name = field.missing(in: entity, form) else { continue }
            throw Mismatch(.missing(name), at: start)
        }
    }

    /// Writes the fields as a JSON object.
    fileprivate func write<Entity>(_ entity: Entity, into writer: inout JSONWriter) where Element == Field<Entity> {
        writer.beginObject()
        writeMembers(of: entity, into: &writer)
        writer.endObject()
    }

    /// Writes the fields as members of an open object.
    func writeMembers<Entity>(of entity: Entity, into writer: inout JSONWriter) where Element == Field<Entity> {
        for field in self { field.write(entity, &writer) }
    }
}

/// A value that a field can hold: a scalar, an optional scalar, or a list.
protocol FieldValue: SendableMetatype {
    /// Reads a value. Returns `nil` if the text contains none, which leaves the field unchanged.
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self?
    /// Writes the value as a member of an open object, or nothing if there is no value.
    func write(as name: StaticString, into writer: inout JSONWriter)
    /// Whether the value may be one that was never read.
    var isBlank: Bool { get }
}

extension FieldValue {
    var isBlank: Bool { true }
}

/// A value that can stand alone, be optional, or be an element of a list.
protocol FieldScalar: FieldValue {
    func write(into writer: inout JSONWriter)
}

extension FieldScalar {
    func write(as name: StaticString, into writer: inout JSONWriter) {
        writer.key(name)
        write(into: &writer)
    }
}

extension Optional: FieldValue where Wrapped: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        try Wrapped.read(from: &reader, form).map { .some($0) }
    }
    func write(as name: StaticString, into writer: inout JSONWriter) {
        guard let self else { return }
        writer.key(name)
        self.write(into: &writer)
    }
}

/// A list. An empty list is not written, unless the field is optional.
extension Array: FieldScalar, FieldValue where Element: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        var values: Self = []
        guard try reader.openListIfAny() else { return nil }
        while try reader.another() {
            if let value = try Element.read(from: &reader, form) { values.append(value) }
        }
        return values
    }
    func write(as name: StaticString, into writer: inout JSONWriter) {
        guard !isEmpty else { return }
        writer.key(name)
        write(into: &writer)
    }
    func write(into writer: inout JSONWriter) {
        writer.beginArray()
        for value in self { value.write(into: &writer) }
        writer.endArray()
    }
}

extension EntityID: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? try reader.loggedID() : try reader.idIfAny()
    }
    var isBlank: Bool { isNone }
}

/// A string. An empty string from a server counts as absent.
extension String: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? try reader.text() : try reader.textIfAny()?.unlessEmpty
    }
    func write(into writer: inout JSONWriter) { writer.string(self) }
}

/// A time, in milliseconds in Weir's files.
extension Timestamp: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? try reader.loggedTime() : try reader.timeIfAny()
    }
    func write(into writer: inout JSONWriter) { writer.integer(milliseconds) }
}

/// A count. A negative count from a server is read as 0.
extension Int: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? try reader.loggedCount() : try reader.countIfAny()
    }
    func write(into writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Bool: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? try reader.loggedFlag() : try reader.flagIfAny()
    }
    func write(into writer: inout JSONWriter) { writer.bool(self) }
}

/// Any JSON value. From a server, only an object or an array that is not empty counts as a value.
extension RawJSON: FieldScalar {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? try reader.loggedText() : try reader.contentsIfAny()
    }
    func write(into writer: inout JSONWriter) { writer.inertRaw(self) }
}

extension FieldScalar where Self: WireEnumeration {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        form == .log ? Self(wire: try reader.text()) : try ifAny(reading: &reader)
    }
    func write(into writer: inout JSONWriter) { writer.string(wireName) }
}

extension FieldScalar where Self: FieldedEntity {
    static func read(from reader: inout JSONReader, _ form: FieldForm) throws(Mismatch) -> Self? {
        try ifAny(reading: &reader, form)
    }
    func write(into writer: inout JSONWriter) { encode(into: &writer) }
}

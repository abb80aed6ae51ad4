package import JSONText

/// An entity that a table describes: the table reads it from the wire and from Weir's files, and writes it.
package protocol FieldedEntity: Sendable {
    /// What people call such an entity in an error.
    static var subject: String { get }
    /// An entity of which no field was read.
    static var blank: Self { get }
    /// The fields, in the order in which they are written.
    static var fields: [Field<Self>] { get }
    /// Fills in what the server leaves to be concluded from other fields.
    mutating func complete()
}

extension FieldedEntity {
    package mutating func complete() {}

    /// The members that a server sends of such an entity, as far as the table reads them.
    package static var wireNames: [String] { fields.flatMap(\.wireNames).map(\.description) }

    /// Writes the entity as a JSON object; absent fields are left out.
    package func encode(into writer: inout JSONWriter) {
        Self.fields.write(self, into: &writer)
    }

    /// Reads what `encode` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        self = try reader.logged(Self.subject) { (reader) throws(Mismatch) in try Self(reading: &reader, .log) }
    }

    /// Reads an object. What it does not say stays as `blank` has it.
    init(
        reading reader: inout JSONReader, _ form: FieldForm = .wire, from blank: Self = .blank
    ) throws(Mismatch) {
        self = blank
        let start = try reader.open()
        let read = try Self.fields.read(into: &self, from: &reader, form)
        if form == .wire { complete() }
        try Self.fields.check(self, read, at: start, form)
    }

    /// Nil for null and an empty list.
    static func ifAny(reading reader: inout JSONReader, _ form: FieldForm = .wire) throws(Mismatch) -> Self? {
        guard try reader.kind() == .object else { return try reader.openIfAny() ? .blank : nil }
        return try Self(reading: &reader, form)
    }

    /// A list of entities; null counts as an empty one.
    static func list(reading reader: inout JSONReader, _ form: FieldForm = .wire) throws(Mismatch) -> [Self] {
        var entities: [Self] = []
        guard try reader.openListIfAny() else { return entities }
        while try reader.another() { entities.append(try Self(reading: &reader, form)) }
        return entities
    }
}

/// One field of an entity: how it is called and where it is kept.
package struct Field<Entity>: Sendable {
    /// Reads the field's value; false when there was none.
    typealias Read = @Sendable (inout Entity, inout JSONReader, FieldForm) throws(Mismatch) -> Bool
    typealias Write = @Sendable (Entity, inout JSONWriter) -> Void

    /// What the field is called in Weir's files; nil for one that only the server sends.
    package let name: StaticString?
    /// What the server calls it; nothing for one that it says otherwise.
    fileprivate private(set) var wireNames: [StaticString]
    /// Whether the entity is nothing without it.
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

    /// A field that is kept at `path`. Without `wire` the server calls it as Weir does.
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

    /// This field, without which the entity is nothing.
    var required: Field {
        var field = self
        field.isRequired = true
        return field
    }

    /// This field in Weir's files only: the server says it otherwise.
    var kept: Field {
        var field = self
        field.wireNames = []
        return field
    }

    /// This field, which some entities are written without.
    func written(if isWritten: @escaping @Sendable (Entity) -> Bool) -> Field {
        var field = self
        field.write = { [write] entity, writer in if isWritten(entity) { write(entity, &writer) } }
        return field
    }

    /// This field of an entity that is a part of another.
    func part<Whole>(of path: any WritableKeyPath<Whole, Entity> & Sendable) -> Field<Whole> {
        Field<Whole>(
            name, wireNames,
            read: { whole, reader, form throws(Mismatch) in try read(&whole[keyPath: path], &reader, form) },
            write: { whole, writer in write(whole[keyPath: path], &writer) })
    }

    /// What only the server sends, read by a function of its own.
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

    /// Another name that the server has for the value at `path`: what that holds already stays.
    static func fallback<Value: FieldValue>(
        _ name: StaticString, at path: any WritableKeyPath<Entity, Value> & Sendable
    ) -> Field {
        sent(name) { entity, reader throws(Mismatch) in
            guard entity[keyPath: path].isBlank else { return _ = try reader.pass() }
            if let value = try Value.read(from: &reader, .wire) { entity[keyPath: path] = value }
        }
    }

    /// Fields that the server nests in an object, and Weir's files do not. Null and an empty list count as none.
    static func nested(_ name: StaticString, _ fields: [Field]) -> Field {
        sent(name) { entity, reader throws(Mismatch) in
            if try reader.openIfAny() { try fields.read(into: &entity, from: &reader) }
        }
    }

    /// Fields that lie in an object of their own, which is always written.
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

    /// What is written, and never read, since it follows from other fields.
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

    /// What a text of that form calls the field, where the entity lacks it.
    fileprivate func missing(in entity: Entity, _ form: FieldForm) -> StaticString? {
        guard isBlank(entity) else { return nil }
        return form == .log ? name : wireNames.first
    }
}

/// Where a text comes from: that decides how loosely it is read.
package enum FieldForm: Sendable {
    /// From a server: null, empty texts and numbers in place of text are read for what they mean.
    case wire
    /// From Weir: each value is as it was written.
    case log
}

extension Array {
    /// Reads the rest of an object that was entered; what the table lacks is passed over. Gives a bit for each required field that was there.
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

    /// Reads the value of the field that was named; false when the table lacks it. Of a required one the bit goes into `read`.
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

    /// Checks that all is there that an entity cannot do without; its object starts at `start`.
    func check<Entity>(
        _ entity: Entity, _ read: UInt64, at start: Int, _ form: FieldForm
    ) throws(Mismatch) where Element == Field<Entity> {
        for (number, field) in enumerated() where field.isRequired && read & 1 << UInt64(number) == 0 {
            guard let name = field.missing(in: entity, form) else { continue }
            throw Mismatch(.missing(name), at: start)
        }
    }

    /// Writes the fields as an object.
    fileprivate func write<Entity>(_ entity: Entity, into writer: inout JSONWriter) where Element == Field<Entity> {
        writer.beginObject()
        writeMembers(of: entity, into: &writer)
        writer.endObject()
    }

    /// Writes the fields into an open object.
    func writeMembers<Entity>(of entity: Entity, into writer: inout JSONWriter) where Element == Field<Entity> {
        for field in self { field.write(entity, &writer) }
    }
}

import JSONText

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

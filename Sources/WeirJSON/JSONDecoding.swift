// JSON text to `Decodable` types, without Foundation. A decoder is a place in the text; each read makes a reader there.
// An object or an array is scanned once for the places of its members, so a text is passed over once for each level.

extension RawJSON {
    /// Decodes the value as a Swift type. Whole numbers such as `1.0` are accepted as integers. Of several members with
    /// the same key, the first counts.
    ///
    /// - Throws: `DecodingError` with the coding path, or what an `init(from:)` throws. Values nested deeper than 256
    ///   levels are refused.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        try JSONTextDecoder(text: bytes, offset: 0, codingPath: [], userInfo: userInfo).decode(type)
    }

    /// Decodes the value as the element `index` of a list. The index begins the coding path of errors.
    package func decode<Value: Decodable>(
        _ type: Value.Type, index: Int, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws -> Value {
        let path = [AnyCodingKey(intValue: index)]
        return try JSONTextDecoder(text: bytes, offset: 0, codingPath: path, userInfo: userInfo).decode(type)
    }
}

extension JSONValue: Decodable {
    /// Decodes the value as a Swift type; see `RawJSON.decode`.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value { try raw.decode(type) }

    /// Reads any value from a decoder. Members of an object from another decoder than Weir's may change their order.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? JSONTextDecoder {
            self = try decoder.decode(JSONValue.self)
        } else if let members = try? decoder.container(keyedBy: AnyCodingKey.self) {
            self = .object(
                try members.allKeys.map { .init($0.stringValue, try members.decode(JSONValue.self, forKey: $0)) })
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
        } else {
            self = try JSONValue(scalar: decoder.singleValueContainer())
        }
    }

    private init(scalar container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }
}

/// A key that any text or index makes.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?
    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}

/// The most levels of arrays and objects that a coder follows. Each one takes stack.
let deepestCoding = 256

/// A decoder of the value at one offset of a text.
struct JSONTextDecoder: Decoder {
    /// The whole text. Offsets count from its start.
    let text: ArraySlice<UInt8>
    let offset: Int
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    init(text: ArraySlice<UInt8>, offset: Int, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any]) {
        (self.text, self.offset, self.codingPath, self.userInfo) = (text, offset, codingPath, userInfo)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JSONMembers<Key>(self, try members()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { JSONElements(self, try elements()) }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// The decoder of a member or an element.
    func nested(_ key: any CodingKey, at offset: Int) -> JSONTextDecoder {
        JSONTextDecoder(text: text, offset: offset, codingPath: codingPath + [key], userInfo: userInfo)
    }

    /// Reads at the decoder's offset. `Value` is the wanted type, for errors.
    private func read<Value>(
        _ type: Value.Type, _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(DecodingError) -> Value {
        do throws(JSONError) {
            var reader = JSONReader(text.span, at: offset)
            return try body(&reader)
        } catch {
            let context = DecodingError.Context(
                codingPath: codingPath, debugDescription: error.description, underlyingError: error)
            switch error.reason {
            case .wrongKind(_, found: .null): throw .valueNotFound(type, context)
            case .wrongKind: throw .typeMismatch(type, context)
            case .unexpectedEnd, .unexpectedByte, .trailingBytes, .invalidUTF8, .invalidString, .invalidNumber,
                .tooDeep:
                throw .dataCorrupted(context)
            }
        }
    }

    /// The places of an object's members: the first of each key.
    private func members() throws -> (places: [String: Int], keys: [String]) {
        try checkDepth()
        return try read(([String: Int], [String]).self) { (reader) throws(JSONError) in
            var places: [String: Int] = [:]
            var keys: [String] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = reader.string(key)
                let start = try reader.skip().lowerBound
                if places.updateValue(places[name] ?? start, forKey: name) == nil { keys.append(name) }
            }
            return (places, keys)
        }
    }

    private func elements() throws -> [Int] {
        try checkDepth()
        return try read([Int].self) { (reader) throws(JSONError) in
            var places: [Int] = []
            try reader.beginArray()
            while try reader.nextElement() { places.append(try reader.skip().lowerBound) }
            return places
        }
    }

    private func checkDepth() throws(DecodingError) {
        guard codingPath.count > deepestCoding else { return }
        throw .dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "nested deeper than \(deepestCoding) levels"))
    }
}

// One generic method witnesses the requirements for each of the standard library's types.
extension JSONTextDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { (try? read(Bool.self) { (reader) throws(JSONError) in try reader.null() }) ?? false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Two steps, since the cast of a missing scalar to an optional type would succeed.
        if let scalar = try scalar(type), let value = scalar as? Value { return value }
        return try Value(from: self)
    }

    /// Reads a type that JSON has itself. Returns `nil` for any other type.
    private func scalar<Value>(_ type: Value.Type) throws -> Any? {
        if type == String.self { return try read(type) { (reader) throws(JSONError) in try reader.string() as! Value } }
        if type == Bool.self { return try read(type) { (reader) throws(JSONError) in try reader.bool() as! Value } }
        if type == Double.self { return try double() }
        if type == Float.self { return try Float(double()) }
        if type == JSONValue.self {
            return try read(type) { (reader) throws(JSONError) in try reader.value() as! Value }
        }
        guard let integer = type as? any FixedWidthInteger.Type else { return nil }
        return try self.integer(integer)
    }

    private func double() throws -> Double {
        try read(Double.self) { (reader) throws(JSONError) in try reader.double() }
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        try read(type) { (reader) throws(JSONError) in
            _ = try reader.peek()
            let start = reader.place
            if let value = try? reader.int64() {
                if let number = Number(exactly: value) { return number }
                throw JSONError(.invalidNumber, at: offset)
            }
            reader.seek(to: start)
            guard try reader.peek() == .number else { return Number(truncatingIfNeeded: try reader.int64()) }
            let text = try reader.raw().description
            if let number = Number(text) { return number }
            reader.seek(to: start)
            if let number = Number(exactly: try reader.double()) { return number }
            throw JSONError(.invalidNumber, at: offset)
        }
    }
}

/// The members of an object.
private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: JSONTextDecoder
    private let places: [String: Int]
    private let keys: [String]

    init(_ decoder: JSONTextDecoder, _ members: (places: [String: Int], keys: [String])) {
        self.decoder = decoder
        (places, keys) = members
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { places[key.stringValue] != nil }

    private func member(_ key: some CodingKey) throws(DecodingError) -> JSONTextDecoder {
        if let place = places[key.stringValue] { return decoder.nested(key, at: place) }
        throw .keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "the object has no member \"\(key.stringValue)\""))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).decode(type)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try member(AnyCodingKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// The elements of an array.
private struct JSONElements: UnkeyedDecodingContainer {
    private let decoder: JSONTextDecoder
    private let places: [Int]
    private(set) var currentIndex = 0

    init(_ decoder: JSONTextDecoder, _ places: [Int]) { (self.decoder, self.places) = (decoder, places) }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { places.count }
    var isAtEnd: Bool { currentIndex >= places.count }

    /// Reads the next element, and moves on unless `body` throws.
    private mutating func next<Value>(
        _ type: Value.Type, _ body: (JSONTextDecoder) throws -> Value
    ) throws -> Value {
        let key = AnyCodingKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath + [key], debugDescription: "the array ends"))
        }
        let value = try body(decoder.nested(key, at: places[currentIndex]))
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try next(Bool.self, { $0.decodeNil() }) else {
            currentIndex -= 1
            return false
        }
        return true
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.decode(type) }
    }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(KeyedDecodingContainer<Nested>.self) { try $0.container(keyedBy: type) }
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}

public import WeirJSON
import WeirThreads
import WeirWire

/// The arguments of an event or of an acknowledgement: JSON values, which may contain binary data.
public struct SocketIOArguments: Hashable, Sendable {
    let texts: [RawJSON]
    let attachments: [ArraySlice<UInt8>]

    /// Encodes values as arguments. `SocketIOBinary` values travel as binary data, at any depth.
    ///
    /// - Throws: `EncodingError`, or what an `encode(to:)` throws.
    public init(_ values: any Encodable & Sendable...) throws { try self.init(encoding: values) }

    init(encoding values: [any Encodable & Sendable]) throws {
        let collected = Monitor<[ArraySlice<UInt8>]>([])
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        if let key = SocketIOBinary.collector { userInfo[key] = collected }
        texts = try values.map { try RawJSON(encoding: $0, userInfo: userInfo) }
        attachments = collected.look { $0 }
    }

    init(texts: [RawJSON], attachments: [ArraySlice<UInt8>]) {
        (self.texts, self.attachments) = (texts, attachments)
    }

    /// The number of arguments after an event's name.
    public var count: Int { texts.count }

    /// The arguments as trees. Binary data appears as Socket.IO's placeholder; decode it as `SocketIOBinary`.
    public var values: [JSONValue] { texts.map(Self.tree) }

    /// The argument at `index`, counted from 0. `nil` if there is none.
    public subscript(index: Int) -> JSONValue? { texts.indices.contains(index) ? Self.tree(texts[index]) : nil }

    /// Decodes the first arguments, one for each type. A missing argument counts as `null`; more are ignored.
    ///
    /// - Throws: `DecodingError`, whose coding path begins with the argument's index.
    public func decode<each Value: Decodable>(_ types: repeat (each Value).Type) throws -> (repeat each Value) {
        var index = 0
        func next<Next: Decodable>(_ type: Next.Type) throws -> Next {
            defer { index += 1 }
            return try decode(type, at: index)
        }
        return (repeat try next((each Value).self))
    }

    /// Decodes the argument at `index`, counted from 0. A missing argument counts as `null`.
    public func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]
        if !attachments.isEmpty, let key = SocketIOBinary.attachments { userInfo[key] = attachments }
        let text = texts.indices.contains(index) ? texts[index] : RawJSON(unchecked: ArraySlice("null".utf8))
        return try text.decode(type, index: index, userInfo: userInfo)
    }

    private static func tree(_ text: RawJSON) -> JSONValue {
        // The text was checked when it arrived, or was encoded here.
        (try? JSONValue(parsing: text.bytes)) ?? .text(text)
    }

    /// The arguments in the form that the wire module sends.
    var wire: SocketIO.Arguments {
        var arguments = SocketIO.Arguments()
        for attachment in attachments { _ = arguments.attach(attachment) }
        for text in texts { arguments.append(text) }
        return arguments
    }
}

extension SocketIOArguments: CustomStringConvertible {
    /// The arguments as JSON, separated by commas.
    public var description: String { values.map(\.description).joined(separator: ", ") }
}

/// Binary data in the arguments of an event or of an acknowledgement. It travels outside the JSON text.
public struct SocketIOBinary: Hashable, Sendable, Codable {
    /// The bytes of the data, in order.
    public var bytes: [UInt8]

    /// Creates binary data from any sequence of bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The key for the attachments of what is being decoded: an array of slices.
    static let attachments = CodingUserInfoKey(rawValue: "weir.attachments")
    /// The key for the list to which encoding adds attachments.
    static let collector = CodingUserInfoKey(rawValue: "weir.collector")

    private enum CodingKeys: String, CodingKey {
        case isPlaceholder = "_placeholder"
        case number = "num"
    }

    /// Reads the data from a received event or acknowledgement. Any other decoder throws `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = try container.decode(Int.self, forKey: .number)
        let key = Self.attachments
        guard let attachments = key.flatMap({ decoder.userInfo[$0] }) as? [ArraySlice<UInt8>],
            try container.decode(Bool.self, forKey: .isPlaceholder), attachments.indices.contains(number)
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no binary data is attached for this value"))
        }
        bytes = Array(attachments[number])
    }

    /// Adds the data to an event that is being encoded. Any other encoder throws `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        let key = Self.collector
        guard let list = key.flatMap({ encoder.userInfo[$0] }) as? Monitor<[ArraySlice<UInt8>]> else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "binary data needs Socket.IO arguments"))
        }
        let number = list.change { list in
            list.append(bytes[...])
            return list.count - 1
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(true, forKey: .isPlaceholder)
        try container.encode(number, forKey: .number)
    }
}

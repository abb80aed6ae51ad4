import Events

/// The path and query of a call. Literals stay as they are; ids and other text from peers are percent-encoded (RFC
/// 3986).
struct RESTTarget: ExpressibleByStringInterpolation, Sendable {
    /// The bytes of a target under construction. Appending each part to a string would cost several times as much, and
    /// every refetch builds a target.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 40)
        }

        mutating func appendLiteral(_ literal: String) {
            literal.utf8.span.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }

        mutating func appendInterpolation(_ id: EntityID) {
            switch id {
            // All characters of a UUID are unreserved.
            case .uuid: id.append(to: &bytes)
            case .text(let text): appendInterpolation(text)
            }
        }

        mutating func appendInterpolation(_ text: String) { RESTTarget.encode(text, into: &bytes) }

        mutating func appendInterpolation(_ number: Int) { appendLiteral(String(number)) }

        /// Appends part of a target without encoding it again.
        mutating func appendInterpolation(_ target: RESTTarget) { bytes += target.bytes }
    }

    private var bytes: [UInt8]

    init(stringLiteral text: String) { bytes = Array(text.utf8) }

    init(stringInterpolation parts: StringInterpolation) { bytes = parts.bytes }

    /// Appends the items of a query.
    mutating func add(_ query: RESTCall.Query) {
        for (index, item) in query.enumerated() {
            bytes.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            item.name.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "="))
            Self.encode(item.value, into: &bytes)
        }
    }

    /// The path and query as sent.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Percent-encodes text. This includes the dot, although it is unreserved: an id that consists of dots would climb
    /// in a path.
    private static func encode(_ text: String, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            }
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

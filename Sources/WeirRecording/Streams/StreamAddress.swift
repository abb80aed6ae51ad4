/// The address of a recording, or of a stream of recordings, in a NATS cluster:
/// `nats://HOST[:PORT][,HOST…]/STREAM[/NAME[/SEGMENT]]`. The recording of a group's member is named `GROUP.MEMBER`.
package struct StreamAddress: Hashable, Sendable, CustomStringConvertible {
    /// The prefix of every address.
    static let scheme = "nats://"
    /// The port of a server whose address contains none.
    private static let usualPort = 4222

    /// The servers to connect to first, at least one, as `HOST:PORT`.
    package var servers: [String]
    /// The name of the JetStream stream; `nil` if the address ends before it.
    package var stream: String?
    /// The name of the recording in the stream; the stream's name if the address contains none.
    package var name: String?
    /// The number of the segment, from 1, written with at least four digits; `nil` for a recording in one piece.
    package var segment: Int?

    /// Whether a text begins like such an address.
    package static func isOne(_ text: String) -> Bool { text.hasPrefix(scheme) }

    /// Parses an address. The error does not quote the text, since it may contain a password.
    package init(parsing text: String) throws(Malformed) {
        guard Self.isOne(text) else { throw Malformed("it does not begin with nats://") }
        let rest = text.dropFirst(Self.scheme.count)
        guard !rest.contains("@") else {
            throw Malformed(
                "a URL must not contain a user and password, which others can see; give them by reference, such as "
                    + "--nats-user and --nats-password env:NAME")
        }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        servers = try parts[0].split(separator: ",", omittingEmptySubsequences: false).map { text throws(Malformed) in
            try Self.server(String(text))
        }
        let path = parts.dropFirst().last == "" ? parts.dropFirst().dropLast() : parts.dropFirst()
        guard path.count <= 3 else { throw Malformed("it has more than nats://HOST/STREAM/NAME/SEGMENT") }
        if path.count == 3 {
            guard let text = path.last, text.count >= 4, let number = Int(text), number > 0 else {
                throw Malformed("a segment is a number of four digits, as in nats://HOST/STREAM/NAME/0001")
            }
            segment = number
        }
        for (place, text) in path.prefix(2).enumerated() {
            let words = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard words.count <= place + 1, words.allSatisfy(Self.isWord) else {
                throw Malformed("a stream and a name in it have letters, digits, - and _ only, 64 at most")
            }
        }
        stream = path.first
        name = path.prefix(2).last
    }

    private static func server(_ text: String) throws(Malformed) -> String {
        let colon = text.lastIndex(of: ":").flatMap { text[$0...].contains("]") ? nil : $0 }
        let host = colon.map { text[..<$0] } ?? text[...]
        let isBare = host.hasPrefix("[") ? host.hasSuffix("]") : !host.contains(":")
        guard !host.isEmpty, isBare, host.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Malformed("a host is missing or not one; write nats://HOST:PORT/STREAM, an IPv6 address in brackets")
        }
        guard let colon else { return "\(host):\(usualPort)" }
        guard let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            throw Malformed("the port is not a number from 1 to 65535")
        }
        return "\(host):\(port)"
    }

    private static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Returns the address of a member's recording in the group that this address names.
    package func member(_ id: String) -> StreamAddress {
        var address = self
        address.name = "\(name ?? stream ?? "").\(id)"
        return address
    }

    /// The subject of the chunks of the recording or of its segment.
    package var subject: String { Self.subject(of: name ?? stream ?? "", segment: segment.map(Self.digits)) }

    /// Returns the subject of a recording's chunks. `*` matches any name or segment.
    package static func subject(of name: String, segment: String? = nil) -> String {
        "weir.\(name).records" + (segment.map { "." + $0 } ?? "")
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }

    /// The address in its shortest form.
    package var description: String {
        var text = Self.scheme + servers.joined(separator: ",")
        if let stream { text += "/" + stream }
        if let name, name != stream || segment != nil { text += "/" + name }
        if let segment { text += "/" + Self.digits(segment) }
        return text
    }

    /// The reason why a text is not an address.
    package struct Malformed: Error, Hashable {
        /// A description of the problem and of the expected form.
        package var message: String

        init(_ message: String) { self.message = message }
    }
}

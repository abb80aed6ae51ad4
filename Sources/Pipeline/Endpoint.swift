import Events
import JSONText

/// One call of a REST service, typed from its parameters to its answer: what is asked, with which rights, on whose behalf, and how
/// the answer is read.
struct Endpoint<Answer>: Sendable {
    /// Reads the body of a successful answer.
    typealias Parser = @Sendable (ArraySlice<UInt8>) throws(DecodingFailure) -> Answer

    /// What is sent.
    let call: RESTCall
    /// What the call belongs to.
    let tags: [RequestTag]
    let parse: Parser

    /// A call of `path`, whose ids are encoded already, and the query's items, whose values are not.
    init(
        _ path: String, method: RESTCall.Method = .get, query: RESTCall.Query = [],
        body: RawJSON? = nil, carriesToken: Bool = true, tags: [RequestTag] = [], parse: @escaping Parser
    ) {
        var target = path
        for (index, item) in query.enumerated() {
            target += index == 0 ? "?" : "&"
            target += "\(item.name)=\(item.value.inURL)"
        }
        call = RESTCall(
            method: method, target: target, body: body.map { Array($0.bytes) } ?? [], carriesToken: carriesToken)
        self.tags = tags
        self.parse = parse
    }
}

extension Endpoint where Answer == Void {
    /// A call of which only the success matters: whatever the body is, it is not read.
    init(
        _ path: String, method: RESTCall.Method, query: RESTCall.Query = [],
        body: RawJSON? = nil, carriesToken: Bool = true, tags: [RequestTag] = []
    ) {
        self.init(path, method: method, query: query, body: body, carriesToken: carriesToken, tags: tags) { _ in }
    }
}

/// What a call sends.
public struct RESTCall: Hashable, Sendable {
    /// The methods a backend uses.
    public enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// Parameters, their values not encoded yet.
    typealias Query = [(name: StaticString, value: String)]

    /// The method.
    public var method: Method
    /// Path and query, to be put behind the server's address.
    public var target: String
    /// JSON text, or empty.
    public var body: [UInt8]
    /// Whether the user's token goes with it; a call that is public does not show it.
    public var carriesToken: Bool
}

extension String {
    /// The text with everything but unreserved characters percent-encoded (RFC 3986): an id comes from a peer.
    /// A dot is encoded too, though unreserved: an id of dots alone would climb in a path.
    var inURL: String {
        if utf8.allSatisfy(\.isUnreserved) { return self }
        var text: [UInt8] = []
        for byte in utf8 {
            if byte.isUnreserved {
                text.append(byte)
            } else {
                text += (byte < 16 ? "%0" : "%").utf8
                text += String(byte, radix: 16, uppercase: true).utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension EntityID {
    /// The id as a part of a path or query.
    var inURL: String {
        if case .uuid = self { return description }
        return description.inURL
    }
}

import Testing
import WeirJSON

/// `Codable` types in JSON text, without Foundation.
@Suite struct CodingTests {
    struct Message: Codable, Equatable {
        enum Kind: String, Codable { case text, picture }
        struct Author: Codable, Equatable {
            var id: UInt64
            var name: String?
        }
        var kind: Kind
        var author: Author
        var tags: [String: [Int8]]
        var ratio: Float
        var extra: JSONValue
        var parent: Int?
    }

    indirect enum Tree: Codable {
        case leaf
        case node(Tree)
    }

    private func raw(_ text: String) throws -> RawJSON { try RawJSON(checking: ArraySlice(text.utf8)) }

    @Test func `a value survives encoding and decoding`() throws {
        let message = Message(
            kind: .picture, author: .init(id: .max, name: "Žofie \"Z\""), tags: ["a": [-128, 127]], ratio: 0.1,
            extra: ["x": [nil, true, 1.5, "é"]])
        let text = try RawJSON(encoding: message)
        #expect(
            text.description
                == #"{"kind":"picture","author":{"id":18446744073709551615,"name":"Žofie \"Z\""},"#
                + #""tags":{"a":[-128,127]},"ratio":0.1,"extra":{"x":[null,true,1.5,"é"]}}"#)
        #expect(try text.decode(Message.self) == message)
        #expect(try JSONValue(encoding: message).decode(Message.self) == message)
    }

    @Test func `white space, unknown members and repeated keys are accepted`() throws {
        let text = try raw(#" { "id" : 1.0 , "more" : [ { } ] , "id" : 2 , "name" : null } "#)
        #expect(try text.decode(Message.Author.self) == .init(id: 1, name: nil))
        #expect(try raw(" [ 1 , 2e1 ] ").decode([Int].self) == [1, 20])
        #expect(try raw("null").decode(Int?.self) == nil)
        #expect(try raw("[1,null]").decode([Int?].self) == [1, nil])
    }

    @Test func `an error has the path of its value`() throws {
        func path(_ text: String) throws -> String {
            let error = #expect(throws: DecodingError.self) { try self.raw(text).decode([Message.Author].self) }
            switch error {
            case .typeMismatch(_, let context): return "type " + Self.words(context)
            case .valueNotFound(_, let context): return "value " + Self.words(context)
            case .keyNotFound(let key, let context): return "key \(key.stringValue) " + Self.words(context)
            case .dataCorrupted(let context): return "data " + Self.words(context)
            case nil: return "none"
            @unknown default: return "unknown"
            }
        }
        #expect(try path(#"[{"id":1},{"id":"x"}]"#) == "type 1.id")
        #expect(try path(#"[{"id":null}]"#) == "value 0.id")
        #expect(try path(#"[{"name":"x"}]"#) == "key id 0")
        #expect(try path(#"[{"id":-1}]"#) == "data 0.id")
        #expect(try path(#"[{"id":1.5}]"#) == "data 0.id")
        #expect(try path("{}") == "type ")
    }

    private static func words(_ context: DecodingError.Context) -> String {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    @Test func `bytes that are not JSON are an error`() {
        for text in ["", "{", "[1", "tru", "\"", "{\"id\":}", "{\"id\" 1}"] {
            let broken = RawJSON(unchecked: ArraySlice(text.utf8))
            #expect(throws: DecodingError.self) { try broken.decode(Message.Author.self) }
            #expect(throws: DecodingError.self) { try broken.decode([Int].self) }
            #expect(throws: DecodingError.self) { try broken.decode(JSONValue.self) }
        }
    }

    @Test func `numbers that do not fit are an error`() throws {
        #expect(throws: DecodingError.self) { try raw("300").decode(UInt8.self) }
        #expect(throws: DecodingError.self) { try raw("1e400").decode(Double.self) }
        #expect(throws: DecodingError.self) { try raw("1e300").decode(Int.self) }
        #expect(throws: DecodingError.self) { try raw("-1").decode(UInt.self) }
        #expect(try raw("18446744073709551615").decode(UInt64.self) == .max)
        #expect(try raw("-9223372036854775808").decode(Int64.self) == .min)
        #expect(throws: EncodingError.self) { try RawJSON(encoding: [Double.infinity]) }
    }

    @Test func `values that are nested too deep are an error in both directions`() throws {
        var tree = Tree.leaf
        for _ in 0..<400 { tree = .node(tree) }
        #expect(throws: EncodingError.self) { try RawJSON(encoding: tree) }
        let text =
            String(repeating: #"{"node":{"_0":"#, count: 300) + #"{"leaf":{}}"# + String(repeating: "}}", count: 300)
        #expect(throws: DecodingError.self) { try self.raw(text).decode(Tree.self) }
    }

    @Test func `literals make values, and values print as JSON`() {
        let value: JSONValue = ["a": 1, "b": [nil, true, -2.5, "x\n\(1 + 1)"], "a": [:]]
        #expect(value.description == #"{"a":1,"b":[null,true,-2.5,"x\n2"],"a":{}}"#)
        #expect(value["b"]?[3]?.string == "x\n2")
        #expect(value["b"]?[0] == .some(.null))
        #expect(value["b"]?[9] == nil)
        #expect(value["b"]?.array?.count == 4)
        #expect(value["a"]?.int == 1)
        #expect(JSONValue.number(2).int == 2)
        #expect(JSONValue.number(.nan).int == nil)
    }
}

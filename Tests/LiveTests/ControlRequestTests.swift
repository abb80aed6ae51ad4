import Testing
import WeirJSON
import WeirWire

@testable import WeirLive
@testable import WeirViews

@Suite struct ControlRequestTests {
    private func parse(_ line: String, to server: ControlMethod.Server = .tail) throws(ControlRequest.Refusal)
        -> ControlRequest
    {
        try ControlRequest(Array(line.utf8)[...], to: server)
    }

    private func refusal(_ line: String, to server: ControlMethod.Server = .tail) -> ControlRequest.Refusal? {
        do throws(ControlRequest.Refusal) {
            _ = try parse(line, to: server)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a request is parsed into its method, its parameters and its id`() throws {
        let line = #"{"jsonrpc":"2.0","id":"a","method":"rooms.join","params":{"rooms":["/a","/b"]}}"#
        let request = try parse(line)
        #expect(request.method == .roomsJoin)
        #expect(request.id == .string("a"))
        #expect(request.arguments.texts("rooms") == ["/a", "/b"])
    }

    @Test func `a notification gets no answer, and the short form for humans gets one`() throws {
        #expect(try parse(#"{"jsonrpc":"2.0","method":"status"}"#).id == nil)
        #expect(try parse(#"{"method":"status"}"#).id == .null)
        #expect(try parse(#"{"method":"status","id":7}"#).id == .integer(7))
        #expect(refusal(#"{"jsonrpc":"2.0","method":"stats_"}"#)?.id == nil)
        #expect(refusal(#"{"method":"stats_"}"#)?.id == .null)
    }

    @Test func `every spelling of a number is parsed, and a forwarded value keeps its spelling`() throws {
        let request = try parse(
            #"{"id":1.50,"method":"emit","params":{"event":"x","arguments":[1.50,{"\ud800":1}],"wait":1.50}}"#)
        #expect(request.id == .text(RawJSON(unchecked: Array("1.50".utf8)[...])))
        #expect(request.arguments.span("wait") == .milliseconds(1500))
        var writer = JSONWriter()
        writer.value(try #require(request.arguments.json("arguments")))
        #expect(writer.bytes == Array(#"[1.50,{"\ud800":1}]"#.utf8))
        #expect(refusal(#"{"id":{"\ud800":1},"method":"status"}"#)?.error.code == .request)
    }

    @Test(arguments: [
        ("hello", -32700), ("", -32700), ("{", -32700), (#"{"a":1}{"#, -32700), ("\u{0}", -32700), ("[]", -32600),
        ("3", -32600), ("null", -32600), (#""status""#, -32600), ("{}", -32600), (#"{"method":7}"#, -32600),
        (#"{"jsonrpc":"1.0","method":"status"}"#, -32600), (#"{"jsonrpc":2.0,"method":"status"}"#, -32600),
        (#"{"id":{},"method":"status"}"#, -32600), (#"{"id":true,"method":"status"}"#, -32600),
        (#"{"method":"run"}"#, -32601), (#"{"method":"rooms.list","params":[]}"#, -32602),
        (#"{"method":"rooms.list","params":"x"}"#, -32602), (#"{"method":"rooms.join"}"#, -32602),
        (#"{"method":"rooms.join","params":{"rooms":[]}}"#, -32602),
        (#"{"method":"rooms.join","params":{"rooms":["/a",1]}}"#, -32602),
        (#"{"method":"rooms.join","params":{"rooms":["/a",""]}}"#, -32602),
        (#"{"method":"rooms.join","params":{"rooms":["/a"],"rooms":["/b"]}}"#, -32602),
        (#"{"method":"mark","params":{"label":3}}"#, -32602), (#"{"method":"status","params":{"x":1}}"#, -32602),
    ])
    func `an invalid request is refused with the code of JSON-RPC`(line: String, code: Int) throws {
        let refusal = try #require(self.refusal(line))
        #expect(refusal.error.code.rawValue == code)
        #expect(refusal.id == .null)
        #expect(!refusal.error.message.isEmpty)
    }

    @Test func `a misspelled name gets a suggestion, and a method of another server a message that says so`() {
        #expect(
            refusal(#"{"method":"statsu"}"#)?.error.message
                == "there is no method 'statsu'; did you mean 'status'?")
        #expect(
            refusal(#"{"method":"rooms.list"}"#, to: .replay)?.error.message == "a replay has no method 'rooms.list'")
        #expect(
            refusal(#"{"method":"mark","params":{"lable":"a"}}"#)?.error.message
                == "mark has no parameter 'lable'; did you mean 'label'?")
    }

    @Test func `a client's text is harmless in error messages`() throws {
        let message = try #require(refusal("{\"method\":\"\\u001b[2J\\u202e\"}")?.error.message)
        #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
        let long = try #require(refusal(#"{"method":"\#(String(repeating: "x", count: 10_000))"}"#)?.error.message)
        #expect(long.utf8.count < 200)
        #expect(
            refusal(#"{"id":"\#(String(repeating: "x", count: 300))","method":"status"}"#)?.error.code == .request)
    }

    @Test func `a deeply nested value is an error`() {
        let deep = #"{"method":"status","params":"# + String(repeating: "[", count: 30_000)
        #expect(refusal(deep)?.error.code == .parse)
    }

    @Test func `every truncated or corrupted line is either a request or refused`() throws {
        let line = Array(#"{"jsonrpc":"2.0","id":"é","method":"rooms.join","params":{"rooms":["/a","/b"]}}"#.utf8)
        for end in line.indices { _ = try? ControlRequest(line[..<end], to: .tail) }
        var refused = 0
        for index in line.indices {
            for byte: UInt8 in [0, 0x22, 0x5c, 0x7f, 0xff] {
                var changed = line
                changed[index] = byte
                do { _ = try ControlRequest(changed[...], to: .tail) } catch { refused += 1 }
            }
        }
        #expect(refused > 200)
    }

    @Test func `the table's rows are complete, and no name occurs twice`() {
        for method in ControlMethod.allCases {
            #expect(!method.row.summary.isEmpty && !method.row.servers.isEmpty)
            let names = method.row.parameters.map(\.name)
            #expect(Set(names).count == names.count)
            #expect(method.row.parameters.allSatisfy { !$0.meaning.isEmpty })
        }
        #expect(ControlMethod.of(.replay).contains(.quit) && !ControlMethod.of(.replay).contains(.reconnect))
    }

    @Test func `rates use whole seconds since the start`() {
        var rates = EventRates(from: .zero)
        for index in 0..<30 { rates.note(at: Moment(microseconds: Int64(index) * 100_000)) }
        #expect(rates.rate(over: 1, at: Moment(microseconds: 3_200_000)) == 10)
        #expect(rates.rate(over: 60, at: Moment(microseconds: 3_000_000)) == 10)
        #expect(rates.rate(over: 60, at: Moment(microseconds: 6_000_000)) == 5)
        #expect(rates.rate(over: 1, at: Moment(microseconds: 6_000_000)) == 0)
        #expect(rates.rate(over: 60, at: Moment(microseconds: 90_000_000)) == 0)
        #expect(EventRates(from: .zero).rate(over: 60, at: .zero) == 0)
    }
}

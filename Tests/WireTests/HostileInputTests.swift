import Testing
import WeirWire

/// Random and mutated frames: no trap, and never more effects than a frame can cause.
struct HostileInputTests {
    private static let seeds = [
        openPacket, "40", #"40{"sid":"s"}"#, "40/admin,", "40/admin?a=%41&b,", #"42["a",1,{"b":[null,true]}]"#,
        #"42/admin,17["é😀","\u00e9"]"#,
        "430[]", "43/admin,1[1]", "41", "41/admin", #"44{"message":"m","data":1}"#, #"44"x""#,
        #"452-["a",{"_placeholder":true,"num":0}]"#,
        "461-1[]", "450-[\"a\"]", "2", "2probe", "3", "1", "5", "6", "bAQID", #"42["connect"]"#,
        "499999999999999999999999[]",
    ].map { Array($0.utf8) }

    private static func frame(using generator: inout RandomSource) -> WebSocketMessage {
        var bytes: [UInt8]
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let count = Int.random(in: 0...40, using: &generator)
            bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case 1:
            bytes = seeds.randomElement(using: &generator) ?? []
        default:
            bytes = seeds.randomElement(using: &generator) ?? []
            for _ in 0...Int.random(in: 0...2, using: &generator) { mutate(&bytes, using: &generator) }
        }
        // A slice that does not begin at 0, like a frame inside a chunk.
        let slice = ([0x34, 0x32] + bytes)[2...]
        return Int.random(in: 0..<10, using: &generator) == 0 ? .binary(slice) : .text(slice)
    }

    private static func mutate(_ bytes: inout [UInt8], using generator: inout RandomSource) {
        let alphabet = Array(#"0123456789-/,[]{}":\?%a"#.utf8) + [0, 0x80, 0xFF]
        let place = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        case 1: bytes = Array(bytes[..<place])
        case 2 where place < bytes.count: bytes[place] = alphabet.randomElement(using: &generator) ?? 0
        case 3 where place < bytes.count: bytes.remove(at: place)
        default: bytes += seeds.randomElement(using: &generator) ?? []
        }
    }

    @Test(arguments: EngineIO.Revision.allCases, ["/", "/admin"])
    func `the client survives twenty thousand hostile frames`(revision: EngineIO.Revision, namespace: String) {
        var generator = RandomSource(seed: 42)
        var now: Int64 = 0
        var joins = 0
        var client = ClientTranscript(revision, namespace: namespace)
        for _ in 0..<20_000 {
            if client.machine.deadline == nil || Int.random(in: 0..<50, using: &generator) == 0 {
                client = ClientTranscript(revision, namespace: namespace, openedAt: now)
                _ = client.receive(openPacket, at: now)
                if Bool.random(using: &generator) {
                    _ = client.receive(namespace == "/" ? #"40{"sid":"s"}"# : #"40/admin,{"sid":"s"}"#, at: now)
                }
                _ = client.emit("ask", nil, wantsAck: true)
            }
            now += Int64.random(in: 0...2000, using: &generator)
            let lines = client.receive(Self.frame(using: &generator), at: now)
            if lines.contains(where: { $0.hasPrefix("connected") }) {
                // The answer releases the waiting events; no other frame has more effects than this.
                joins += 1
            } else {
                #expect(lines.count <= 3, "\(lines)")
            }
            #expect(client.advance(to: now).count <= 3)
        }
        #expect(joins > 0)
    }

    @Test(arguments: EngineIO.Revision.allCases)
    func `the server survives thousands of hostile frames`(revision: EngineIO.Revision) {
        var generator = RandomSource(seed: 43)
        var now: Int64 = 0
        var events = 0
        var server = ServerTranscript.joined(revision)
        for _ in 0..<5_000 {
            if server.machine.deadline == nil {
                now = 0
                server = ServerTranscript.joined(revision)
                _ = server.run { _ = $0.emit("ask", arguments: nil, wantsAck: true, into: &$1) }
            }
            now += Int64.random(in: 0...2000, using: &generator)
            let frame = Self.frame(using: &generator)
            let lines = server.run { $0.receive(frame, at: ms(now), into: &$1) }
            events += lines.count { $0.hasPrefix("event") }
            #expect(lines.count <= 2, "\(lines)")
            #expect(server.advance(to: now).count <= 2)
        }
        #expect(events > 25)
    }

    @Test func `a value nested up to the limit is delivered, and one level more is refused`() {
        func nested(_ depth: Int) -> String {
            "42[\"x\"," + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "]"
        }
        for limit in [8, 1024] {
            var client = ClientTranscript.joined(.v4, depth: limit)
            #expect(client.receive(nested(limit - 1)).first?.hasPrefix("event / x [") == true)
            let refused = client.receive(nested(limit))
            #expect(refused.count == 1 && refused[0].contains("nested \(limit + 1) levels deep; the limit is \(limit)"))
        }
        // Like the JavaScript server, this one accepts any depth that it can pass on.
        var server = ServerTranscript.joined(.v4)
        #expect(server.receive(nested(20_000)).first?.hasPrefix("event / x [[") == true)
    }

    @Test func `a frame of five megabytes and a deeply nested one do not trap`() {
        var client = ClientTranscript.joined(.v4)
        let large = #"42["x",""# + String(repeating: "é", count: 2_500_000) + "\"]"
        #expect(client.receive(large).first?.hasPrefix("event / x ") == true)
        let deep = "42[\"x\"," + String(repeating: "[", count: 100_000)
        #expect(client.receive(deep).first?.contains("deep") == true)
        let query = "40/admin?" + String(repeating: "a&b=%zz&", count: 10_000)
        var server = ServerTranscript.joined(.v3)
        #expect(server.receive(query).last == #"connected /admin {"a":"","b":"%zz"}"#)
    }
}

import Testing
import TestSupport
import WeirThreads
import WeirWire

@testable import WeirNetwork

/// Bytes that a server sends directly after its answer to the upgrade, and the expected outcome in the client.
private struct LiveCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The bytes of the frame in hexadecimal.
    var bytes: String
    var messages: [WebSocketMessage] = []
    /// The close code that the client reports. `libraryCode` is the code in libwebsockets' framing if it differs.
    var code: UInt16
    var libraryCode: UInt16?
    /// Whether to skip libwebsockets, which accepts these bytes or waits for more.
    var isForOwnOnly = false
    /// The client's frames as the server prints them, one per line.
    var seen: [String] = []

    static let all: [LiveCase] = [
        LiveCase(
            testDescription: "text, a ping in a text of two pieces, and a close",
            bytes: "810161 010162 890107 800163 8803 03e8 21",
            messages: [.text("a"), .text("bc")], code: 1000, seen: ["frame 10 07", "frame 8 03e821"]),
        LiveCase(
            testDescription: "a binary message of 200 bytes in one of five",
            bytes: "827e00c8" + String(repeating: "00", count: 200) + "8800",
            messages: [.binary(ArraySlice([UInt8](repeating: 0, count: 200)))], code: 1005, seen: ["frame 8 "]),
        LiveCase(
            testDescription: "service restart", bytes: "8802 03f4", code: 1012, libraryCode: 1002,
            seen: ["frame 8 03f4"]),
        LiveCase(
            testDescription: "a close in a message", bytes: "010161 8802 0fa1", code: 4001, seen: ["frame 8 0fa1"]),
        LiveCase(
            testDescription: "an unknown opcode", bytes: "830161", code: 1002, libraryCode: 1006, seen: ["frame 8 03ea"]
        ),
        LiveCase(
            testDescription: "reserved bits", bytes: "c10161", code: 1002, libraryCode: 1006, seen: ["frame 8 03ea"]),
        LiveCase(
            testDescription: "a masked frame", bytes: "8181 00000000 61", code: 1002, isForOwnOnly: true,
            seen: ["frame 8 03ea"]),
        LiveCase(
            testDescription: "a ping in pieces", bytes: "0900", code: 1002, libraryCode: 1006, seen: ["frame 8 03ea"]),
        LiveCase(
            testDescription: "nothing to continue", bytes: "800161", code: 1002, libraryCode: 1006,
            seen: ["frame 8 03ea"]),
        LiveCase(
            testDescription: "text that is not UTF-8, behind one that is", bytes: "810161 8102c328",
            messages: [.text("a")],
            code: 1007, seen: ["frame 8 03ef"]),
        LiveCase(
            testDescription: "text that breaks off within a character", bytes: "0102e282 800161", code: 1007,
            seen: ["frame 8 03ef"]),
        LiveCase(
            testDescription: "more than is taken", bytes: "827f0000000000100001", code: 1009, isForOwnOnly: true,
            seen: ["frame 8 03f1"]),
        LiveCase(testDescription: "a close code there is none", bytes: "8802 03ed", code: 1002, seen: ["frame 8 03ea"]),
    ]
}

@Suite(.bothFramings) struct WebSocketPeerTests {
    @Test("Bytes sent directly after the answer to the upgrade are parsed correctly", arguments: LiveCase.all)
    fileprivate func cases(one: LiveCase) throws {
        if one.isForOwnOnly, BothFramings.current != .own { return }
        let peer = try Peer(["python3", peersFolder + "/frames_peer.py", one.bytes])
        defer { peer.stop() }
        let port = try peer.listeningPort()
        let isOwn = BothFramings.current == .own
        try withLoop { loop in
            let url = URLParts(scheme: "ws", host: "127.0.0.1", port: port)
            let client = try TestClient(loop, WebSocketRequest(url: url, maximumMessage: 1 << 20))
            let code = client.close()?.code
            #expect(code == (isOwn ? one.code : one.libraryCode ?? one.code))
            #expect(received(client.events.all) == one.messages)
            if isOwn {
                var seen: [String] = []
                while let line = peer.readLine(), line != "end" { seen.append(line) }
                #expect(seen.count == one.seen.count)
                for (line, expected) in zip(seen, one.seen) { #expect(line.hasPrefix(expected), "\(seen)") }
            }
        }
    }
}

@Suite(.bothFramings) struct BrokenFrameTests {
    @Test func `a protocol violation is reported in words, even if the server never answers our close`() throws {
        // Skips the library, which closes with its own words.
        guard BothFramings.current == .own else { return }
        let peer = try Peer(["python3", peersFolder + "/frames_peer.py", "810161 8102c328", "deaf"])
        defer { peer.stop() }
        let port = try peer.listeningPort()
        try withLoop { loop in
            let url = URLParts(scheme: "ws", host: "127.0.0.1", port: port)
            let client = try TestClient(loop, WebSocketRequest(url: url))
            let close = client.close()
            #expect(close?.code == 1007)
            #expect(close?.reason == "text is not UTF-8")
            #expect(close?.retry == .atOnce)
            #expect(received(client.events.all) == [.text("a")])
        }
    }

    @Test func `an HTTP answer in place of frames is reported with the server's message`() throws {
        guard BothFramings.current == .own else { return }
        let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 13\r\n\r\n\"not allowed\""
        let hexadecimal = answer.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let peer = try Peer(["python3", peersFolder + "/frames_peer.py", hexadecimal, "deaf"])
        defer { peer.stop() }
        let port = try peer.listeningPort()
        try withLoop { loop in
            let client = try TestClient(
                loop, WebSocketRequest(url: URLParts(scheme: "ws", host: "127.0.0.1", port: port)))
            let close = client.close()
            #expect(close?.code == 1002 && close?.retry == .never)
            #expect(close?.reason == "HTTP status 403: not allowed")
        }
    }
}

/// Tests against node's package `ws` with the compression that it negotiates.
@Suite(.enabled(if: nodePackages != nil, "node's ws is not installed: run Tests/run")) struct CompressionPeerTests {
    /// The permessage-deflate options of `ws`.
    static let options = [
        #"{"threshold":0}"#, #"{"threshold":0,"serverNoContextTakeover":true,"clientNoContextTakeover":true}"#,
        #"{"threshold":0,"serverMaxWindowBits":9,"clientMaxWindowBits":10}"#, #"{"threshold":100000}"#,
    ]

    private func peer(_ arguments: [String]) throws -> Peer {
        try Peer(
            ["node", peersFolder + "/deflate_node.js"] + arguments,
            environment: ["NODE_PATH": try #require(nodePackages)],
            errorsToo: true)
    }

    @Test("Every message round-trips with a compressing server", arguments: options)
    func server(options: String) throws {
        let peer = try peer(["server", options])
        let port = try peer.listeningPort()
        try withLoop { loop in
            var request = WebSocketRequest(url: URLParts(scheme: "ws", host: "127.0.0.1", port: port))
            request.framing = .own
            request.offersCompression = true
            let client = try TestClient(loop, request)
            let messages = (0..<400).map { number in
                number % 3 == 0
                    ? WebSocketMessage.binary(ArraySlice([UInt8](repeating: UInt8(number & 255), count: number * 20)))
                    : .text("\(number) " + String(repeating: "weir ü ", count: number))
            }
            client.waitForOpen()
            client.onLoop { client in for message in messages { client.send(message) } }
            #expect(client.messages(messages.count) == messages)
            client.onLoop { $0.close(WebSocketClose(code: 1000)) }
            #expect(client.close()?.code == 1000)
        }
        peer.stop()
    }

    @Test("Every message round-trips with a compressing client", arguments: options)
    func client(options: String) throws {
        try withLoop { loop in
            let server = try HTTPServer(on: loop, compresses: true, handler: TestHandler())
            let peer = try peer(["client", "ws://127.0.0.1:\(server.port)/", options, "2000"])
            let line = try #require(peer.readLine())
            #expect(line.hasPrefix("ok permessage-deflate"), "\(line)")
            #expect(peer.readLine() == "closed 1000")
            #expect(peer.wait() == 0)
            server.close()
        }
    }
}

import Testing
import Wire

@testable import Network

@Suite struct WebSocketTests {
    @Test("Messages of every size come back as they were sent", arguments: [false, true])
    func echo(secure: Bool) throws {
        let certificates = try Certificates.shared.get()
        try withLoop { loop in
            let handler = TestHandler()
            let server = try HTTPServer(
                on: loop, identity: secure ? certificates.good : nil, maximumMessage: 2 << 20, handler: handler)
            let client = try TestClient(
                loop,
                WebSocketRequest(
                    url: socketURL(server, secure: secure), trust: secure ? .file(certificates.authority) : .system))
            var sent: [WebSocketMessage] = []
            for size in [0, 1, 125, 126, 127, 4096, 65535, 65536, 65537, 200_000, 1 << 20] {
                sent.append(.binary(ArraySlice((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })))
                sent.append(.text(String(repeating: "é", count: size / 2)))
            }
            let messages = sent
            client.onLoop { client in for message in messages { client.send(message) } }
            #expect(client.messages(sent.count) == sent)
            server.close()
        }
    }
}

import Testing
import Wire

@testable import DemoServer

@Suite struct HandshakeTests {
    @Test(arguments: [
        ("/socket/", "EIO=3&transport=websocket", true, HandshakeVerdict.accepted(.v3)),
        ("/socket/", "EIO=4&transport=websocket&t=abc", true, .accepted(.v4)),
        ("/socket/more", "transport=websocket&EIO=4", true, .accepted(.v4)),
        ("/socket", "EIO=4&transport=websocket", true, .elsewhere),
        ("/socket.io/", "EIO=4&transport=websocket", true, .elsewhere),
        ("/socket/", "EIO=4&transport=polling", false, .refused(code: 0, message: "Transport unknown")),
        ("/socket/", "EIO=4", false, .refused(code: 0, message: "Transport unknown")),
        ("/socket/", "EIO=4&transport=websocket&sid=x", true, .refused(code: 1, message: "Session ID unknown")),
        ("/socket/", "EIO=4&transport=websocket", false, .refused(code: 3, message: "Bad request")),
        ("/socket/", "transport=websocket", true, .refused(code: 5, message: "Unsupported protocol version")),
        ("/socket/", "EIO=5&transport=websocket", true, .refused(code: 5, message: "Unsupported protocol version")),
    ])
    func `a handshake is judged as the JavaScript server judges it`(
        path: String, query: String, isUpgrade: Bool, verdict: HandshakeVerdict
    ) {
        #expect(HandshakeVerdict(method: "GET", path: path, query: query, isUpgrade: isUpgrade) == verdict)
    }
}

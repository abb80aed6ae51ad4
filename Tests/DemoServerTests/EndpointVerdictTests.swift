import Testing
import WeirWire

@testable import WeirDemoServer

@Suite struct EndpointVerdictTests {
    @Test(arguments: [
        ("GET", "/socket/", "EIO=3&transport=websocket", true, EndpointVerdict.opens(.v3, isBase64: false)),
        ("GET", "/socket/", "EIO=4&transport=websocket&t=abc", true, .opens(.v4, isBase64: false)),
        ("GET", "/socket/more", "transport=polling&EIO=3&b64=1", false, .opens(.v3, isBase64: true)),
        ("GET", "/socket/", "transport=polling&EIO=4&sid=", false, .opens(.v4, isBase64: false)),
        ("GET", "/socket", "EIO=4&transport=websocket", true, .elsewhere),
        ("GET", "/socket.io/", "EIO=4&transport=websocket", true, .elsewhere),
        ("GET", "/socket/", "EIO=4", false, .refused(.transportUnknown)),
        ("GET", "/socket/", "EIO=4&transport=webtransport", false, .refused(.transportUnknown)),
        ("GET", "/socket/", "EIO=4&transport=abc", true, .refused(.transportUnknown)),
        ("GET", "/socket/", "EIO=4&transport=polling&sid=x", false, .refused(.sessionUnknown)),
        ("GET", "/socket/", "EIO=4&transport=websocket&sid=x", true, .refused(.sessionUnknown)),
        ("POST", "/socket/", "EIO=4&transport=polling", false, .refused(.badHandshakeMethod)),
        ("OPTIONS", "/socket/", "EIO=4&transport=polling", false, .refused(.badHandshakeMethod)),
        ("GET", "/socket/", "EIO=4&transport=websocket", false, .refused(.badRequest)),
        ("GET", "/socket/", "EIO=4&transport=polling", true, .refused(.badRequest)),
        ("GET", "/socket/", "transport=websocket", true, .refused(.unsupportedVersion)),
        ("GET", "/socket/", "EIO=5&transport=websocket", true, .refused(.unsupportedVersion)),
        ("GET", "/socket/", "EIO=abc&transport=polling", false, .refused(.unsupportedVersion)),
        ("GET", "/socket/", "transport=polling&sid=p", false, .belongs(sid: "p")),
        ("PUT", "/socket/", "transport=polling&sid=p", false, .belongs(sid: "p")),
        ("GET", "/socket/", "transport=websocket&sid=p", true, .belongs(sid: "p")),
        ("GET", "/socket/", "transport=websocket&sid=p", false, .refused(.badRequest)),
        ("GET", "/socket/", "transport=polling&sid=w", false, .refused(.badRequest)),
        ("GET", "/socket/", "transport=websocket&sid=w", true, .belongs(sid: "w")),
    ])
    func `a request is judged as the JavaScript server judges it`(
        method: String, path: String, query: String, isUpgrade: Bool, verdict: EndpointVerdict
    ) {
        let transports: [String: EngineIOServerTransport.Transport] = ["p": .polling, "w": .webSocket]
        let judged = EndpointVerdict(
            method: method, path: path, query: query, isUpgrade: isUpgrade, endpoint: "/socket/"
        ) { transports[$0] }
        #expect(judged == verdict)
    }

    @Test(arguments: [("/socket/", "/socket/"), ("socket", "/socket/"), ("/a//b", "/a/b/"), ("/", "/"), ("", "/")])
    func `a path gets its slashes`(path: String, completed: String) {
        #expect(EndpointOptions(path: path).path == completed)
    }
}

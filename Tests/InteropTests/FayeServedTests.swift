import Glibc
import Testing
import TestSupport
import WeirDemoServer
import WeirNetwork
import WeirThreads
import WeirWire

/// Tests Ruby's Faye client against our Bayeux server.
@Suite(
    .serialized,
    .enabled(if: access("/usr/lib/ruby/vendor_ruby/faye.rb", R_OK) == 0, "run Tests/run to install ruby-faye"))
struct FayeServedTests {
    @Test(arguments: Bayeux.ConnectionType.allCases)
    func `Faye's own client subscribes, is refused with a wrong token, and receives its publications`(
        type: Bayeux.ConnectionType
    ) throws {
        let loop = try EventLoop(name: "weir-channels")
        defer { loop.shutDown() }
        let server = try ChannelServer(
            on: loop, token: Secret("token-1"), configuration: .init(timeout: .milliseconds(500)))
        defer { server.close() }
        let client = try Peer(["ruby", "\(peersFolder)/faye_client.rb", server.url, type.rawValue, "token-1"])
        var lines: [String] = []
        while let line = client.readLine() { lines.append(line) }
        #expect(client.wait() == 0, "\(lines)")
        #expect(lines.filter { $0.hasPrefix("message") } == ["message one", "message two", "message three"])
        #expect(lines.count { $0 == "published" } == 3)
        #expect(lines.contains("refused access token authentication failed"))
        #expect(!lines.contains("a message for somebody else"))
    }

    @Test(arguments: [
        (
            "GET", "message=%5B%7B%22channel%22%3A%22%2Fa%22%2C%22data%22%3A1%7D%5D&jsonp=__jsonp1__", "", 200,
            #"/**/__jsonp1__([{"channel":"/a","successful":true}]);"#
        ),
        ("GET", "message=%5B%5D&jsonp=alert(1)//", "", 400, ""),
        ("GET", "", "", 400, ""),
        ("POST", "", "{", 400, ""),
        ("POST", "", "[]", 200, "[]"),
        ("PUT", "", "[]", 405, ""),
    ])
    func `JSONP and malformed requests are answered as Faye answers them`(
        method: String, query: String, body: String, status: Int, answer: String
    ) async throws {
        let loop = try EventLoop(name: "weir-channels")
        let server = try ChannelServer(on: loop)
        let http = try HTTPClient(answeringOn: loop)
        defer {
            http.shutDown()
            server.close()
            loop.shutDown()
        }
        var url = try URLParts(parsing: server.url)
        (url.path, url.query) = ("/faye", query)
        let request = HTTPRequest(
            method: method, url: url, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        let response = await withCheckedContinuation { continuation in
            http.send(request) { continuation.resume(returning: $0) }
        }
        let got = try response.get()
        #expect(got.status == status)
        if status == 200 { #expect(String(decoding: got.body, as: UTF8.self) == answer) }
    }
}

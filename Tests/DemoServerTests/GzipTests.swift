import Testing
import TestSupport
import WeirNetwork

@testable import WeirDemoServer

@Suite struct GzipTests {
    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br", true), ("br;q=1.0, GZIP;q=0.8", true), ("deflate", false),
        ("gzip;q=0", false), ("gzip; q=0.0", false), ("xgzip", false), ("", false),
    ])
    func `gzip is used only if the client accepts it`(header: String, isTaken: Bool) {
        let request = ServerRequest(method: "GET", path: "/", headers: [("accept-encoding", header)])
        #expect(request.acceptsGzip == isTaken)
    }

    @Test func `without an Accept-Encoding header nothing is compressed`() {
        #expect(!ServerRequest(method: "GET", path: "/").acceptsGzip)
    }

    @Test func `a body of a kilobyte is compressed, and a smaller one is not`() async throws {
        try await withEcho(.engineIO) { client in
            let (query, _) = try await client.openPolling()
            for (size, isPacked) in [(1023, false), (1024, true), (100_000, true)] {
                let packet = "4" + String(repeating: "x", count: size - 1)
                _ = try await client.post(query, packet)
                let request = HTTPRequest(
                    url: try URLParts(parsing: client.url + "?" + query), headers: [("Accept-Encoding", "gzip")])
                let encodings = Mailbox<[String]>()
                client.http.send(request) { result in
                    let headers = (try? result.get().headers) ?? []
                    encodings.put(headers.filter { $0.name.lowercased() == "content-encoding" }.map(\.value))
                }
                // The JavaScript and Python clients check the contents.
                #expect(try await encodings.first() == (isPacked ? ["gzip"] : []))
            }
        }
    }
}

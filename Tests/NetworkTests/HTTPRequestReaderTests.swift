import Testing
import WeirWire

@testable import WeirNetwork

@Suite struct HTTPRequestReaderTests {
    @Test("Requests are parsed equally whole and byte by byte, and random changes are at most refused")
    func pieces() {
        var random = RandomSource(seed: 11)
        let text = Array(
            ("GET /a?b HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\nPOST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                + "PUT /d HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\nGET /e HTTP/1.0\r\n\r\n")
                .utf8)
        #expect(describe([text[...]]) == ["GET /a b ", "POST /c  abc", "PUT /d  xy", "GET /e  "])
        for _ in 0..<3000 {
            var bytes = text
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            #expect(describe([bytes[...]]) == describe(bytes.indices.map { bytes[$0...$0] }))
        }
    }

    @Test("A chunk line has at most 1024 bytes, and a head or a trailer 64 KiB, however the bytes arrive")
    func bounds() {
        let host = "POST / HTTP/1.1\r\nHost: h\r\n"
        let chunked = host + "Transfer-Encoding: chunked\r\n\r\n"
        func expect(_ text: String, _ expected: String, location: SourceLocation = #_sourceLocation) {
            let bytes = Array(text.utf8)
            #expect(describe([bytes[...]]) == [expected], sourceLocation: location)
            #expect(describe(bytes.indices.map { bytes[$0...$0] }) == [expected], sourceLocation: location)
        }
        func fill(_ text: String, to size: Int, _ end: String) -> String {
            text + String(repeating: "x", count: size - text.utf8.count - end.utf8.count) + end
        }
        let line = fill("2;", to: 1024, "\r")
        expect(chunked + line + "\nab\r\n0\r\n\r\n", "POST /  ab")
        expect(chunked + "2;x" + line.dropFirst(2) + "\nab\r\n0\r\n\r\n", "400 bad chunk")
        expect(fill(host + "X: ", to: 1 << 16, "") + "\r\n\r\n", "POST /  ")
        expect(fill(host + "X: ", to: 1 << 16 + 1, "") + "\r\n\r\n", "431 head too large")
        expect(chunked + "0\r\n" + fill("X: ", to: 1 << 16, "\r\n\r\n"), "POST /  ")
        expect(chunked + "0\r\n" + fill("X: ", to: 1 << 16 + 1, "\r\n\r\n"), "431 trailer too large")
    }

    private func describe(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var reader = HTTPRequestReader(maximumBody: 100)
        var seen: [String] = []
        for piece in pieces {
            piece.withUnsafeBytes { reader.append($0) }
            do throws(HTTPRequestReader.Refusal) {
                read: while true {
                    switch try reader.next() {
                    case .needsMore: break read
                    case .head, .wantsContinue: continue
                    case .request(let request):
                        let body = String(decoding: request.request.body, as: UTF8.self)
                        seen.append(
                            "\(request.request.method) \(request.request.path) \(request.request.query) \(body)")
                    }
                }
            } catch {
                seen.append("\(error.status) \(error.reason)")
                return seen
            }
        }
        return seen
    }
}

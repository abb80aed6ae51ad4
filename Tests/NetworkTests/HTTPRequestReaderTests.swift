import Testing

@testable import Network

@Suite struct HTTPRequestReaderTests {
    @Test("Requests are read the same whole and byte by byte; random changes are never more than refused")
    func pieces() {
        var random = SeededGenerator(state: 11)
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

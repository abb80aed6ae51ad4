import Testing
import WeirWire

@testable import WeirRecording

@Suite struct `Recordings in streams` {
    private func recording(lines: Int) throws -> [UInt8] {
        try RecordingTests.recording { writer in
            for number in 1...lines {
                let text = "42[\"x\",\(number)]" + String(repeating: " ", count: number % 97)
                try writer.append(
                    .frame(.init(connection: 1, direction: .in, message: .text(ArraySlice(text.utf8)))),
                    at: Moment(microseconds: Int64(number) * 1000), wall: testHead.wallStart + Int64(number) * 1000)
            }
        }
    }

    private func chunks(_ text: [UInt8], most: Int, piece: Int) -> [StreamChunk] {
        var cutter = ChunkCutter(recording: "r", most: most)
        var chunks: [StreamChunk] = []
        for start in stride(from: 0, to: text.count, by: piece) {
            chunks += cutter.append(text[start..<min(start + piece, text.count)])
        }
        if let last = cutter.flush() { chunks.append(last) }
        return chunks
    }

    @Test("Chunks are whole lines, together form the text, and each contains its position", arguments: [100, 5000])
    func cutting(piece: Int) throws {
        let text = try recording(lines: 500)
        let chunks = chunks(text, most: 2000, piece: piece)
        #expect(chunks.flatMap(\.text) == text)
        #expect(chunks.allSatisfy { $0.text.count <= 2000 && $0.text.last == 10 })
        #expect(chunks.map(\.offset) == chunks.reduce(into: [0]) { $0.append($0.last! + $1.text.count) }.dropLast())
        #expect(chunks.reduce(0) { $0 + $1.lines } == text.count { $0 == 10 })
        #expect(chunks[0].firstNumber == 1 && chunks[0].wall == testHead.wallStart)
        #expect(chunks[1].firstNumber > 1)
        #expect(chunks[1].wall == testHead.wallStart + Int64(chunks[1].firstNumber) * 1000)
        #expect(Set(chunks.map(\.id)).count == chunks.count)
    }

    @Test("A line longer than a chunk spans several chunks")
    func longLine() {
        let text = Array("{\"k\":\"\(String(repeating: "x", count: 5000))\"}\n{}\n".utf8)
        let chunks = chunks(text, most: 1000, piece: 700)
        #expect(chunks.flatMap(\.text) == text)
        #expect(chunks.allSatisfy { $0.text.count <= 1000 })
    }

    private func received(_ chunk: StreamChunk) -> StreamChunk.Received {
        let headers = Dictionary(uniqueKeysWithValues: zip(StreamChunk.headers, chunk.values))
        return StreamChunk.received(chunk.text) { headers[$0] }
    }

    @Test("A chunk arrives as sent, and a changed byte is detected")
    func headers() throws {
        let chunk = chunks(try recording(lines: 20), most: 4000, piece: 4000)[0]
        #expect(received(chunk) == .chunk(chunk))
        var changed = chunk.text
        changed[7] ^= 1
        let headers = Dictionary(uniqueKeysWithValues: zip(StreamChunk.headers, chunk.values))
        let found = StreamChunk.received(changed) { headers[$0] }
        #expect(found == .damaged(offset: 0, bytes: chunk.text.count))
        #expect(StreamChunk.received(chunk.text) { _ in nil } == .foreign)
    }

    private func text(of messages: [StreamChunk.Received], at offset: Int = 0) -> [UInt8] {
        var text = StreamText(at: offset)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 333)
        for message in messages {
            _ = text.append(message)
            while !text.isEmpty {
                let count = piece.withUnsafeMutableBytes { text.take(into: $0) }
                bytes += piece[..<count]
            }
        }
        return bytes
    }

    @Test("Repeated and foreign chunks are skipped, and a missing one becomes a line of its length")
    func joining() throws {
        let whole = try recording(lines: 300)
        let chunks = chunks(whole, most: 1500, piece: 1500)
        let messages = chunks.map(received)
        #expect(text(of: messages) == whole)
        #expect(text(of: messages.flatMap { [$0, $0, .foreign] }) == whole)
        #expect(text(of: messages, at: 1234) == Array(whole[1234...]))
        var holed = messages
        holed.remove(at: 2)
        holed[4] = .damaged(offset: chunks[5].offset, bytes: chunks[5].text.count)
        let found = text(of: holed)
        #expect(found.count == whole.count)
        let (first, second) = (chunks[2], chunks[5])
        #expect(found[first.offset..<first.end].dropLast().allSatisfy { $0 == UInt8(ascii: "?") })
        #expect(found[first.end - 1] == 10 && found[second.end - 1] == 10)
        #expect(found[first.end..<second.offset] == whole[first.end..<second.offset])
        #expect(found[second.end...] == whole[second.end...])
        var other = StreamText(of: "another")
        #expect(other.append(messages[0]) == .otherRecording("r"))
    }

    @Test("Addresses are parsed, and an invalid one is refused without repeating it")
    func addresses() throws {
        let address = try StreamAddress(parsing: "nats://a,b:77,[::1]:9/team/day")
        #expect(address.servers == ["a:4222", "b:77", "[::1]:9"])
        #expect(address.stream == "team" && address.name == "day")
        #expect(try StreamAddress(parsing: "nats://a/team").name == "team")
        #expect(try StreamAddress(parsing: "nats://a").stream == nil)
        #expect(try StreamAddress(parsing: "nats://a/team/").description == "nats://a:4222/team")
        let wrong = [
            "nats://", "nats://a:0/s", "nats://a/s.t", "nats://a/s/t/u", "nats://a/s//", "nats://ann:secret@a/s",
            "nats://a:secret/s", "http://a",
        ]
        for text in wrong {
            let error = #expect(throws: StreamAddress.Malformed.self, "\(text)") {
                _ = try StreamAddress(parsing: text)
            }
            #expect(error?.message.contains("secret") != true)
        }
    }

    @Test("The public key of a seed equals that in the documentation")
    func keys() {
        let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
        let name = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
        #expect(NKey.publicKey(ofSeed: Secret(seed)) == name)
        #expect(NKey.publicKey(ofSeed: Secret(seed.replacing("3VY", with: "3VX"))) == nil)
        #expect(NKey.publicKey(ofSeed: Secret(name)) == nil)
    }
}

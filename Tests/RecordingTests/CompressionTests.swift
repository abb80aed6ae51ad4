import Glibc
import Testing
import WeirJSON
import WeirWire

@testable import WeirRecording

@Suite struct `Compressed recordings` {
    /// A recording of some chunks.
    private func sample(records: Int = 60) throws -> [UInt8] {
        var generator = RecordGenerator(seed: 11)
        return try recording { writer in
            for index in 0..<records {
                try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 150_000), wall: 0)
            }
        }
    }

    private func compressed(_ bytes: [UInt8], in folder: String) throws -> String {
        try write(bytes, to: folder + "/plain.weir.jsonl")
        _ = try RecordingCompressor.compress(folder + "/plain.weir.jsonl", to: folder + "/x.weir.jsonl.zst")
        return folder + "/x.weir.jsonl.zst"
    }

    private func allEntries(of path: String) throws -> [RecordingReader.Entry] {
        var reader = try RecordingReader(opening: path)
        var entries: [RecordingReader.Entry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return entries
    }

    private func table(of file: [UInt8]) -> SeekTable? {
        let footer = file[(file.count - SeekTable.footer)...]
        guard let length = SeekTable.length(footer: footer.span) else { return nil }
        return decoded(file[(file.count - length)...], fileSize: file.count)
    }

    // `#expect` cannot take a span.
    private func decoded(_ table: ArraySlice<UInt8>, fileSize: Int) -> SeekTable? {
        SeekTable(decoding: table.span, fileSize: fileSize)
    }

    private func text(of frame: ArraySlice<UInt8>) -> [UInt8]? { Zstd.text(ofFrame: frame.span, limit: 1 << 24) }

    /// The output of a shell command.
    private func output(of command: String) throws -> [UInt8] {
        let pipe = try #require(popen(command, "r"))
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, pipe)
            if count == 0 { break }
            bytes += part[..<count]
        }
        #expect(pclose(pipe) == 0, "\(command)")
        return bytes
    }

    @Test func `a compressed file decompresses to the original text, with zstd and with every reader`() throws {
        try withTemporaryFolder { folder in
            let bytes = try sample()
            let path = try compressed(bytes, in: folder)
            #expect(try output(of: "zstd -dcq \(path)") == bytes)
            #expect(try allEntries(of: path) == entries(of: bytes))
            let size = try contents(of: path).count
            #expect(size < bytes.count)
        }
    }

    @Test func `every chunk is a frame of its own, and the seek table contains its position`() throws {
        try withTemporaryFolder { folder in
            let bytes = try sample()
            let file = try contents(of: try compressed(bytes, in: folder))
            let table = try #require(self.table(of: file))
            var text: [UInt8] = []
            var place = 0
            for frame in table.frames {
                let one = try #require(self.text(of: file[place..<place + frame.compressed]))
                #expect(one.count == frame.text)
                text += one
                place += frame.compressed
            }
            #expect(text == bytes)
            let syncs = try entries(of: bytes).count { if case .record(.sync, _) = $0 { true } else { false } }
            #expect(syncs > 3)
            #expect(table.frames.count == syncs + 1)
        }
    }

    @Test
    func
        `zstd and gzip recordings are recognised by content, in a file and in a pipe`()
        throws
    {
        try withTemporaryFolder { folder in
            let bytes = try sample()
            let expected = try entries(of: bytes)
            let path = folder + "/x.weir.jsonl"
            try write(bytes, to: path)
            for command in ["zstd -q -19", "zstd -q --no-check --no-content-size", "gzip -1", "cat"] {
                _ = try output(of: "\(command) < \(path) > \(folder)/y.weir.jsonl")
                #expect(try allEntries(of: folder + "/y.weir.jsonl") == expected)
            }
            _ = try output(of: "(head -c 3000 \(path) | gzip; tail -c +3001 \(path) | gzip) > \(folder)/two.gz")
            #expect(try allEntries(of: folder + "/two.gz") == expected)
            let pipe = try #require(popen("zstd -qc \(path)", "r"))
            var reader = try RecordingReader(reading: fileno(pipe), name: "pipe")
            var read: [RecordingReader.Entry] = []
            while let entry = try reader.next() { read.append(entry) }
            #expect(pclose(pipe) == 0)
            #expect(read == expected)
        }
    }

    @Test func `a file cut anywhere yields the records of its complete frames, and is reported as cut`() throws {
        try withTemporaryFolder { folder in
            let bytes = try sample(records: 30)
            let whole = try contents(of: try compressed(bytes, in: folder))
            let expected = records(try entries(of: bytes))
            for cut in stride(from: 1, to: whole.count - 1, by: whole.count / 60) {
                try write(Array(whole[..<cut]), to: folder + "/cut")
                guard let read = try? allEntries(of: folder + "/cut") else { continue }
                let found = records(read)
                #expect(Array(expected.prefix(found.count)) == found)
                let isTold = read.contains { if case .tornTail = $0 { true } else { false } }
                // A cut between two frames is detected by the missing end.
                #expect(
                    isTold || read.last.map { if case .record(.sync, _) = $0 { true } else { false } } == true
                        || found == expected)
            }
        }
    }

    @Test func `a damaged frame loses only its chunk, and the damage is reported`() throws {
        try withTemporaryFolder { folder in
            let bytes = try sample()
            let path = try compressed(bytes, in: folder)
            let file = try contents(of: path)
            let table = try #require(self.table(of: file))
            let all = records(try entries(of: bytes))
            var start = table.frames[0].compressed
            for (number, frame) in table.frames.enumerated().dropFirst() {
                var damaged = file
                damaged[start + 12 + (frame.compressed - 12) / 2] ^= 0x40
                try write(damaged, to: folder + "/damaged")
                let read = try allEntries(of: folder + "/damaged")
                let isTold = read.contains { entry in
                    switch entry {
                    case .damage, .tornTail: true
                    case .record, .discontinuity, .checksumMismatch, .displacement: false
                    }
                }
                #expect(isTold, "frame \(number)")
                let lost = all.count - records(read).filter { all.contains($0) }.count
                let text = try #require(self.text(of: file[start..<start + frame.compressed]))
                #expect(lost <= lines(of: text).count, "frame \(number)")
                start += frame.compressed
            }
        }
    }

    @Test func `a seek table that does not match the file is ignored`() {
        var table = SeekTable()
        table.append(compressed: 100, text: 1000)
        table.append(compressed: 50, text: 400)
        let bytes = table.encoded ?? []
        #expect(decoded(bytes[...], fileSize: 150 + bytes.count) == table)
        #expect(decoded(bytes[...], fileSize: 151 + bytes.count) == nil)
        for place in bytes.indices where !(8..<24).contains(place) {
            var wrong = bytes
            wrong[place] ^= 1
            // The format leaves the lowest flag unused.
            if place == bytes.count - 5 { continue }
            #expect(decoded(wrong[...], fileSize: 150 + bytes.count) == nil, "byte \(place)")
        }
    }

    @Test func `a position in a compressed file is found with the seek table or without it`() throws {
        try withTemporaryFolder { folder in
            let bytes = try sample()
            let path = try compressed(bytes, in: folder)
            _ = try output(
                of:
                    "gzip -c \(folder)/plain.weir.jsonl > \(folder)/x.gz; zstd -qc \(folder)/plain.weir.jsonl > \(folder)/y.zst"
            )
            let expected = try RecordingIndex(of: bytes)
            for path in [path, folder + "/x.gz", folder + "/y.zst"] {
                let index = try RecordingIndex(ofFile: path)
                #expect(index.chunks == expected.chunks)
                for chunk in index.chunks.indices.reversed() {
                    var reader = try RecordingReader(opening: path)
                    var plain = try RecordingReader(bytes: bytes)
                    try reader.move(to: index.place(ofChunk: chunk))
                    try plain.move(to: index.place(ofChunk: chunk))
                    for _ in 0..<5 { #expect(try reader.next() == plain.next()) }
                }
            }
        }
    }

    @Test func `a frame that needs more memory than allowed is damage`() throws {
        try withTemporaryFolder { folder in
            // A frame header that requests a window of 2 GiB (RFC 8878, 3.1.1.1.2), and the empty last block.
            let head: [UInt8] = Zstd.magic + [0x00, UInt8(21 << 3)] + [0x01, 0x00, 0x00]
            var file = head
            try Zstd.appendFrame(of: try sample()[...], to: &file)
            try write(file, to: folder + "/x")
            #expect(throws: RecordingError.self) { _ = try RecordingReader(opening: folder + "/x") }
            let bytes = try sample()
            try Zstd.appendFrame(of: bytes[...], to: &file)
            file = []
            try Zstd.appendFrame(of: bytes[...], to: &file)
            try write(file + head, to: folder + "/y")
            let read = try allEntries(of: folder + "/y")
            #expect(records(read) == records(try entries(of: bytes)))
            #expect(read.count == (try entries(of: bytes)).count + 1)
        }
    }
}

import Glibc
import Testing
import WeirJSON
import WeirWire

@Suite struct `The reader and simdjson agree on the verdict and the values` {
    @Test func `The readers agree on texts like those Twake sends`() throws {
        for text in TwakeDocuments.all { #expect(try compare(text)) }
    }

    @Test func `The readers agree on every file in samples, read whole and line by line`() throws {
        for path in SampleFiles.paths {
            let bytes = try #require(SampleFiles.contents(of: path), "\(path)")
            try compare(bytes)
            for line in bytes.split(separator: UInt8(ascii: "\n")) { try compare(Array(line)) }
        }
    }

    @Test func `The readers agree on ten thousand mutations`() throws {
        var mutation = Mutation(random: RandomSource(seed: 20_210_514))
        var accepted = 0
        for i in 0..<10_000 {
            let document = TwakeDocuments.all[i % TwakeDocuments.all.count]
            if try compare(mutation.of(document)) { accepted += 1 }
        }
        // Both verdicts must be common; otherwise the test would prove little.
        #expect(1_667...8_333 ~= accepted)
    }

    @Test func `The readers agree on every truncation`() throws {
        for document in TwakeDocuments.all {
            for length in 0..<document.count { try compare(Array(document.prefix(length))) }
        }
    }

    @Test func `The readers agree on thousands of random texts and their mutations`() throws {
        var mutation = Mutation(random: RandomSource(seed: 4))
        var accepted = 0
        for seed in 0..<3_000 as Range<UInt64> {
            let text = RandomText.document(seed: seed)
            if try compare(text) { accepted += 1 }
            try compare(mutation.of(text))
        }
        #expect(accepted == 3_000)
    }

    @Test func `The readers agree on random numbers to the last bit`() throws {
        var generator = RandomText(random: RandomSource(seed: 17))
        var accepted = 0
        for _ in 0..<10_000 {
            generator.text = []
            generator.number()
            if try compare(generator.text) { accepted += 1 }
        }
        #expect(accepted == 10_000)
    }

    @Test func `The readers agree on the writer's output, which reads back as the same value`() throws {
        var generator = RandomValue(random: RandomSource(seed: 99))
        var plain = JSONWriter()
        var ascii = JSONWriter(asciiOnly: true)
        for _ in 0..<2_000 {
            let value = generator.value()
            plain.reset()
            plain.value(value)
            ascii.reset()
            ascii.value(value)
            for bytes in [plain.bytes, ascii.bytes] {
                #expect(try JSONValue(parsing: bytes[...]) == value)
                #expect(try compare(bytes))
            }
            #expect(ascii.bytes.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func `The readers agree on texts made inert, which keep their values`() throws {
        var writer = JSONWriter()
        for seed in 10_000..<12_000 as Range<UInt64> {
            let text = RandomText.document(seed: seed)
            guard let raw = try? RawJSON(checking: text[...]) else { continue }
            writer.reset()
            writer.inertRaw(raw)
            #expect(Oracle.dump(writer.bytes) == Oracle.dump(text))
            #expect(!writer.bytes.contains { $0 < 0x20 || $0 == 0x7F })
        }
    }
}

/// The files under `samples/` that contain JSON, as a whole or line by line.
enum SampleFiles {
    static var paths: [String] {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        return files(in: root + "/samples").filter { path in
            [".json", ".jsonl", ".weir"].contains { path.hasSuffix($0) }
        }
    }

    private static func files(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var files: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            let path = folder + "/" + name
            let below = Self.files(in: path)
            files += below.isEmpty ? [path] : below
        }
        return files.sorted()
    }

    static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return ferror(file) == 0 ? bytes : nil }
            bytes += chunk.prefix(count)
        }
    }
}

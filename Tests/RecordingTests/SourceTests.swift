import Glibc
import Testing
import WeirWire

@testable import WeirRecording

/// Tests for the sources of a recording.
@Suite struct `Sources` {
    @Test func `a pipe yields the same entries as memory while it is being written`() throws {
        var generator = RecordGenerator(seed: 21)
        let bytes = try recording { writer in
            for index in 0..<1_500 {
                try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 9_000), wall: 0)
            }
        }
        let ends = try makePipe(waits: true)
        defer { close(ends.output) }
        let input = ends.input
        var thread = pthread_t()
        let feeder = Unmanaged.passRetained(Feeder(bytes: bytes, descriptor: input))
        #expect(pthread_create(&thread, nil, Feeder.run, feeder.toOpaque()) == 0)
        var reader = try RecordingReader(reading: ends.output, name: "pipe")
        var read: [RecordingReader.Entry] = []
        while let entry = try reader.next() { read.append(entry) }
        #expect(pthread_join(thread, nil) == 0)
        #expect(read == (try entries(of: bytes)))
    }

    @Test func `a dash means standard input`() throws {
        // The test's own standard input is not a recording; only opening it matters.
        let source = try ByteSource(opening: "-")
        #expect(source.path == "standard input")
    }

    @Test func `writing to standard output that does not block waits for its reader`() async throws {
        let ends = try makePipe(waits: false)
        let output = ends.output
        let reading = Task.detached {
            var (count, buffer) = (0, [UInt8](repeating: 0, count: 1 << 16))
            while true {
                let got = read(output, &buffer, buffer.count)
                if got == 0 { return count }
                count += max(got, 0)
                var watched = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
                poll(&watched, 1, -1)
            }
        }
        var bytes = [UInt8](repeating: 7, count: 1 << 20)
        do {
            let file = AppendFile(descriptor: ends.input, path: "standard output")
            try file.write(&bytes)
        }
        #expect(bytes.isEmpty)
        #expect(await reading.value == 1 << 20)
        close(output)
    }

    @Test func `a non-blocking pipe is waited for`() throws {
        let bytes = try recording { try $0.append(.token(.init(renewed: true)), at: .zero, wall: 0) }
        let ends = try makePipe(waits: false)
        defer { close(ends.output) }
        var thread = pthread_t()
        let feeder = Unmanaged.passRetained(Feeder(bytes: bytes, descriptor: ends.input))
        #expect(pthread_create(&thread, nil, Feeder.run, feeder.toOpaque()) == 0)
        var reader = try RecordingReader(reading: ends.output, name: "pipe")
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(pthread_join(thread, nil) == 0)
        #expect(count == 4)
    }

    @Test func `a file yields the same entries as memory`() throws {
        var generator = RecordGenerator(seed: 22)
        let bytes = try recording { writer in
            for index in 0..<3_000 {
                try writer.append(generator.record(), at: Moment(microseconds: Int64(index) * 9_000), wall: 0)
            }
        }
        try withTemporaryFolder { folder in
            let path = folder + "/x.weir.jsonl"
            try write(bytes, to: path)
            var reader = try RecordingReader(opening: path)
            var read: [RecordingReader.Entry] = []
            while let entry = try reader.next() { read.append(entry) }
            #expect(read == (try entries(of: bytes)))
        }
    }
}

/// Writes bytes into a pipe in uneven pieces on its own thread, and closes it.
private final class Feeder: Sendable {
    private let bytes: [UInt8]
    private let descriptor: Int32

    init(bytes: [UInt8], descriptor: Int32) {
        self.bytes = bytes
        self.descriptor = descriptor
    }

    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        if let argument { Unmanaged<Feeder>.fromOpaque(argument).takeRetainedValue().feed() }
        return nil
    }

    private func feed() {
        var random = RandomSource(seed: 3)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...70_000, using: &random))
            let count = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) }
        }
        close(descriptor)
    }
}

import Glibc
import WeirJSON
import WeirLive
import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

/// Checks that reading a damaged recording ends, that its index leads to readable places, and that reading from the
/// first place yields everything.
func fuzzRecording(_ input: ArraySlice<UInt8>) {
    let bytes = Array(input)
    guard let whole = try? entries(of: RecordingReader(bytes: bytes), from: nil),
        let index = try? RecordingIndex(of: bytes)
    else { return }
    for chunk in index.chunks.indices {
        let rest = try? entries(of: RecordingReader(bytes: bytes), from: index.place(ofChunk: chunk))
        if chunk == 0, index.origin == .scan {
            require(rest == whole, "what is read from the first place is not everything")
        }
    }
}

/// Performs the same checks on a damaged compressed file, whatever its seek table contains.
func fuzzCompressed(_ input: ArraySlice<UInt8>) {
    let file = ScratchFile("compressed.weir.jsonl", input)
    guard let whole = try? entries(of: RecordingReader(opening: file.path), from: nil),
        let index = try? RecordingIndex(ofFile: file.path)
    else { return }
    for chunk in index.chunks.indices.prefix(16) {
        let rest = try? entries(of: RecordingReader(opening: file.path), from: index.place(ofChunk: chunk))
        if chunk == 0 { require(rest == whole, "what is read from the first place is not everything") }
    }
}

private func entries(
    of reader: consuming RecordingReader, from place: RecordingReader.Place?
) throws(RecordingError) -> [RecordingReader.Entry] {
    var reader = reader
    if let place { try reader.move(to: place) }
    var entries: [RecordingReader.Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
}

/// Checks that an import yields a valid recording, and that exporting and importing it again yields the same messages.
/// The first byte selects the format.
func fuzzConversion(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let format = ForeignFormat.allCases[Int(choice) % ForeignFormat.allCases.count]
    let foreign = ScratchFile("foreign", input.dropFirst())
    let recording = ScratchFile("imported.weir.jsonl")
    let options = ImportOptions(tool: "weir-fuzz")
    guard
        (try? RecordingConversion.import(
            foreign.path, from: format, to: ToolDestination(path: recording.path), options)) != nil
    else { return }
    do {
        checkWhole([recording.path])
        let written = ScratchFile("exported")
        _ = try RecordingConversion.export(
            recording.path, as: format, to: ToolDestination(path: written.path), tool: "weir-fuzz"
        ) { _, problem in fatalError("a new recording is read with a problem: \(problem.message)") }
        let messages = try frames(of: recording.path)
        let again = ScratchFile("again.weir.jsonl")
        _ = try RecordingConversion.import(written.path, from: format, to: ToolDestination(path: again.path), options)
        require(try messages == frames(of: again.path), "what was written is read as other messages")
    } catch {
        fatalError("\(error)")
    }
}

/// Checks that a replay of any imported capture reaches its end. The first byte selects the format, the second the
/// backend.
func fuzzCaptured(_ input: ArraySlice<UInt8>) {
    let choices = input.prefix(2).map { Int($0) }
    guard choices.count == 2 else { return }
    let foreign = ScratchFile("foreign", input.dropFirst(2))
    let recording = ScratchFile("captured.weir.jsonl")
    let backends = Configuration.BackendKind.allCases
    guard
        (try? RecordingConversion.import(
            foreign.path, from: ForeignFormat.allCases[choices[0] % ForeignFormat.allCases.count],
            to: ToolDestination(path: recording.path),
            ImportOptions(backend: backends[choices[1] % backends.count], tool: "weir-fuzz"))) != nil
    else { return }
    do {
        let summary = try Replay(ReplayConfiguration([recording.path]), outlets: []).play()
        require(summary.outcome == .limitReached, "a replay ends early: \(summary.outcome)")
    } catch {
        fatalError("\(error)")
    }
}

/// Checks that a repaired recording is valid and contains everything that was readable.
func fuzzRepair(_ input: ArraySlice<UInt8>) {
    let damaged = ScratchFile("damaged.weir.jsonl", input)
    guard let before = try? recordsRead(damaged.path) else { return }
    let repaired = ScratchFile("repaired.weir.jsonl")
    do {
        let report = try RecordingRepair.repair(damaged.path, to: ToolDestination(path: repaired.path))
        for path in report.aside { unlink(path) }
        checkWhole([repaired.path])
        require(
            try isPart(before, of: recordsRead(repaired.path)),
            "a record that could be read is not in the repaired recording")
    } catch {
        fatalError("\(error)")
    }
}

/// Checks that tools make valid recordings from a valid one: a part of it, a selection of kinds, a compressed copy, and
/// segments, which can be merged to the original. The first two bytes select the part, and the rest is the recorded
/// session.
func fuzzTools(_ input: ArraySlice<UInt8>) {
    let choices = input.prefix(2).map { Int($0) }
    guard choices.count == 2, let session = FuzzedSession(input.dropFirst(2)) else { return }
    let whole = ScratchFile("whole.weir.jsonl")
    let made = ScratchFile("made.weir.jsonl")
    let destination = ToolDestination(path: made.path, replaces: true)
    do {
        try session.record(at: whole.path)
        let records = try recordsRead(whole.path)
        checkWhole([whole.path])

        let span = RecordingSpan(start: .record(1 + choices[0] % 32), end: .record(1 + choices[1] % 64))
        do {
            _ = try RecordingCopy.cut(whole.path, span, ripples: choices[0] & 32 != 0, to: destination)
            checkWhole([made.path])
        } catch RecordingError.unusable {
            // A part without records is rejected.
        }

        var selection = RecordSelection()
        selection.kinds.excluded = [kinds[choices[0] % kinds.count]]
        _ = try RecordingCopy.filter(whole.path, selection, to: destination)
        checkWhole([made.path])

        let compressed = ScratchFile("made.weir.jsonl.zst")
        _ = try RecordingCopy.compress(whole.path, to: ToolDestination(path: compressed.path))
        require(try records == recordsRead(compressed.path), "a compressed recording is another one")

        try checkSplit(whole.path, records, into: 1 + choices[1] % 16, destination)
    } catch {
        fatalError("\(error)")
    }
}

/// The kinds of records that a session consists of.
private let kinds = ["conn", "f", "http", "sub", "token", "act", "mem"]

private func checkSplit(
    _ path: String, _ records: [Record], into size: Int, _ destination: ToolDestination
) throws(RecordingError) {
    let (paths, _) = try RecordingSplit.split(path, by: .records(size), to: path, replaces: true)
    defer { for path in paths { unlink(path) } }
    checkWhole(paths)
    guard paths.count <= RecordingMerge.mostFiles, let merged = destination.path else { return }
    _ = try RecordingMerge.merge(paths, to: destination)
    checkWhole([merged])
    require(try isPart(records, of: recordsRead(merged)), "segments that were merged lack a record")
}

/// Checks that the doctor finds no problem in the segments of a recording.
private func checkWhole(_ paths: [String]) {
    var doctor = RecordingDoctor()
    for path in paths {
        do {
            _ = try doctor.examine(path) { path, problem in fatalError("\(path) has a problem: \(problem.message)") }
        } catch {
            fatalError("\(error)")
        }
    }
}

/// Returns the records of a recording, without references to other records.
private func recordsRead(_ path: String) throws(RecordingError) -> [Record] {
    var reader = try RecordingReader(opening: path)
    var records: [Record] = []
    while let entry = try reader.next() {
        guard case .record(var record, _) = entry else { continue }
        switch record {
        case .http(var exchange):
            exchange.cause = nil
            record = .http(exchange)
        case .unknown(let kind, _): record = .unknown(kind: kind, text: RawJSON(unchecked: []))
        default: break
        }
        records.append(record)
    }
    return records
}

/// Returns the messages without their connections. JSON is written in the form that is safe for a terminal, as formats
/// that contain JSON do.
private func frames(of path: String) throws(RecordingError) -> [Record] {
    try recordsRead(path).compactMap { record in
        guard case .frame(var frame) = record else { return nil }
        frame.connection = 0
        if case .text(let text) = frame.message, let start = text.firstIndex(of: UInt8(ascii: "[")),
            let json = try? RawJSON(checking: text[start...])
        {
            var writer = JSONWriter()
            writer.inertRaw(json)
            frame.message = .text(text[..<start] + writer.bytes)
        }
        return .frame(frame)
    }
}

/// Returns whether all the records are among the others, in this order. Ignores the kinds that a repair creates.
private func isPart(_ records: [Record], of others: [Record]) -> Bool {
    var rest = others[...]
    for record in records {
        switch record {
        case .head, .sync, .index, .end, .state, .gap: continue
        default: break
        }
        guard let place = rest.firstIndex(of: record) else { return false }
        rest = rest[(place + 1)...]
    }
    return true
}

import WeirJSON
import WeirRecording
import WeirWire

/// Checks that a known secret never reaches a recording, in any spelling. There are three pieces that end with FF: the
/// secret, its spelling, and the text around it.
func fuzzRedaction(_ input: ArraySlice<UInt8>) {
    // A server may send any data, so the scrubber must handle all input.
    let scrubber = SecretScrubber()
    _ = scrubber.scrubbed(input).map { scrubber.scrubbed($0[...]) }
    let pieces = input.split(separator: 0xFF, maxSplits: 2, omittingEmptySubsequences: false)
    guard pieces.count == 3 else { return }
    let secret = String(decoding: pieces[0].prefix(64), as: UTF8.self)
    // Excludes secrets that could be part of their own replacement.
    guard secret.utf8.count >= 4, !"‹redacted›".contains(secret), !secret.contains("‹"), !secret.contains("›") else {
        return
    }
    let steps = pieces[1].prefix(3).compactMap { Spelling(rawValue: Int($0) % 4) }
    // Escaped text is not percent-encoded afterwards: JSON contains URLs, and not the reverse.
    let spelled = (steps.filter(\.isPercent) + steps.filter { !$0.isPercent }).reduce(secret) { $1.applied(to: $0) }
    let around = String(decoding: pieces[2], as: UTF8.self)
    let cut = around.index(around.startIndex, offsetBy: around.count / 2)
    let text = around[..<cut] + spelled + around[cut...]
    let recorded = record(.text(String(text)), without: Secret(secret))
    require(
        !String(decoding: recorded, as: UTF8.self).utf8.contains(spelled.utf8),
        "a secret is recorded: \(spelled.debugDescription)")
}

/// A way of embedding one text in another.
private enum Spelling: Int {
    case json, escapes, percent, query

    var isPercent: Bool { self == .percent || self == .query }

    func applied(to text: String) -> String {
        switch self {
        case .escapes where !text.contains("%") && !text.contains("\\"):
            return text.utf16.map { "\\u" + hexadecimal(Int($0), digits: 4) }.joined()
        // No program escapes every character of text that is already encoded or escaped.
        case .json, .escapes:
            var writer = JSONWriter()
            writer.string(text)
            return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
        case .percent where !text.contains("%"): return text.utf8.map { "%" + hexadecimal(Int($0), digits: 2) }.joined()
        // No program percent-encodes the digits of text that is already encoded.
        case .percent, .query:
            return text.utf8.map { byte in
                switch Unicode.Scalar(byte) {
                case " ": "+"
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~": String(Unicode.Scalar(byte))
                default: "%" + hexadecimal(Int(byte), digits: 2).uppercased()
                }
            }.joined()
        }
    }

    private func hexadecimal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }
}

/// Returns a message as it is in a recording whose writer knows the secret.
private func record(_ message: WebSocketMessage, without secret: Secret) -> ArraySlice<UInt8> {
    let file = ScratchFile("redacted.weir.jsonl")
    do {
        let head = Record.Head(
            recording: String(repeating: "0", count: 32), wallStart: 0, tool: "weir-fuzz", seed: 1,
            session: RawJSON(unchecked: ArraySlice("{}".utf8)))
        var writer = try RecordingWriter(creating: file.path, head: head, secrets: [secret], durability: .never)
        let frame = Record.FrameRecord(connection: 1, direction: .in, message: message)
        try writer.append(.frame(frame), at: .zero, wall: 0)
        try writer.close(why: .closed, at: Stamp(n: 0, time: .zero, wall: 0))
        var reader = try RecordingReader(opening: file.path)
        while let entry = try reader.next() {
            if case .record(.frame(let frame), _) = entry { return frame.message.bytes }
        }
    } catch {
        fatalError("\(error)")
    }
    fatalError("a message is not recorded")
}

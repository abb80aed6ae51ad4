import Glibc
import WeirLive
import WeirViews
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

/// All printed forms except `raw`, which the user must request.
private let forms: [PrintedForm] = {
    guard let template = try? LineTemplate("{time} {room} {actor} {summary} {payload} {payload.resource.text:>30.30}"),
        let fields = try? EnvelopeFields("room,actor,payload.resource,diff,why")
    else { fatalError("a template or a list of fields is none") }
    return OutputFormat.allCases.filter { $0 != .raw }.map { .format($0) } + [.template(template), .fields(fields)]
}()

/// Checks that the printed form of any session's reports is inert.
func fuzzPrinting(_ input: ArraySlice<UInt8>) {
    guard let live = FuzzedSession(input) else { return }
    let printed = ScratchFile("printed", [])
    let file = open(printed.path, O_WRONLY)
    defer { close(file) }
    do {
        for (index, form) in forms.enumerated() {
            try EventPrinter(form, descriptor: file, colour: index % 2 == 0, width: index % 3 == 0 ? 60 : nil)
                .write(live.reports)
        }
        let status = StatusPrinter(descriptor: file, colour: true)
        try status.write(live.reports)
        try status.finish()
        var summary = Summary()
        for report in live.reports { summary.add(report) }
        try status.write(lines: summary.lines())
    } catch {
        fatalError("\(error)")
    }
    checkInert(printed.contents, controls: ["\n"], sequences: ["m"])
}

/// Checks that the full-screen view sends only the sequences it may use, for any reports and any keys. The first two
/// bytes are the screen's size; the keys follow, up to the first FF.
func fuzzScreen(_ input: ArraySlice<UInt8>) {
    guard let cut = input.firstIndex(of: 0xFF), input.count > 2 else { return }
    let keys = input[..<cut]
    guard keys.count >= 2, let live = FuzzedSession(input[(cut + 1)...]) else { return }
    var settings = Watch.Settings(title: "fuzzed")
    settings.steersRooms = true
    settings.isReplay = keys[keys.startIndex] & 1 == 0
    var watch = Watch(settings)
    var effects: [Watch.Effect] = []
    var screen = TerminalScreen()
    var decoder = TerminalKeyDecoder()
    var sent: [UInt8] = []
    var now = Moment.zero
    func handle(_ input: Watch.Input) {
        watch.handle(input, at: now, into: &effects)
        sent += screen.update(to: watch.grid)
    }
    handle(.resized(width: Int(keys[keys.startIndex]) / 2, height: Int(keys[keys.startIndex + 1]) / 4))
    // Distributes the reports evenly between the keys.
    let presses = Array(keys.dropFirst(2))
    var told = 0
    for (index, key) in presses.enumerated() {
        let end = live.reports.count * (index + 1) / presses.count
        if end > told {
            now = max(now, live.reports[end - 1].stamp.time)
            handle(.reports(Array(live.reports[told..<end])))
            told = end
        }
        for input in decoder.inputs(in: [key]) { handle(.terminal(input)) }
    }
    for input in decoder.flush() { handle(.terminal(input)) }
    handle(.arrives(live.session.model))
    handle(.resized(width: 80, height: 24))
    handle(.ended("over"))
    checkInert(sent, controls: ["\r", "\n"], sequences: ["m", "H", "C", "K", "J", "h", "l", "r", "S", "T"])
    for case .copy(let text) in effects { checkInert(Array(text.utf8), controls: ["\n"], sequences: []) }
}

/// Checks that bytes only show characters in sequence. Apart from the given controls, and sequences `ESC [ … X` that
/// end with one of the given letters, they must have no effect on a terminal.
private func checkInert(_ bytes: [UInt8], controls: [Unicode.Scalar], sequences: [Unicode.Scalar]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { fatalError("what is shown is not UTF-8") }
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
        if scalar == "\u{1B}" {
            checkSequence(&rest, sequences)
            continue
        }
        let properties = scalar.properties
        let name = "U+\(String(scalar.value, radix: 16))"
        switch properties.generalCategory {
        case .control: require(controls.contains(scalar), "a control character is shown: \(name)")
        case .lineSeparator, .paragraphSeparator: fatalError("a line breaks by itself: \(name)")
        default:
            // Variation selectors belong to emoji.
            require(
                !properties.isBidiControl
                    && (!properties.isDefaultIgnorableCodePoint || properties.isVariationSelector),
                "what cannot be seen is shown: \(name)")
        }
    }
}

/// Consumes the rest of an escape sequence, which must be a permitted one.
private func checkSequence(_ rest: inout Substring.UnicodeScalarView, _ sequences: [Unicode.Scalar]) {
    let first = rest.popFirst()
    // `ESC M` moves back a line; the view uses it when scroll regions are allowed.
    if first == "M", sequences.contains("r") { return }
    require(first == "[", "an escape sequence that is none of ours: ESC \(first.debugDescription)")
    rest = rest.drop { ("0"..."?").contains($0) }
    let last = rest.popFirst()
    require(last.map(sequences.contains) == true, "a control sequence that is none of ours: \(last.debugDescription)")
}

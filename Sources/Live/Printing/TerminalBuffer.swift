/// Lines for a terminal, gathered for one write: everything appended is escaped, measured, styled and cut at a limit.
struct TerminalBuffer {
    /// What has been gathered, UTF-8.
    private(set) var bytes: [UInt8] = []
    /// The columns the current line takes.
    private(set) var columns = 0
    /// The columns a line may take; nil for any. Takes effect from the next line on, or before anything is appended.
    var limit: Int? { didSet { fits = bytes.count } }
    private let colour: Bool
    /// How many bytes of the line still leave a column for the ellipsis.
    private var fits = 0
    private var isCut = false

    init(colour: Bool) { self.colour = colour }

    /// Appends text in one style.
    mutating func append(_ text: String, _ style: TerminalStyle = .plain) {
        guard !isCut, !text.isEmpty else { return }
        let styled = colour && style != .plain
        if styled { bytes.append(contentsOf: style.sequence.utf8) }
        var context: TerminalForm.Context?
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x20, scalar.value < 0x7F {
                // Most of what is ever printed; the same as below, without asking what Unicode knows.
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
                context = TerminalForm.Context(base: scalar)
                advance(by: 1)
            } else {
                append(scalar, &context)
            }
            if isCut { break }
        }
        if styled { bytes.append(contentsOf: TerminalStyle.reset.utf8) }
    }

    /// Appends spaces until the line is `column` columns wide.
    mutating func pad(to column: Int) {
        guard columns < column, !isCut else { return }
        if let limit, column >= limit { return append(String(repeating: " ", count: column - columns)) }
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: column - columns))
        columns = column
        fits = bytes.count
    }

    /// Ends the line.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        columns = 0
        isCut = false
        fits = bytes.count
    }

    /// Forgets what was gathered and keeps the room it took.
    mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        columns = 0
        isCut = false
        fits = 0
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ context: inout TerminalForm.Context?) {
        let form = TerminalForm(of: scalar, after: context)
        switch form {
        case .visible(let width):
            bytes.append(contentsOf: scalar.utf8)
            if width > 0, scalar != "\u{FE0F}" {
                context = TerminalForm.Context(base: scalar)
            } else {
                context?.marks += 1
            }
        case .escaped:
            bytes.append(contentsOf: TerminalForm.escape(of: scalar).utf8)
            context = nil
        }
        advance(by: form.columns)
    }

    /// Counts columns, and cuts the line back to where an ellipsis fits once it is too long.
    private mutating func advance(by width: Int) {
        columns += width
        guard let limit else { return }
        if columns < limit {
            fits = bytes.count
        } else if columns > limit {
            bytes.removeLast(bytes.count - fits)
            if limit > 0 { bytes.append(contentsOf: "…".utf8) }
            columns = limit
            isCut = true
        }
    }
}

/// How text stands out on a terminal that shows colours.
enum TerminalStyle: Hashable {
    case plain, dim, bold, good, bad, caution
    /// A colour of the 256-colour table.
    case indexed(UInt8)

    static let reset = "\u{1B}[0m"

    /// The escape sequence that begins the style.
    var sequence: String {
        switch self {
        case .plain: TerminalStyle.reset
        case .dim: "\u{1B}[2m"
        case .bold: "\u{1B}[1m"
        case .good: "\u{1B}[32m"
        case .bad: "\u{1B}[31m"
        case .caution: "\u{1B}[33m"
        case .indexed(let index): "\u{1B}[38;5;\(index)m"
        }
    }

    /// The colour of a room: a function of its name alone, the same in every run.
    static func room(_ name: String) -> TerminalStyle {
        var hash: UInt32 = 0x811C_9DC5
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return .indexed(roomColours[Int(hash % UInt32(roomColours.count))])
    }

    /// Colours that can be read on black and on white; red and yellow are kept for trouble.
    private static let roomColours: [UInt8] = [
        27, 29, 31, 33, 35, 37, 61, 63, 65, 67, 69, 71, 97, 99, 103, 127, 133, 135, 139, 141,
    ]
}

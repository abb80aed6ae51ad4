/// Lines for a terminal, gathered for one write: everything appended is escaped, measured, styled and cut at a limit.
public struct TerminalBuffer: Sendable {
    /// What has been gathered, UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// The columns the current line takes.
    public private(set) var columns = 0
    /// The columns a line may take; nil for any. Takes effect from the next line on, or before anything is appended.
    public var limit: Int? { didSet { fits = bytes.count } }
    /// Whether what is appended stands out from what is around it.
    public var isHighlighted = false
    private let colour: Bool
    /// How many bytes of the line still leave a column for the ellipsis.
    private var fits = 0
    private var isCut = false

    /// An empty buffer; without `colour` no style leaves a trace.
    public init(colour: Bool) { self.colour = colour }

    /// Appends text in one style.
    public mutating func append(_ text: String, _ style: TerminalStyle = .plain) {
        guard !isCut, !text.isEmpty else { return }
        let styled = colour && (style != .plain || isHighlighted)
        if styled, style != .plain { bytes.append(contentsOf: style.sequence.utf8) }
        if styled, isHighlighted { bytes.append(contentsOf: TerminalStyle.highlight.utf8) }
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
    public mutating func pad(to column: Int) {
        guard columns < column, !isCut else { return }
        if let limit, column >= limit { return append(String(repeating: " ", count: column - columns)) }
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: column - columns))
        columns = column
        fits = bytes.count
    }

    /// Ends the line.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        columns = 0
        isCut = false
        fits = bytes.count
    }

    /// Forgets what was gathered and keeps the room it took.
    public mutating func reset() {
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

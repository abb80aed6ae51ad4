/// Lines of text for one write to a terminal. All appended text is escaped, measured, styled and cut at a limit.
package struct TerminalBuffer: Sendable {
    /// The bytes to write, in UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// The width of the current line in columns.
    package private(set) var columns = 0
    /// The maximum width of a line in columns; `nil` for no limit. A new value takes effect from the next line on, or
    /// before anything is appended.
    package var limit: Int? { didSet { fits = bytes.count } }
    /// Whether appended text is highlighted in addition to its style.
    package var isHighlighted = false
    /// The theme that styles the text; `nil` to ignore styles.
    package let theme: TerminalTheme?
    /// The number of bytes up to which the line still leaves a column for the ellipsis.
    private var fits = 0
    private var isCut = false

    /// Creates an empty buffer. Without a theme, styles are ignored.
    package init(_ theme: TerminalTheme? = nil) { self.theme = theme }

    /// Appends text in one style. `style` is not evaluated without a theme.
    package mutating func append(_ text: String, _ style: @autoclosure () -> TerminalStyle = .plain) {
        guard !isCut, !text.isEmpty else { return }
        guard let theme else { return append(escaping: text) }
        var isStyled = theme.appendSequence(of: style(), to: &bytes)
        if isHighlighted { isStyled = theme.appendSequence(of: .match, to: &bytes) || isStyled }
        append(escaping: text)
        if isStyled { bytes.append(contentsOf: "\u{1B}[0m".utf8) }
    }

    private mutating func append(escaping text: String) {
        let span = text.utf8Span
        var scalars = span.makeUnicodeScalarIterator()
        var context: TerminalForm.Context?
        var position = 0
        while position < span.count, !isCut {
            // Most printed text is ASCII. It is copied in runs, without looking up Unicode properties.
            let end = Self.endOfPlain(span.span, from: position)
            if end > position {
                append(plain: span.span.extracting(position..<end))
                context = TerminalForm.Context(base: " ")
                position = end
            } else {
                scalars.reset(roundingBackwardsFrom: position)
                guard let scalar = scalars.next() else { break }
                append(scalar, &context)
                position = scalars.currentCodeUnitOffset
            }
        }
    }

    /// Returns the end of the run of visible ASCII that begins at `start`.
    private static func endOfPlain(_ text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, text[end] >= 0x20, text[end] < 0x7F { end += 1 }
        return end
    }

    /// Appends visible ASCII, up to the limit of the line.
    private mutating func append(plain text: Span<UInt8>) {
        guard let limit, columns + text.count >= limit else {
            text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
            columns += text.count
            fits = bytes.count
            return
        }
        for index in text.indices where !isCut {
            bytes.append(text[index])
            advance(by: 1)
        }
    }

    /// Appends spaces until the line is `column` columns wide.
    package mutating func pad(to column: Int) {
        guard columns < column, !isCut else { return }
        if let limit, column >= limit { return append(String(repeating: " ", count: column - columns)) }
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: column - columns))
        columns = column
        fits = bytes.count
    }

    /// Ends the line with a line feed.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        columns = 0
        isCut = false
        fits = bytes.count
    }

    /// Removes all bytes and keeps the capacity.
    package mutating func reset() {
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

    /// Adds `width` to the line's columns. If the line becomes too long, cuts it back to make room for an ellipsis.
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

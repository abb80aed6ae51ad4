/// A line of text that the user edits.
package struct TerminalEditor: Hashable, Sendable {
    /// The result of a key press or a paste.
    package enum Change: Hashable, Sendable {
        /// The key press or paste changed the text.
        case edited
        /// The user pressed Enter to submit the text.
        case submitted
        /// The user cancelled the input, or pressed Backspace in an empty line.
        case cancelled
        /// The text stays the same; the cursor may have moved.
        case nothing
    }

    /// The maximum length of the text, in Unicode scalars.
    package static let longest = 1000

    private var scalars: [Unicode.Scalar]
    /// The number of scalars before the cursor.
    private var position: Int

    /// Creates a line with the cursor at its end.
    package init(_ text: String = "") {
        scalars = Array(text.unicodeScalars.prefix(Self.longest))
        position = scalars.count
    }

    /// The text that the user entered.
    package var text: String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Inserts pasted text at the cursor. Line breaks and control characters are left out.
    package mutating func paste(_ text: String) -> Change {
        let before = scalars.count
        for scalar in text.unicodeScalars where scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) {
            insert(scalar)
        }
        return scalars.count == before ? .nothing : .edited
    }

    /// Handles a key press and returns its result.
    package mutating func press(_ key: TerminalKey) -> Change {
        switch key {
        case .character(let scalar):
            let before = scalars.count
            insert(scalar)
            return scalars.count == before ? .nothing : .edited
        case .enter: return .submitted
        case .escape, .control("c"), .control("g"): return .cancelled
        case .backspace, .delete: return delete(key)
        case .control(let letter): return control(letter)
        case .left: position = max(position - 1, 0)
        case .right: position = min(position + 1, scalars.count)
        case .home: position = 0
        case .end: position = scalars.count
        case .tab, .backTab, .up, .down, .pageUp, .pageDown: break
        }
        return .nothing
    }

    private mutating func delete(_ key: TerminalKey) -> Change {
        if key == .backspace {
            if scalars.isEmpty { return .cancelled }
            guard position > 0 else { return .nothing }
            position -= 1
        }
        guard position < scalars.count else { return .nothing }
        scalars.remove(at: position)
        return .edited
    }

    /// Handles a control key, with the bindings of common line editors.
    private mutating func control(_ letter: Unicode.Scalar) -> Change {
        let before = scalars.count
        switch letter {
        case "a": position = 0
        case "e": position = scalars.count
        case "b": position = max(position - 1, 0)
        case "f": position = min(position + 1, scalars.count)
        case "k": scalars.removeSubrange(position...)
        case "u":
            scalars.removeSubrange(..<position)
            position = 0
        case "w":
            let start = startOfWord
            scalars.removeSubrange(start..<position)
            position = start
        default: break
        }
        return scalars.count == before ? .nothing : .edited
    }

    private func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    private var startOfWord: Int {
        var start = position
        while start > 0, scalars[start - 1] == " " { start -= 1 }
        while start > 0, scalars[start - 1] != " " { start -= 1 }
        return start
    }

    private mutating func insert(_ scalar: Unicode.Scalar) {
        guard scalars.count < Self.longest else { return }
        scalars.insert(scalar, at: position)
        position += 1
    }

    /// Draws the line in the first row of an area and sets the grid's cursor. The line is scrolled so that the cursor
    /// is visible.
    ///
    /// - Parameters:
    ///   - prompt: The text before the line.
    ///   - wrong: The part to mark as wrong, in Unicode scalars from 0. An empty range at the end marks a missing part.
    package func draw(
        _ prompt: String, wrong: Range<Int>? = nil, _ theme: TerminalTheme, in area: TerminalArea,
        of grid: inout TerminalGrid
    ) {
        guard !area.isEmpty else { return }
        let row = area.rows.lowerBound
        var before = TerminalLine(prompt, theme[.heading])
        before.append(text(0..<position))
        var line = before
        if let wrong = wrong?.clamped(to: 0..<scalars.count) {
            let look = theme[.bad].adding(.underlined)
            line = TerminalLine(prompt, theme[.heading])
            line.append(text(0..<wrong.lowerBound))
            line.append(wrong.isEmpty && wrong.lowerBound == scalars.count ? " " : text(wrong), look)
            line.append(text(wrong.upperBound..<scalars.count))
        } else {
            line.append(text(position..<scalars.count))
        }
        // One column is reserved for the cursor.
        let hidden = max(before.columns - (area.columns.count - 1), 0)
        grid.write(line, row: row, column: area.columns.lowerBound - hidden, in: area)
        grid.cursor = TerminalPlace(row: row, column: area.columns.lowerBound + before.columns - hidden)
    }
}

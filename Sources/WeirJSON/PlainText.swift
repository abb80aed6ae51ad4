/// Decodes the text files that people write: settings, contexts, room lists, marks, scenarios, token files.
///
/// Editors end lines with LF, CRLF or CR, and some start a file with a byte order mark. These are not content, so the
/// decoded text contains only line feeds and no mark. Bytes that cannot be part of such a file are rejected with their
/// position.
package enum PlainText {
    /// Decodes UTF-8. Throws for a NUL byte, for invalid UTF-8, and for UTF-16.
    package static func decode(_ bytes: [UInt8]) throws(PlainTextError) -> String {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        if rest.starts(with: [0xFF, 0xFE]) || rest.starts(with: [0xFE, 0xFF]) {
            throw PlainTextError(line: 1, column: 1, found: "UTF-16 text")
        }
        var text = String.UnicodeScalarView()
        var (line, column) = (1, 1)
        var isAfterReturn = false
        var decoder = UTF8()
        var iterator = rest.makeIterator()
        while true {
            let scalar: Unicode.Scalar
            switch decoder.decode(&iterator) {
            case .scalarValue(let decoded): scalar = decoded
            case .error: throw PlainTextError(line: line, column: column, found: "a byte that is not UTF-8")
            case .emptyInput: return String(text)
            }
            if scalar == "\0" { throw PlainTextError(line: line, column: column, found: "a NUL byte") }
            defer { isAfterReturn = scalar == "\r" }
            if scalar == "\n", isAfterReturn { continue }
            guard scalar == "\n" || scalar == "\r" else {
                text.append(scalar)
                column += 1
                continue
            }
            text.append("\n")
            (line, column) = (line + 1, 1)
        }
    }
}

/// The first byte sequence that is not allowed in a text file, and its position.
package struct PlainTextError: Error, Hashable, Sendable {
    /// The line, counted from 1.
    package var line: Int
    /// The column in Unicode scalars, counted from 1.
    package var column: Int
    /// A description of the invalid bytes.
    package var found: String

    /// One sentence for people, with the position.
    package var message: String { "line \(line), column \(column): \(found); expected UTF-8 text" }
}

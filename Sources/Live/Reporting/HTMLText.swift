import Terminal

/// HTML, written from its beginning to its end. Markup is only what stands in this program; everything else is text, which is inert wherever
/// it stands: between tags and in quoted attributes.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Appends markup of our own.
    mutating func markup(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends what was written elsewhere.
    mutating func append(_ other: HTMLText) { bytes += other.bytes }

    /// Appends text that may be a peer's. What is not plainly visible is escaped as on a terminal.
    mutating func text(_ text: String) {
        for byte in TerminalText.escaped(text).utf8 {
            switch byte {
            case UInt8(ascii: "&"): markup("&amp;")
            case UInt8(ascii: "<"): markup("&lt;")
            case UInt8(ascii: ">"): markup("&gt;")
            case UInt8(ascii: "\""): markup("&quot;")
            case UInt8(ascii: "'"): markup("&#39;")
            default: bytes.append(byte)
            }
        }
    }

    /// Appends a number with its value for programs: `<data value="5000">5,000</data>`.
    mutating func number(_ number: Int) {
        markup("<data value=\"")
        digits(number)
        markup("\">")
        text(number.grouped)
        markup("</data>")
    }

    /// Appends the digits of a number.
    mutating func digits(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a coordinate, to a tenth.
    mutating func coordinate(_ value: Double) {
        let tenths = Int((min(max(value, -1e6), 1e6) * 10).rounded())
        if tenths < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(abs(tenths) / 10)
        guard tenths % 10 != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        digits(abs(tenths) % 10)
    }

    /// Appends the head cells of a table, with its caption.
    mutating func head(caption: String, _ columns: StaticString...) {
        markup("<table><caption>")
        text(caption)
        markup("</caption><thead><tr>")
        for column in columns {
            markup("<th scope=\"col\">")
            markup(column)
        }
        markup("</thead><tbody>\n")
    }

    /// Appends a cell of text.
    mutating func cell(_ words: String) {
        markup("<td>")
        text(words)
    }

    /// Appends a cell of a number.
    mutating func cell(_ value: Int) {
        markup("<td class=\"n\">")
        number(value)
    }
}

extension Int {
    /// With a comma between thousands.
    var grouped: String {
        var text = String(magnitude)
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return (self < 0 ? "-" : "") + text
    }
}

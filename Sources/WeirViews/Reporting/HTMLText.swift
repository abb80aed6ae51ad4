import WeirTerminal

/// HTML, written from its beginning to its end. Markup comes only from this program. Everything else is text, which is escaped for both
/// elements and quoted attributes.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Appends markup, which is a literal of this program.
    mutating func markup(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends HTML that was written separately.
    mutating func append(_ other: HTMLText) { bytes += other.bytes }

    /// Appends untrusted text. Invisible characters are escaped as on a terminal.
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

    /// Appends a number for people and for programs: `<data value="5000">5,000</data>`.
    mutating func number(_ number: Int) {
        markup("<data value=\"")
        digits(number)
        markup("\">")
        text(number.grouped)
        markup("</data>")
    }

    /// Appends the digits of a number without separators.
    mutating func digits(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a coordinate, rounded to a tenth.
    mutating func coordinate(_ value: Double) {
        let tenths = Int((min(max(value, -1e6), 1e6) * 10).rounded())
        if tenths < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(abs(tenths) / 10)
        guard tenths % 10 != 0 else { return }
        bytes.append(UInt8(ascii: "."))
        digits(abs(tenths) % 10)
    }

    /// Appends the caption and the header cells of a table.
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

    /// Appends a table cell with text.
    mutating func cell(_ words: String) {
        markup("<td>")
        text(words)
    }

    /// Appends a table cell with a number.
    mutating func cell(_ value: Int) {
        markup("<td class=\"n\">")
        number(value)
    }
}

extension Int {
    /// The decimal digits, with a comma between thousands.
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

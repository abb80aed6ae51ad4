/// The lexical rules of filters, for reading and for printing.
package enum FilterSyntax {
    package static func isKeyCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    /// Whether a payload key can be written without quotes.
    package static func isPlainKey(_ key: String) -> Bool {
        !key.isEmpty && key.unicodeScalars.allSatisfy(isKeyCharacter)
    }

    package static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    /// Whether the scalar continues a bare value: anything except characters that have a meaning after a value.
    package static func isValueCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", ",", "\"", "'": false
        default: !isSpace(scalar)
        }
    }

    /// Returns a string in filter syntax: bare if it then reads as the same string, otherwise quoted.
    package static func value(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "*", "?", "@", "#", "%", "+", "&": true
            default: false
            }
        }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    /// Returns a string in double quotes, with escapes.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    result += "\\u{" + String(scalar.value, radix: 16) + "}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// Returns a regular expression between slashes.
    package static func pattern(_ text: String) -> String {
        var result = "/"
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == "/", !isEscaped { result += "\\" }
            result.unicodeScalars.append(scalar)
            isEscaped = scalar == "\\" && !isEscaped
        }
        return result + "/"
    }
}

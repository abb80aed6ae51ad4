// Percent-encoding of text in URLs (RFC 3986, 2.1).
import WeirJSON

extension String {
    /// The text as part of a query. Every byte that RFC 3986, 2.3 does not leave unreserved is written as `%XX`.
    package var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += (byte < 16 ? "%0" : "%") + digits
            }
        }
        return text
    }
}

extension StringProtocol {
    /// Returns the text with escapes such as `%41` decoded and, by default, each `+` replaced by a space.
    ///
    /// Invalid escapes stay as they are. Invalid UTF-8 in the result is repaired.
    package func percentDecoded(plusIsSpace: Bool = true) -> String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexValue, let low = rest.dropFirst().first?.hexValue {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What can be told of a POSIX extended regular expression before the C library compiles it.
package enum RegularExpression {
    private static let mostCopies = 1000

    /// Whether compiling it would take more memory than any sensible expression needs: the C library copies what is repeated as often as
    /// a count says, and once more for a plus, and all that multiplies where one repetition stands in another.
    package static func repeatsTooMuch(_ text: String) -> Bool {
        var (copies, count, isInside) = (1, 0, false)
        var previous = UInt8(ascii: "(")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "{"): (isInside, count) = (true, 0)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isInside { count = min(count * 10 + Int(byte - UInt8(ascii: "0")), mostCopies + 1) }
            case UInt8(ascii: ","), UInt8(ascii: "}"):
                guard isInside else { break }
                copies = min(copies * max(count, 1), mostCopies + 1)
                (isInside, count) = (byte == UInt8(ascii: ","), 0)
            case UInt8(ascii: "+") where mayEndRepetition(previous): copies = min(copies * 2, mostCopies + 1)
            default: isInside = false
            }
            previous = byte
        }
        return copies > mostCopies
    }

    /// Whether what ends with this may hold repetitions. What else a plus stands behind is a character or a class.
    private static func mayEndRepetition(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): true
        default: false
        }
    }
}

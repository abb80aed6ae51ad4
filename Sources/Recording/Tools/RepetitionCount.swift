/// What can be told of a POSIX extended regular expression before the C library compiles it.
struct RepetitionCount {
    /// The most that any sensible expression needs.
    private static let mostCopies = 1000
    /// A plus behind a repetition copies it, and what goes from copy to copy grows with the square.
    private static let copiesOfPlus = 4

    private let text: [UInt8]
    private var place = 0
    /// How often what stood last is copied; 1 for what is not repeated.
    private var last = 1
    /// Whether what stood last may hold repetitions.
    private var isCompound = false
    /// The copies of what stood before it in its group, as far as there are any, and those of the groups around.
    private var copies = 0
    private var outer: [Int] = []

    /// Whether compiling it would take more memory or time than any sensible expression needs: what is repeated is copied as often as a
    /// count says, and all that multiplies where one repetition stands in another. What is no expression may pass.
    static func isTooMuch(in text: String) -> Bool {
        var expression = RepetitionCount(text: Array(text.utf8))
        return expression.countCopies() > mostCopies
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func countCopies() -> Int {
        while place < text.count {
            let byte = text[place]
            place += 1
            switch byte {
            case UInt8(ascii: "("):
                begin()
                outer.append(copies)
                copies = 0
            case UInt8(ascii: ")"):
                begin()
                (last, copies) = (max(copies, 1), outer.popLast() ?? 0)
                isCompound = true
            case UInt8(ascii: "+"): repeated(isCompound ? Self.copiesOfPlus : 1)
            case UInt8(ascii: "*"), UInt8(ascii: "?"): repeated(1)
            case UInt8(ascii: "{"): repeated(takeCount())
            case UInt8(ascii: "["):
                begin()
                skipBrackets()
            case UInt8(ascii: "\\"):
                begin()
                place += 1
            default: begin()
            }
        }
        begin()
        // Groups that are never closed are refused, but only when what stands before them was compiled.
        return outer.reduce(copies, +)
    }

    /// Something new stands last.
    private mutating func begin() {
        if last > 1 { copies = min(copies + last, Self.mostCopies + 1) }
        (last, isCompound) = (1, false)
    }

    private mutating func repeated(_ count: Int) {
        last = min(last * max(count, 1), Self.mostCopies + 1)
        isCompound = true
    }

    /// The larger number of `{3}`, `{3,}` or `{3,5}`, of which the first brace was taken. No more than these are passed over.
    private mutating func takeCount() -> Int {
        var (largest, count) = (1, 0)
        while place < text.count {
            let digit = text[place] &- UInt8(ascii: "0")
            guard digit < 10 || text[place] == UInt8(ascii: ",") else { break }
            count = digit < 10 ? min(count * 10 + Int(digit), Self.mostCopies + 1) : 0
            largest = max(largest, count)
            place += 1
        }
        if place < text.count, text[place] == UInt8(ascii: "}") { place += 1 }
        return largest
    }

    /// Up to the end of `[…]`, in which everything stands for itself but classes, and a bracket that stands first.
    private mutating func skipBrackets() {
        if place < text.count, text[place] == UInt8(ascii: "^") { place += 1 }
        let start = place
        while place < text.count {
            let byte = text[place]
            place += 1
            if byte == UInt8(ascii: "]"), place > start + 1 { return }
            guard byte == UInt8(ascii: "["), place < text.count, ":.=".utf8.contains(text[place]) else { continue }
            let kind = text[place]
            place += 1
            while place < text.count, text[place] != UInt8(ascii: "]") || text[place - 1] != kind { place += 1 }
            place += 1
        }
    }
}

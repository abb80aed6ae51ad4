import JSONText

/// How far one namespace was followed, so that the server can send what is missed after a reconnect (1.12).
///
/// The server appends an ordered offset to every event that wants no acknowledgement, but not to volatile ones; nothing on the wire tells the
/// two apart. The reference client takes every trailing string for an offset, so a volatile event that ends with a string spoils the
/// next recovery. Here a string counts when it has an offset's shape and follows the last one, by thirty days at most; one that
/// does not is doubted, and counts only when the next one follows it.
struct RecoveryPoint: Hashable, Sendable {
    private var pid: String?
    private var offset: RecoveryOffset?
    private var doubted: RecoveryOffset?
    /// Whether the session may be asked for again.
    private var isAsking = false

    /// Whether offsets are to be looked for.
    var isTracking: Bool { pid != nil }

    /// What CONNECT has to say to have the session back; nil when there is none or no event of it came. `answered` follows.
    mutating func ask() -> (pid: String, offset: String)? {
        isAsking = false
        guard let pid, let offset else { return nil }
        isAsking = true
        return (pid, offset.text)
    }

    /// CONNECT was answered; true when the session is the one asked for.
    mutating func answered(pid: String?) -> Bool {
        let isRecovered = isAsking && pid != nil && pid == self.pid
        if !isRecovered { (offset, doubted) = (nil, nil) }
        self.pid = pid
        isAsking = false
        return isRecovered
    }

    /// Follows an event that asks for no acknowledgement; true when its last argument is an offset.
    mutating func follow(_ event: SocketIO.Event) -> Bool {
        guard let last = event.arguments.last, let next = RecoveryOffset(last.bytes) else {
            return false
        }
        if let offset, !next.follows(offset) {
            guard let doubted, next.follows(doubted) else {
                doubted = next
                return false
            }
        }
        offset = next
        doubted = nil
        return true
    }
}

/// An offset as the JavaScript servers make them: the time in milliseconds and a counter.
///
/// The in-memory adapter writes the time in base 64 (`Q7x1cUD`, since 2004 and until 2109 seven digits) and a counter behind a dot for more
/// than one in a millisecond; the adapters over Redis streams write both in decimals with a hyphen between.
struct RecoveryOffset: Hashable, Sendable {
    private static let window: Int64 = 30 * 24 * 3600 * 1000

    private(set) var milliseconds: Int64
    private(set) var counter: Int64
    private(set) var text: String

    /// Reads a JSON string; nil for anything that does not look like an offset.
    init?(_ json: ArraySlice<UInt8>) {
        guard json.count >= 9, json.count <= 40, json.first == UInt8(ascii: "\""), json.last == UInt8(ascii: "\"")
        else { return nil }
        let contents = json.dropFirst().dropLast()
        if let parts = Self.yeast(contents) ?? Self.stream(contents) {
            (milliseconds, counter) = parts
        } else {
            return nil
        }
        text = String(decoding: contents, as: UTF8.self)
    }

    /// The offset of the in-memory adapter for a time; `counter` tells those of one millisecond apart.
    init(milliseconds: Int64, counter: Int64) {
        self.milliseconds = milliseconds
        self.counter = counter
        let time = Self.digits(of: milliseconds)
        text = counter == 0 ? time : "\(time).\(Self.digits(of: counter - 1))"
    }

    /// Whether this comes behind `other`, and not so far that it can hardly belong to the same server.
    func follows(_ other: RecoveryOffset) -> Bool {
        guard (milliseconds, counter) > (other.milliseconds, other.counter) else { return false }
        return milliseconds - other.milliseconds <= Self.window
    }

    private static func yeast(_ text: ArraySlice<UInt8>) -> (Int64, Int64)? {
        let time = text.prefix { $0 != UInt8(ascii: ".") }
        guard time.count == 7, let milliseconds = number(time, base: 64) else { return nil }
        if time.endIndex == text.endIndex { return (milliseconds, 0) }
        guard let counter = number(text[time.endIndex...].dropFirst(), base: 64) else { return nil }
        return (milliseconds, counter + 1)
    }

    private static func stream(_ text: ArraySlice<UInt8>) -> (Int64, Int64)? {
        let time = text.prefix { $0 != UInt8(ascii: "-") }
        guard time.count == 13, time.endIndex != text.endIndex, let milliseconds = number(time, base: 10),
            let counter = number(text[time.endIndex...].dropFirst(), base: 10)
        else { return nil }
        return (milliseconds, counter)
    }

    private static func number(_ digits: ArraySlice<UInt8>, base: Int64) -> Int64? {
        guard !digits.isEmpty, digits.count <= (base == 64 ? 9 : 17) else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard let digit = alphabetValue(digit), digit < base else { return nil }
            value = value * base + digit
        }
        return value
    }

    /// The digits in the order of the reference: `0-9A-Za-z-_`.
    private static func alphabetValue(_ digit: UInt8) -> Int64? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int64(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int64(digit - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int64(digit - UInt8(ascii: "a")) + 36
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func digits(of value: Int64) -> String {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_".utf8)
        var rest = max(value, 0)
        var digits: [UInt8] = []
        repeat {
            digits.append(alphabet[Int(rest % 64)])
            rest /= 64
        } while rest > 0
        return String(decoding: digits.reversed(), as: UTF8.self)
    }
}

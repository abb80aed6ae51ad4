import JSONText

/// The last event received in one namespace, with which the server can resend missed events after a reconnect
/// (Socket.IO SIO-15).
///
/// The server appends an ordered offset to every event without an acknowledgement request, except volatile ones; the
/// wire format does not distinguish the two. The reference client takes every trailing string for an offset, so a
/// volatile event that ends with a string breaks the next recovery. Here, a string counts only if it has the form of an
/// offset and follows the last offset by at most thirty days. One that does not is doubtful, and counts only if the
/// next offset follows it.
struct RecoveryPoint: Hashable, Sendable {
    private var pid: String?
    private var offset: RecoveryOffset?
    private var doubted: RecoveryOffset?
    /// Whether the client has requested the session again.
    private var isAsking = false

    /// Whether to look for offsets in events.
    var isTracking: Bool { pid != nil }

    /// Returns what CONNECT must contain to recover the session, or `nil` if no session or no event of it is known.
    /// Call `answered(pid:)` after the server answers.
    mutating func ask() -> (pid: String, offset: String)? {
        isAsking = false
        guard let pid, let offset else { return nil }
        isAsking = true
        return (pid, offset.text)
    }

    /// Handles the answer to CONNECT. Returns whether the server recovered the requested session.
    mutating func answered(pid: String?) -> Bool {
        let isRecovered = isAsking && pid != nil && pid == self.pid
        if !isRecovered { (offset, doubted) = (nil, nil) }
        self.pid = pid
        isAsking = false
        return isRecovered
    }

    /// Notes an event without an acknowledgement request. Returns whether its last argument is an offset.
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

/// An offset in the format of the JavaScript servers: the time in milliseconds and a counter.
///
/// The in-memory adapter writes the time in base 64 (`Q7x1cUD`; seven digits from 2004 to 2109), and adds a dot and a
/// counter if one millisecond has several offsets. The adapters over Redis streams write both in decimal, with a hyphen
/// between them.
struct RecoveryOffset: Hashable, Sendable {
    private static let window: Int64 = 30 * 24 * 3600 * 1000

    private(set) var milliseconds: Int64
    private(set) var counter: Int64
    private(set) var text: String

    /// Parses a JSON string. Returns `nil` if it does not have the form of an offset.
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

    /// Creates an offset in the format of the in-memory adapter. `counter` distinguishes the offsets of one
    /// millisecond.
    init(milliseconds: Int64, counter: Int64) {
        self.milliseconds = milliseconds
        self.counter = counter
        let time = Self.digits(of: milliseconds)
        text = counter == 0 ? time : "\(time).\(Self.digits(of: counter - 1))"
    }

    /// Returns whether this offset comes after `other`, and close enough to be from the same server.
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

    /// Returns the value of a digit in the reference's order: `0-9A-Za-z-_`.
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

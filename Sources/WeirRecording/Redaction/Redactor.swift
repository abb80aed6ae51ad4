import WeirJSON
import WeirWire

/// Replaces secrets in data that is about to be written.
///
/// It finds a secret in any spelling: plain, escaped with backslashes (JSON inside JSON), as `\uXXXX` or `\n`, or percent-encoded, even
/// several times over. In doubt it matches, since hiding a little too much is better than leaking a secret. Time is linear in the text,
/// whatever a peer sends and however many secrets are known: a tail that reconnects again and again knows hundreds of session ids.
struct Redactor {
    /// The text that replaces a secret by default.
    static let replacement = "‹redacted›"

    private var secrets = SecretTree()
    private var starts = SecretStarts()

    /// Hides `secret` from now on; `replacement` takes its place. An empty secret hides nothing.
    mutating func add(_ secret: Secret, as replacement: String = Redactor.replacement) {
        let text = secret.reveal()
        if secrets.insert(text, replacement) { starts.insert(text) }
    }

    /// Stops hiding a secret that was added before.
    mutating func remove(_ secret: Secret) {
        let text = secret.reveal()
        if secrets.remove(text) { starts.remove(text) }
    }

    /// Returns the text with its secrets replaced.
    func redact(_ text: String) -> String {
        guard !secrets.isEmpty, let clean = replaced(ArraySlice(text.utf8)) else { return text }
        return String(decoding: clean, as: UTF8.self)
    }

    /// Returns the bytes with their secrets replaced.
    func redact(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !secrets.isEmpty, let clean = replaced(bytes) else { return bytes }
        return clean[...]
    }

    /// Returns the text with its secrets replaced, or `nil` if it contains none.
    private func replaced(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.withUnsafeBufferPointer { text in
            var search = SecretSearch(Spelling(text: text))
            let triesEachBackslash = secrets.child(of: SecretTree.root, "\\") != nil
            var result: [UInt8] = []
            var kept = 0
            var place = starts.next(from: 0, in: text)
            while place < text.count {
                let next = triesEachBackslash ? place + 1 : search.spelling.endOfBackslashes(from: &place)
                guard let (end, replacement) = search.longest(of: secrets, from: place) else {
                    place = starts.next(from: next, in: text)
                    continue
                }
                result.append(contentsOf: text[kept..<place])
                result.append(contentsOf: replacement.utf8)
                kept = end
                place = starts.next(from: end, in: text)
            }
            guard kept > 0 else { return nil }
            result.append(contentsOf: text[kept...])
            return result
        }
    }
}

/// Matches all secrets against a text in every spelling at once. Each step advances all states reached so far by one
/// character.
struct SecretSearch {
    let spelling: Spelling
    private var reached: [State] = []
    private var next: [State] = []

    private struct State: Equatable {
        var node: Int
        var place: Int
    }

    /// Creates a search in a spelled text.
    init(_ spelling: Spelling) { self.spelling = spelling }

    /// Returns the end and the replacement of the longest secret that begins at `start`. The longest must win: if one
    /// secret is a prefix of another, the rest of the other must not remain.
    mutating func longest(of secrets: SecretTree, from start: Int) -> (end: Int, replacement: String)? {
        var longest: (end: Int, replacement: String)?
        reached.removeAll(keepingCapacity: true)
        reached.append(State(node: SecretTree.root, place: start))
        while !reached.isEmpty {
            next.removeAll(keepingCapacity: true)
            var end = 0
            for state in reached {
                spelling.characters(at: state.place) { scalar, place in
                    guard let node = secrets.child(of: state.node, scalar) else { return }
                    let state = State(node: node, place: place)
                    guard !next.contains(state) else { return }
                    next.append(state)
                    guard place > end, let replacement = secrets.replacement(at: node) else { return }
                    end = place
                    longest = (end, replacement)
                }
            }
            swap(&reached, &next)
        }
        return longest
    }
}

/// A prefix tree of secrets by their characters.
struct SecretTree {
    /// The node at which every text begins.
    static let root = 0

    private struct Edge: Hashable {
        var node: Int
        var scalar: Unicode.Scalar
    }

    private struct Node {
        /// The number of texts that pass through the node or end there.
        var texts = 0
        /// The replacement for the text that ends at the node.
        var replacement: String?
    }

    private var nodes = [Node()]
    private var children: [Edge: Int] = [:]
    /// The indices of nodes that no text uses any more.
    private var unused: [Int] = []

    /// Whether the tree contains no text.
    var isEmpty: Bool { children.isEmpty }

    /// Adds a text. Returns false when it is already present or empty.
    mutating func insert(_ text: String, _ replacement: String) -> Bool {
        guard !text.isEmpty, !contains(text) else { return false }
        var node = Self.root
        for scalar in text.unicodeScalars {
            let edge = Edge(node: node, scalar: scalar)
            node = children[edge] ?? newNode()
            children[edge] = node
            nodes[node].texts += 1
        }
        nodes[node].replacement = replacement
        return true
    }

    /// Removes a text. Returns false when it is not present.
    mutating func remove(_ text: String) -> Bool {
        guard contains(text) else { return false }
        var node = Self.root
        for scalar in text.unicodeScalars {
            let edge = Edge(node: node, scalar: scalar)
            guard let child = children[edge] else { break }
            node = child
            nodes[node].texts -= 1
            if nodes[node].texts == 0 {
                children[edge] = nil
                unused.append(node)
            }
        }
        nodes[node].replacement = nil
        return true
    }

    /// Returns the node that follows `node` for the character `scalar`.
    func child(of node: Int, _ scalar: Unicode.Scalar) -> Int? { children[Edge(node: node, scalar: scalar)] }

    /// Returns the replacement for the text that ends at `node`, or `nil` when none does.
    func replacement(at node: Int) -> String? { nodes[node].replacement }

    private func contains(_ text: String) -> Bool {
        var node = Self.root
        for scalar in text.unicodeScalars {
            guard let child = child(of: node, scalar) else { return false }
            node = child
        }
        return nodes[node].replacement != nil
    }

    private mutating func newNode() -> Int {
        if let node = unused.popLast() { return node }
        nodes.append(Node())
        return nodes.count - 1
    }
}

/// The first two bytes of all secrets, used to skip most of a text quickly.
struct SecretStarts {
    /// The number of secrets that can begin with each byte.
    private var firsts = [Int](repeating: 0, count: 1 << 8)
    private var counts: [UInt16: Int] = [:]
    /// One bit for each pair of bytes in `counts`.
    private var pairs = [UInt64](repeating: 0, count: 1 << 10)
    /// The number of one-byte secrets, which can match at the last byte of a text.
    private var ofOneByte = 0

    /// Adds a secret, which must not be empty.
    mutating func insert(_ secret: String) { count(secret, 1) }

    /// Removes a secret that was added before.
    mutating func remove(_ secret: String) { count(secret, -1) }

    /// Returns the first position from `place` on where a secret may begin, judged by its first two bytes. Returns the
    /// end of the text when there is none.
    func next(from place: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        firsts.withUnsafeBufferPointer { firsts in
            var place = place
            while place < text.count {
                let first = text[place]
                if firsts[Int(first)] > 0, canBegin(with: first, at: place, in: text) { break }
                place += 1
            }
            return place
        }
    }

    private func canBegin(with first: UInt8, at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if first == UInt8(ascii: "\\") || first == UInt8(ascii: "%") { return true }
        guard place + 1 < text.count else { return ofOneByte > 0 }
        let pair = UInt16(first) << 8 | UInt16(text[place + 1])
        return pairs[Int(pair >> 6)] & 1 << UInt64(pair & 63) != 0
    }

    private mutating func count(_ secret: String, _ change: Int) {
        let bytes = secret.utf8
        let seconds: Set<UInt8>
        if let second = bytes.dropFirst().first {
            seconds = Self.forms(of: second).union(Self.escapes)
        } else {
            seconds = Set(0...255)
            ofOneByte += change
        }
        let plain = Self.forms(of: bytes[bytes.startIndex])
        for first in plain.union(Self.escapes) { firsts[Int(first)] += change }
        for first in plain { for second in seconds { count(UInt16(first) << 8 | UInt16(second), change) } }
    }

    private mutating func count(_ pair: UInt16, _ change: Int) {
        let count = counts[pair, default: 0] + change
        counts[pair] = count == 0 ? nil : count
        let bit: UInt64 = 1 << UInt64(pair & 63)
        if count == 0 { pairs[Int(pair >> 6)] &= ~bit } else { pairs[Int(pair >> 6)] |= bit }
    }

    /// The bytes with which an escaped spelling of any character begins.
    private static let escapes: Set<UInt8> = [UInt8(ascii: "\\"), UInt8(ascii: "%")]

    /// Returns the unescaped spellings of a byte. A space is a plus in a form-encoded query.
    private static func forms(of byte: UInt8) -> Set<UInt8> {
        byte == UInt8(ascii: " ") ? [byte, UInt8(ascii: "+")] : [byte]
    }
}

/// The possible readings of an encoded text whose encoding is unknown.
struct Spelling {
    let text: UnsafeBufferPointer<UInt8>

    /// Four levels of JSON inside JSON put at most this many backslashes before a character.
    private static let longestRun = 16
    /// The levels of repeated percent-encoding: `%25252F` is encoded three times over.
    private static let percentLevels = 3

    /// Returns where the next spelling may begin after the one at `place`. A run of backslashes belongs to the
    /// character after it, so one position in the run is enough. `place` moves to the first position from which the end
    /// of the run can be reached.
    func endOfBackslashes(from place: inout Int) -> Int {
        var end = place
        while byte(end) == UInt8(ascii: "\\") { end += 1 }
        if end == place { return place + 1 }
        place = max(place, end - Self.longestRun)
        return end
    }

    /// Calls `body` with each character that may be meant at `place`, and with the position after it.
    func characters(at place: Int, _ body: (Unicode.Scalar, Int) -> Void) {
        func tell(_ scalar: Unicode.Scalar, _ end: Int) {
            body(scalar, end)
            // A space is a plus in a form-encoded query.
            if scalar == "+" { body(" ", end) }
        }
        let run = backslashes(at: place)
        for length in stride(from: 1, through: run, by: 1) { tell("\\", place + length) }
        plain(at: place + run, tell)
        if run > 0 {
            letter(at: place + run, tell)
            if let (scalar, end) = unicodeEscape(at: place) { tell(scalar, end) }
        }
        guard byte(place) == UInt8(ascii: "%") else { return }
        for level in 0...Self.percentLevels {
            if let (scalar, end) = percent(at: place, level: level) { tell(scalar, end) }
        }
    }

    private func byte(_ place: Int) -> UInt8? { place < text.count ? text[place] : nil }

    private func backslashes(at place: Int) -> Int {
        var run = 0
        while run < Self.longestRun, byte(place + run) == UInt8(ascii: "\\") { run += 1 }
        return run
    }

    private func plain(at place: Int, _ body: (Unicode.Scalar, Int) -> Void) {
        guard let first = byte(place), first != UInt8(ascii: "\\") else { return }
        if first < 0x80 {
            body(Unicode.Scalar(first), place + 1)
        } else if let (scalar, end) = Self.decode(from: place, { byte($0).map { ($0, 1) } }) {
            body(scalar, end)
        }
    }

    private func letter(at place: Int, _ body: (Unicode.Scalar, Int) -> Void) {
        switch byte(place) {
        case UInt8(ascii: "b"): body("\u{8}", place + 1)
        case UInt8(ascii: "t"): body("\u{9}", place + 1)
        case UInt8(ascii: "n"): body("\u{A}", place + 1)
        case UInt8(ascii: "f"): body("\u{C}", place + 1)
        case UInt8(ascii: "r"): body("\u{D}", place + 1)
        default: break
        }
    }

    private func unicodeEscape(at place: Int) -> (Unicode.Scalar, end: Int)? {
        guard let (first, end) = codeUnit(at: place) else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first).map { ($0, end) } }
        guard let (second, end) = codeUnit(at: end), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF).map { ($0, end) }
    }

    private func codeUnit(at place: Int) -> (UInt32, end: Int)? {
        let run = backslashes(at: place)
        guard run > 0, byte(place + run) == UInt8(ascii: "u") else { return nil }
        return hexadecimal(4, at: place + run + 1).map { ($0, place + run + 5) }
    }

    private func percent(at place: Int, level: Int) -> (Unicode.Scalar, end: Int)? {
        Self.decode(from: place) { place in
            guard byte(place) == UInt8(ascii: "%") else { return nil }
            for step in 0..<level {
                guard byte(place + 1 + 2 * step) == UInt8(ascii: "2"), byte(place + 2 + 2 * step) == UInt8(ascii: "5")
                else { return nil }
            }
            return hexadecimal(2, at: place + 1 + 2 * level).map { (UInt8($0), 3 + 2 * level) }
        }
    }

    /// Decodes the character whose UTF-8 begins at `start`. `byte` returns the byte at a position and the length of its
    /// spelling.
    private static func decode(from start: Int, _ byte: (Int) -> (UInt8, length: Int)?) -> (Unicode.Scalar, end: Int)? {
        guard let (first, length) = byte(start) else { return nil }
        var end = start + length
        guard first >= 0x80 else { return (Unicode.Scalar(first), end) }
        let count = (~first).leadingZeroBitCount
        guard (2...4).contains(count) else { return nil }
        var value = UInt32(first & 0x7F >> UInt8(count))
        for _ in 1..<count {
            guard let (next, length) = byte(end), next & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(next & 0x3F)
            end += length
        }
        guard let scalar = Unicode.Scalar(value), UTF8.width(scalar) == count else { return nil }
        return (scalar, end)
    }

    private func hexadecimal(_ count: Int, at place: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<count {
            guard let byte = byte(place + index), let digit = byte.hexValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

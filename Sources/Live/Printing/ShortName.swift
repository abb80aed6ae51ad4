import Events
import JSONText
import Terminal

/// Shortens ids and room names for narrow lines.
enum ShortName {
    /// Returns an id as text, with a UUID cut to its first eight digits.
    static func id(_ id: EntityID) -> String {
        switch id {
        case .uuid(let high, _): firstDigits(of: high)
        case .text(let text): shorteningIDs(text)
        }
    }

    /// Returns `text` with every UUID cut to its first eight digits.
    static func shorteningIDs(_ text: String) -> String { replacingIDs(in: text) { _ in nil } }

    /// Replaces every UUID in `text` by its name, or by its first eight digits when `name` returns `nil`.
    static func replacingIDs(in text: String, by name: (String) -> String?) -> String {
        let bytes = text.utf8.span
        var result: [UInt8] = []
        // `taken` is the end of the copied text. `dash` is the first possible place of the next UUID's first dash.
        var (taken, dash) = (0, 8)
        while dash + 28 <= bytes.count {
            guard bytes[dash] == UInt8(ascii: "-"), isUUID(bytes, at: dash - 8) else {
                dash += 1
                continue
            }
            bytes.extracting(taken..<dash - 8).withUnsafeBufferPointer { result.append(contentsOf: $0) }
            let id = bytes.extracting(dash - 8..<dash + 28).withUnsafeBufferPointer {
                String(decoding: $0, as: UTF8.self)
            }
            result.append(contentsOf: (name(id) ?? String(id.prefix(8))).utf8)
            taken = dash + 28
            dash = taken + 8
        }
        guard taken > 0 else { return text }
        bytes.extracting(taken...).withUnsafeBufferPointer { result.append(contentsOf: $0) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the first eight hexadecimal digits of a UUID from its upper half.
    private static func firstDigits(of high: UInt64) -> String {
        String(unsafeUninitializedCapacity: 8) { text in
            for place in 0..<8 {
                let nibble = UInt8(truncatingIfNeeded: high >> UInt64(60 - 4 * place)) & 15
                text.initializeElement(at: place, to: nibble + (nibble < 10 ? 0x30 : 0x57))
            }
            return 8
        }
    }

    /// Returns a room's label in at most `width` columns. The first components of a path are removed first.
    static func room(_ label: String, width: Int) -> String {
        let short = shorteningIDs(label)
        guard TerminalText.width(of: short) > width else { return short }
        if short.hasPrefix("#") || short.hasPrefix("@") { return TerminalText.truncated(short, to: width) }
        var rest = Substring(short)
        while let slash = rest.dropFirst().firstIndex(of: "/") {
            rest = rest[slash...]
            if TerminalText.width(of: String(rest)) < width { return "…" + rest }
        }
        // The parameters of a query are removed before the last component is cut.
        while let mark = rest.lastIndex(where: { $0 == "&" || $0 == "?" }), mark > rest.startIndex {
            rest = rest[..<mark]
            let cut = (rest.startIndex == short.startIndex ? "" : "…") + rest + "…"
            if TerminalText.width(of: cut) <= width { return cut }
        }
        if short.contains("/") { return TerminalText.truncated("…" + rest, to: width) }
        return TerminalText.keepingEnd(short, to: width)
    }

    private static func isUUID(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard bytes.count - start >= 36 else { return false }
        for offset in 0..<36 {
            let byte = bytes[start + offset]
            switch offset {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default: if byte.hexValue == nil { return false }
            }
        }
        return true
    }
}

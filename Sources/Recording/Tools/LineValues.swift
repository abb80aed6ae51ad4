import JSONText
import Wire

/// Visits the values of a record's line, including its payload, that a peer or a user may have set.
enum LineValues {
    /// Members that define the structure of a line and hold no data from a peer.
    private static let structure: Set<String> = [
        "k", "n", "t", "w", "c", "d", "op", "len", "st", "ph", "m", "id", "for", "at", "h", "fmt", "v", "minor", "rec",
        "seg",
        "prev", "w0", "clock", "boot", "redact", "max_payload", "seed", "act", "lvl", "tr", "proto", "phase", "retry",
        "b",
    ]

    /// Returns the line with its values changed, or `nil` if none changed. It also visits text payloads in base64, but
    /// not binary ones.
    static func changed(
        _ line: [UInt8], isBinary: Bool, seeksSecrets: Bool, _ change: PayloadWalk.Change
    ) -> [UInt8]? {
        var changes = MemberChanges()
        let text = PayloadWalk.changed(line[...], seeksSecrets: seeksSecrets) { value in
            value.keys.count == 1 && structure.contains(value.keys[0]) ? nil : change(value)
        }
        if let text, let payload = member("p", of: text) { changes.set("len", Int64(payload.count)) }
        if !isBinary, let base64 = member("b", of: line), let payload = Base64.decode(base64.span),
            let clean = PayloadWalk.changed(payload[...], under: ["p"], seeksSecrets: seeksSecrets, change)
        {
            changes.set("b", string: String(decoding: Base64.encode(clean[...]), as: UTF8.self))
            changes.set("len", Int64(clean.count))
        }
        return changes.isEmpty ? text : changes.applied(to: text ?? line)
    }

    /// Returns the value of a string member.
    private static func member(_ name: StaticString, of line: [UInt8]) -> [UInt8]? {
        do throws(JSONError) {
            var reader = JSONReader(line.span)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, name), try reader.peek() == .string { return Array(try reader.string().utf8) }
                try reader.skip()
            }
        } catch {
            // An unreadable line has no members.
        }
        return nil
    }
}

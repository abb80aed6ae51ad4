import Live
import Recording
import Wire

/// What is shown of a secret.
enum Fingerprints {
    /// A value that is, or says where, a secret is. Of a reference the place is shown, and of what is there now a fingerprint; a command
    /// is not run for it, and of its words the first is shown, since the others may be the secret.
    static func shown(_ value: String) -> String {
        guard let (before, kind, rest) = parts(of: value) else { return of(value) }
        switch kind {
        case "env": return before + "env:\(rest) " + of(.environment(rest))
        case "file": return before + "file:\(rest) " + of(.file(rest))
        default:
            let words = rest.split(separator: " ")
            return before + "cmd:" + (words.first.map(String.init) ?? "") + (words.count > 1 ? " …" : "")
        }
    }

    /// A fingerprint of text: enough to see whether two are the same.
    static func of(_ text: String) -> String { "(fingerprint \(Fingerprint.of(text)))" }

    private static func of(_ reference: TokenReference) -> String {
        do throws(TokenError) {
            return of(try reference.resolve().reveal())
        } catch {
            return "(missing)"
        }
    }

    /// What stands before a reference (a header's name, a word such as Bearer), its kind, and the rest.
    private static func parts(of value: String) -> (before: String, kind: String, rest: String)? {
        for kind in ["env", "file", "cmd"] {
            if value.hasPrefix(kind + ":") { return ("", kind, String(value.dropFirst(kind.count + 1))) }
        }
        guard let colon = value.firstIndex(of: ":") else { return nil }
        let name = value[...colon]
        let text = value[value.index(after: colon)...].drop { $0 == " " }
        for kind in ["env", "file", "cmd"] {
            if text.hasPrefix(kind + ":") { return (name + " ", kind, String(text.dropFirst(kind.count + 1))) }
            guard let space = text.firstIndex(of: " ") else { continue }
            let rest = text[space...].drop { $0 == " " }
            if rest.hasPrefix(kind + ":") {
                return (name + " " + text[..<space] + " ", kind, String(rest.dropFirst(kind.count + 1)))
            }
        }
        return nil
    }
}

import Live
import Recording
import Wire

/// Replacements for secrets in output.
enum Fingerprints {
    /// Returns a value in which a secret is replaced by a fingerprint. A reference keeps its place, followed by a
    /// fingerprint of the current secret. A command is not run; only its first word is shown, since the others may be
    /// the secret.
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

    /// Returns a fingerprint of a text, which is enough to compare two secrets.
    static func of(_ text: String) -> String { "(fingerprint \(Fingerprint.of(text)))" }

    private static func of(_ reference: TokenReference) -> String {
        do throws(TokenError) {
            return of(try reference.resolve().reveal())
        } catch {
            return "(missing)"
        }
    }

    /// Splits a value into the text before a reference (a header's name, a word such as Bearer), the kind of the
    /// reference, and the rest.
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

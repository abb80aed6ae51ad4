import JSONText
import Terminal

/// A projection of the objects of `--format json`: some members, `payload.resource.text`, `diff[0].op`, each under its way, null where an
/// object has none. All lines have the same members in the same order, whatever they are about.
public struct EnvelopeFields: Hashable, Sendable {
    /// What is wrong with a list of fields.
    public struct Malformed: Error, Hashable, Sendable {
        /// In one sentence, with a suggestion where there is one.
        public var message: String
    }

    /// A member and the way from there on.
    private struct Field: Hashable {
        var name: String
        var member: String
        var path: JSONPath
    }

    /// What a list may name, besides ways into the payload.
    public static var memberNames: [String] { Envelope.members }

    private var fields: [Field] = []

    /// Reads names with commas between them.
    public init(_ text: String) throws(Malformed) {
        for name in text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed) {
            // In filters and templates it has this name, too.
            let asked = String(name.prefix { $0 != "." && $0 != "[" })
            let member = asked == "title" ? "room_title" : asked
            guard Envelope.members.contains(member) else {
                throw Malformed(
                    message: "there is no member '\(TerminalText.truncated(member, to: 40))'"
                        + Suggestion.phrase(for: member, among: Envelope.members))
            }
            guard let path = JSONPath(name.dropFirst(asked.count), beginsInArguments: member == "payload") else {
                throw Malformed(
                    message: "invalid path '\(TerminalText.truncated(name, to: 60))'; \(JSONPath.hint)")
            }
            fields.append(Field(name: name, member: member, path: path))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Appends the projection of one object.
    func append(_ object: RawJSON, to writer: inout JSONWriter) {
        writer.beginObject()
        for field in fields {
            writer.key(field.name)
            if let value = JSONPath(key: field.member).value(in: object).flatMap({ field.path.value(in: $0) }) {
                writer.raw(value)
            } else {
                writer.null()
            }
        }
        writer.endObject()
        writer.endLine()
    }
}

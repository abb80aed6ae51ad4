import JSONText
import Terminal

/// A projection of the objects of `--format json` to some members, such as `payload.resource.text` or `diff[0].op`. The
/// key of each value is its path; a missing value is null. All lines have the same keys in the same order, for all
/// object types.
public struct EnvelopeFields: Hashable, Sendable {
    /// An error in a list of fields.
    public struct Malformed: Error, Hashable, Sendable {
        /// The error in one sentence, with a suggestion if there is one.
        public var message: String
    }

    /// A member of the object, and the path inside its value.
    private struct Field: Hashable {
        var name: String
        var member: String
        var path: JSONPath
    }

    /// The names that a list may contain. A path may follow a name.
    public static var memberNames: [String] { Envelope.members }

    private var fields: [Field] = []

    /// Parses a comma-separated list of names and paths.
    public init(_ text: String) throws(Malformed) {
        for name in text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed) {
            // Filters and templates use the name `title` for the same member.
            let asked = String(name.prefix { $0 != "." && $0 != "[" })
            let member = asked == "title" ? "room_title" : asked
            guard Envelope.members.contains(member) else {
                throw Malformed(
                    message: "unknown member '\(TerminalText.truncated(member, to: 40))'"
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

    /// Appends the projection of one object as a line.
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

/// How events are printed.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// A block of lines for each event: all of its text, every field that changed.
    case pretty
    /// One line for each event and each change, cut at the width of the terminal.
    case compact
    /// One line for each message, edit and deletion, and for each member that joins or leaves; nothing else but gaps.
    case chat
    /// One JSON object a line, `schemas/envelope.schema.json`.
    case json
    /// The packets' JSON arrays (the name, then the arguments), one a line, and nothing else; inert on a terminal.
    case jsonl
    /// The packets' JSON arrays as they came, one a line, and nothing else. Not inert on a terminal.
    case raw
    /// A table of the events: a heading, then one row for each, in columns that stay where they are.
    case table
}

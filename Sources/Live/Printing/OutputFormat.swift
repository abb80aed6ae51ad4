/// The built-in formats for printing events.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// A block of lines for each event, with its full text and every changed field.
    case pretty
    /// One line for each event and each change, cut at the width of the terminal.
    case compact
    /// One line for each message, edit and deletion, and for each member that joins or leaves. Only gaps are added.
    case chat
    /// One JSON object per line, in the format of `schemas/envelope.schema.json`.
    case json
    /// The packets' JSON arrays (the name, then the arguments), one per line, and nothing else. Safe on a terminal.
    case jsonl
    /// The packets' JSON arrays as received, one per line, and nothing else. Not safe on a terminal.
    case raw
    /// A table of events: a heading, then one row per event, in columns that never move.
    case table
}

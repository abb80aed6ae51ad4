import Events
import JSONText
import Pipeline

/// Rows of a model as one line each. Control characters are not escaped.
enum ItemLine {
    static func text(of item: JSONValue) -> String {
        guard let entity = item["entity"] else { return "" }
        func text(_ key: String) -> String? {
            if case .string(let text)? = entity[key], !text.isEmpty { text } else { nil }
        }
        let id = text("user_id") ?? text("user") ?? text("sender_id")
        let isUser = item["is_user"] == .bool(true)
        // GroupMe's messages are sorted by their ids.
        if case .integer(let time)? = entity["created_at"] ?? item["sort"], time > 0,
            let words = said(in: entity, text("text"))
        {
            let who = (text("sender_name") ?? text("name") ?? id ?? "") + (isUser ? " (you)" : "")
            return TimeOfDay.text(wall: time.multipliedReportingOverflow(by: 1000).partialValue) + "  " + who + "  "
                + words
        }
        return [id, text("nickname") ?? text("name"), text("type"), isUser ? "(you)" : nil]
            .compactMap(\.self).joined(separator: "  ")
    }

    /// Returns the text of a message with its attached files; `nil` if it has neither.
    private static func said(in entity: JSONValue, _ text: String?) -> String? {
        guard let files = entity["files"].flatMap({ FilePreview.text(of: $0) }) else { return text }
        return [text, files].compactMap(\.self).joined(separator: " ")
    }
}

/// The time of day of a wall clock.
enum TimeOfDay {
    /// Returns the UTC time of day as `HH:MM:SS`. `wall` is in microseconds since 1970.
    static func text(wall: Int64) -> String {
        let day: Int64 = 86_400
        let seconds = ((wall / 1_000_000) % day + day) % day
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { ($0 < 10 ? "0" : "") + String($0) }
            .joined(separator: ":")
    }
}

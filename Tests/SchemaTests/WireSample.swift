import Testing
import TestSupport
import WeirJSON

/// A message of a backend from `samples/events`.
struct WireSample: CustomTestStringConvertible {
    var note: String
    var value: JSONValue

    var testDescription: String { note }

    /// The schemas of Twake's messages. Each case is named after the schema that describes a whole value.
    enum Format: String, CaseIterable, CustomTestStringConvertible {
        case event = "twake-event"
        case answer = "twake-answer"

        var testDescription: String { rawValue }

        /// Returns the published schema together with the schema of the entities that it refers to.
        func schema() throws -> Schema {
            let members = try ["twake-entity", rawValue].map { JSONValue.Member($0, try WireSample.published($0)) }
            return Schema(
                .object([
                    .init("$schema", members.first?.value["$schema"] ?? .null),
                    .init("$ref", .string("urn:weir:\(rawValue):1")), .init("$defs", .object(members)),
                ]))
        }

        /// Returns the samples that must be valid.
        func samples() throws -> [WireSample] {
            switch self {
            case .event: try WireSample.events("twake-events")
            case .answer:
                try WireSample.load("twake-answers").map { sample in
                    WireSample(
                        note: "\(sample.text("what")): \(sample.text("note"))",
                        value: .object([
                            .init("what", sample["what"] ?? .null), .init("body", sample["body"] ?? .null),
                        ]))
                }
            }
        }

        /// Returns the samples that must be refused, because the decoders refuse them.
        func malformed() throws -> [WireSample] {
            switch self {
            case .event: try WireSample.events("twake-malformed")
            case .answer:
                try WireSample.malformedAnswers.map { what, body in
                    let body = try JSONValue(parsing: Array(body.utf8)[...])
                    return WireSample(
                        note: "\(what) \(body.text)",
                        value: .object([.init("what", .string(what)), .init("body", body)]))
                }
            }
        }
    }

    private static let malformedAnswers = [
        ("channels", "{}"), ("channels", #"{"resources":null}"#), ("channels", #"[{"id":"CH"}]"#),
        ("channels", #"{"resources":[{"id":"CH","company_id":"C","workspace_id":{}}]}"#), ("channels", "7"),
        ("channel", #"{"resource":null}"#), ("messages", #"[{"text":"no id"}]"#), ("message", "[]"),
        ("message", #"{"resource":{"id":"M","reactions":[{"count":1}]}}"#), ("account", #"{"resource":{}}"#),
        ("companies", #"[{"name":"no id"}]"#), ("workspaces", #"[{"id":"W","name":[]}]"#),
        ("badges", #"[{"company_id":"C","workspace_id":"W","channel_id":"CH"}]"#),
        ("badge_counts", #"[{"type":"company","id":"C"}]"#), ("rooms", #"[{"key":"/a","id":"public"}]"#),
        ("authentication", #"{"token":"","expiration":1}"#), ("authentication", #"{"access_token":{"value":"t"}}"#),
        ("file", #"{"name":"no id"}"#), ("online_statuses", #"{"data":[["U1"]]}"#),
        ("push", #"{"data":{"notification_data":{}}}"#), ("members", #"{"resources":[7]}"#), ("nothing", "{}"),
    ]

    static func published(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: try readFile("\(packageFolder)/schemas/\(name).schema.json")[...])
    }

    private static func load(_ file: String) throws -> [JSONValue] {
        let samples = try JSONValue(parsing: try readFile("\(packageFolder)/samples/events/\(file).json")[...])
        guard case .array(let elements) = samples else { return [] }
        return elements
    }

    private static func events(_ file: String) throws -> [WireSample] {
        try load(file).map { sample in
            guard case .array(let arguments) = sample["args"] else { return WireSample(note: "", value: .null) }
            return WireSample(note: sample.text("note"), value: .array([sample["name"] ?? .null] + arguments))
        }
    }
}

extension JSONValue {
    /// The text of the member called `name`, or an empty text if it is not a string.
    fileprivate func text(_ name: String) -> String {
        if case .string(let text) = self[name] { text } else { "" }
    }

    /// Returns every way to put a value that no server writes there into this one, except inside the members named in
    /// `foreign`.
    func miscast(sparing foreign: Set<String>) -> [JSONValue] {
        switch self {
        case .bool: return [.string("x")]
        case .null, .integer, .number, .string, .text: return [.bool(true)]
        case .array(let elements):
            return [.bool(true)]
                + elements.indices.flatMap { index in
                    elements[index].miscast(sparing: foreign).map { wrong -> JSONValue in
                        var elements = elements
                        elements[index] = wrong
                        return .array(elements)
                    }
                }
        case .object(let members):
            return [.bool(true)]
                + members.indices.flatMap { index in
                    let (key, value) = (members[index].key, members[index].value)
                    let wrong = foreign.contains(key) ? [.bool(true)] : value.miscast(sparing: foreign)
                    return wrong.map { wrong -> JSONValue in
                        var members = members
                        members[index].value = wrong
                        return .object(members)
                    }
                }
        }
    }
}

import WeirJSON

/// The documentation of a kind of event: its names on the wire, its contents, its handlers and their treatment of it.
/// It is built from the tables that decode, route and handle events.
package struct EventGuide: Sendable {
    /// A value in the payload of an event.
    package struct Field: Hashable, Sendable {
        /// The path to the value, as filters, `--fields` and templates use it.
        package var path: String
        /// The type of the value: a kind of JSON value, or the type as which a profile reads it.
        package var type: String
    }

    /// The treatment of an event that has a certain relation to the model.
    package struct Treatment: Hashable, Sendable {
        /// The relation of the event to the model.
        package var standing: String
        /// Whether the handler applies the contents of the event.
        package var applies: Bool
        /// The resource that the handler fetches; empty for nothing.
        package var refetch: String
        /// Whether the handler removes the row.
        package var removes = false
    }

    /// The kind of the event, as printed and filtered on.
    package var kind: String
    /// The names on the wire, each with the type of the resource if it has one.
    package var wireNames: [String]
    /// The values in the payload. Values that occur under only some of the wire names come last.
    package var fields: [Field]
    /// The handlers of the event; empty if the event is only shown.
    package var handlers: [String]
    /// The treatments of the event, by the subject that it is about.
    package var treatments: [(subject: String, cases: [Treatment])]
}

extension EventGuide {
    /// Adds the documentation of another event of the same kind.
    mutating func merge(_ other: EventGuide) {
        wireNames += other.wireNames.filter { !wireNames.contains($0) }
        for field in other.fields {
            guard let index = fields.firstIndex(where: { $0.path == field.path }) else {
                fields.append(field)
                continue
            }
            fields[index].type = Field.common(fields[index].type, field.type)
        }
        handlers += other.handlers.filter { !handlers.contains($0) }
        treatments += other.treatments.filter { treatment in
            !treatments.contains { $0.subject == treatment.subject }
        }
    }

    /// Returns one guide for each kind, ordered by name. Treatments that all events of a kind share are listed once.
    /// Each event has at most one subject.
    static func byKind(_ guides: [EventGuide]) -> [EventGuide] {
        Dictionary(grouping: guides, by: \.kind).values.map { guides in
            var kind = guides[0]
            for guide in guides.dropFirst() { kind.merge(guide) }
            var told: [(subject: String, names: [String], cases: [Treatment])] = []
            for guide in guides {
                guard let (subject, cases) = guide.treatments.first else { continue }
                if let index = told.firstIndex(where: { $0.subject == subject && $0.cases == cases }) {
                    told[index].names += guide.wireNames
                } else {
                    told.append((subject, guide.wireNames, cases))
                }
            }
            kind.treatments = told.map { subject, names, cases in
                (told.count == 1 ? subject : "\(subject), for \(names.joined(separator: ", "))", cases)
            }
            return kind
        }.sorted { $0.kind < $1.kind }
    }
}

extension EventGuide.Field {
    /// The type of a value that may be present and is in no specimen.
    static let optional = "optional"

    /// Returns the values in a specimen of a payload. The object at `place` may also have members with these `names`.
    static func all(in payload: RawJSON, also names: [String] = [], at place: String = "") -> [Self] {
        guard let json = try? JSONValue(parsing: payload.bytes) else { return [] }
        var fields: [Self] = []
        if case .array(let elements) = json {
            for (index, argument) in elements.enumerated().dropFirst() {
                // A path that starts with a key starts in the first argument.
                let isFirst = if case .object = argument { index == 1 } else { false }
                add(argument, at: isFirst ? [] : [.element(index)], to: &fields)
            }
        } else {
            add(json, at: [], to: &fields)
        }
        for name in names {
            let path = FilterField.payload([.key(place), .key(name)]).description
            if fields.contains(where: { $0.path == path || $0.path.hasPrefix(path + ".") }) { continue }
            fields.append(Self(path: path, type: optional))
        }
        return fields
    }

    private static func add(_ value: JSONValue, at way: [FilterField.Step], to fields: inout [Self]) {
        if case .object(let members) = value, !members.isEmpty {
            for member in members { add(member.value, at: way + [.key(member.key)], to: &fields) }
        } else if !way.isEmpty {
            fields.append(Self(path: FilterField.payload(way).description, type: words(for: value)))
        }
    }

    private static func words(for value: JSONValue) -> String {
        switch value {
        case .null: "any"
        case .bool: "true or false"
        case .integer, .number, .text: "number"
        case .string: "text"
        case .array: "list"
        case .object: "object"
        }
    }

    /// Returns the type that covers the types of two specimens.
    fileprivate static func common(_ a: String, _ b: String) -> String {
        a == b || b == optional ? a : a == optional ? b : "any"
    }
}

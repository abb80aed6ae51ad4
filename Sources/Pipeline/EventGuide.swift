import JSONText

/// What is known of a kind of event: what the wire calls it, what it holds, whom it reaches and what that sets off. Made of the tables
/// that decode, route and treat events.
package struct EventGuide: Sendable {
    /// A value in the event's payload.
    package struct Field: Hashable, Sendable {
        /// The way to it, as filters, `--fields` and templates ask for it.
        package var path: String
        /// What it is: a kind of JSON value, or what a profile reads it as.
        package var type: String
    }

    /// What is done when the event stands so to what the model holds.
    package struct Treatment: Hashable, Sendable {
        /// How it stands.
        package var standing: String
        /// Whether what the event carries is applied.
        package var applies: Bool
        /// What is fetched; empty for nothing.
        package var refetch: String
        /// Whether the row goes.
        package var removes = false
    }

    /// The kind, as printed and filtered on.
    package var kind: String
    /// The names on the wire, with the resource's type where it has one.
    package var wireNames: [String]
    /// What it holds; what some of the wire's names alone have comes last.
    package var fields: [Field]
    /// Who handles it; nobody when it is only shown.
    package var handlers: [String]
    /// What is done by each of the subjects it is about.
    package var treatments: [(subject: String, cases: [Treatment])]
}

extension EventGuide {
    /// Takes in what is known of another event of the same kind.
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

    /// One guide for each kind, in the order of their names; treatments that all events of a kind share are listed once. Each event has one
    /// subject at most.
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
    /// What may be there, and is in no specimen.
    static let optional = "optional"

    /// The values in a specimen of a payload. The object at `place` may also have members of these `names`.
    static func all(in payload: RawJSON, also names: [String] = [], at place: String = "") -> [Self] {
        guard let json = try? JSONValue(parsing: payload.bytes) else { return [] }
        var fields: [Self] = []
        if case .array(let elements) = json {
            for (index, argument) in elements.enumerated().dropFirst() {
                // What begins with a key begins in the first argument.
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

    /// What a value is that two specimens have.
    fileprivate static func common(_ a: String, _ b: String) -> String {
        a == b || b == optional ? a : a == optional ? b : "any"
    }
}

/// A script for the server's world: who is there, what happened before, and what happens when.
///
/// A scenario is pure data and arithmetic: with the same seed it is the same on every machine.
package struct Scenario: Sendable {
    /// The people and places, known before anything happens.
    struct Cast: Hashable, Sendable {
        struct Place: Hashable, Sendable {
            var label: String
            var name: String
        }
        struct Person: Hashable, Sendable {
            var label: String
            var username: String
            var firstName: String
            var lastName: String
            /// Whether there is a picture of the person.
            var hasPicture = false
        }
        var company: String
        var workspaces: [Place]
        var people: [Person]
        /// Whose tokens the server gives when nobody is named.
        var me: String
    }

    /// One action at one time.
    struct Step: Hashable, Sendable {
        /// Milliseconds since the script began; negative for what happened before.
        var at: Int64
        var by: String
        var action: UserAction<String>
        /// What later steps call the message or channel this step makes.
        var label: String?
    }

    /// Where steps come from.
    enum Steps: Sendable {
        /// A list that ends, ordered by time.
        case list([Step])
        /// The team of `workspace`, who never stop.
        case team(TeamScript)
    }

    var cast: Cast
    /// Steps with negative times, ordered.
    var history: [Step]
    var steps: Steps
}

extension Scenario {
    /// A company in which people, of whom the first watches, did one thing a minute, until now. All are called as they are labelled.
    package init(
        places: KeyValuePairs<String, String>, people: KeyValuePairs<String, (first: String, last: String)>,
        history: [(by: String, action: UserAction<String>, label: String?)]
    ) {
        let cast = Cast(
            company: "Company", workspaces: places.map { Cast.Place(label: $0.key, name: $0.value) },
            people: people.map {
                Cast.Person(label: $0.key, username: $0.key, firstName: $0.value.first, lastName: $0.value.last)
            }, me: people[0].key)
        let steps = history.enumerated().map { index, step in
            Step(at: Int64(index - history.count) * 60_000, by: step.by, action: step.action, label: step.label)
        }
        self.init(cast: cast, history: steps, steps: .list([]))
    }

    /// The names of the scenarios that are built in.
    package static let names = ["workspace"]

    /// A built-in scenario; nil when there is none of that name.
    package init?(named name: String, seed: UInt64) {
        guard name == "workspace" else { return nil }
        self = .workspace(seed: seed)
    }
}

/// A scenario that cannot be used: where, and what was expected.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    package var file: String
    /// The line, counted from 1; nil when the file as a whole is meant.
    package var line: Int?
    /// What is wrong and what was expected.
    package var message: String
    /// One line for people.
    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(message)" }
}

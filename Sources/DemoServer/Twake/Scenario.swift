/// A script for the server's world: its users, its history, and future actions with their times.
///
/// A scenario is pure data and arithmetic. With the same seed it is the same on every machine.
package struct Scenario: Sendable {
    /// The users and workspaces, known before anything happens.
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
            /// Whether the user has a picture.
            var hasPicture = false
        }
        var company: String
        var workspaces: [Place]
        var people: [Person]
        /// The label of the user of the server's tokens, unless a caller names another.
        var me: String
    }

    /// One user's action at one time.
    struct Step: Hashable, Sendable {
        /// The time in milliseconds since the script began; negative for events before it.
        var at: Int64
        var by: String
        var action: UserAction<String>
        /// The name by which later steps refer to the message or channel that this step creates.
        var label: String?
    }

    /// The source of the steps after the start.
    enum Steps: Sendable {
        /// A finite list of steps, ordered by time.
        case list([Step])
        /// The endless script of the team in `workspace`.
        case team(TeamScript)
    }

    var cast: Cast
    /// The steps before the start, with negative times, in order.
    var history: [Step]
    var steps: Steps
}

extension Scenario {
    /// Creates a company whose users performed one action per minute until now. The first user is the one whose view is
    /// followed. User names equal the labels.
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

    /// The names of the built-in scenarios.
    package static let names = ["workspace"]

    /// Returns a built-in scenario; `nil` when the name is unknown.
    package init?(named name: String, seed: UInt64) {
        guard name == "workspace" else { return nil }
        self = .workspace(seed: seed)
    }
}

/// The reason why a scenario cannot be used, with its position and the expected form.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file's name, as the caller wrote it.
    package var file: String
    /// The line, counted from 1; `nil` when the error concerns the whole file.
    package var line: Int?
    /// The problem and the expected form.
    package var message: String
    /// The error as one line for people.
    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(message)" }
}

/// What is known of a kind of event: what the wire calls it, what it holds, whom it reaches and what that sets off. Made of the tables
/// that decode, route and treat events.
package struct EventGuide: Sendable {
    /// A member of the decoded event.
    package struct Field: Hashable, Sendable {
        /// Its name in the code.
        package var name: String
        /// What it holds, in the code's words.
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

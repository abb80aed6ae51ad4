/// What is known of a kind of event: what the wire calls it, what it holds, whom it reaches and what that sets off. Made of the tables
/// that decode, route and treat events.
public struct EventGuide: Sendable {
    /// A member of the decoded event.
    public struct Field: Hashable, Sendable {
        /// Its name in the code.
        public var name: String
        /// What it holds, in the code's words.
        public var type: String
    }

    /// What is done when the event stands so to what the model holds.
    public struct Treatment: Hashable, Sendable {
        /// How it stands.
        public var standing: String
        /// Whether what the event carries is applied.
        public var applies: Bool
        /// What is fetched; empty for nothing.
        public var refetch: String
    }

    /// The kind, as printed and filtered on.
    public var kind: String
    /// The names on the wire, with the resource's type where it has one.
    public var wireNames: [String]
    /// What it holds; what some of the wire's names alone have comes last.
    public var fields: [Field]
    /// Who handles it; nobody when it is only shown.
    public var handlers: [String]
    /// What is done by each of the subjects it is about.
    public var treatments: [(subject: String, cases: [Treatment])]

    /// Every kind of Twake's, in the order of their names.
    public static let twake: [EventGuide] = TwakeGuide.all

    /// Every kind of GroupMe's, in the order of their names.
    public static let groupMe: [EventGuide] = GroupMeGuide.kinds

    /// The same, each of the wire's names by itself: every type of push, and every event that messages of the server's own have.
    public static let groupMeEvents: [EventGuide] = GroupMeGuide.all
}

import Events

/// The facts about the server and the selected place. Discovery finds them step by step; then they rarely change.
struct TwakeFacts: Sendable {
    /// A company or a workspace, as listed by the server.
    struct Place: Sendable {
        var id: EntityID
        /// The displayed name, which is untrusted text.
        var name: String

        /// The name followed by the id, for messages to the user.
        var label: String { "\(name) (\(id))" }
    }

    /// The era of the server, or `nil` until it is known.
    var era: TwakeEra?
    var company: EntityID?
    var workspace: EntityID?
    /// The user's companies in the last answer, or `nil` before the first.
    var companies: [Place]?
    /// The workspaces of each company in the last answer.
    var workspaces: [EntityID: [Place]] = [:]
    var user: EntityID?
    /// The kinds of rows that the session follows in addition to channels and messages.
    var following: Configuration.Following
    /// Whether era A is assumed only because the service of era B does not answer.
    var isEraGuessed = false
    /// Whether era A was chosen because the service of era B was absent. Full looks probe for it again.
    var isEraByAbsence = false
    /// Whether the server returns messages with the context they were sent with; `nil` until one of the session's
    /// messages shows it.
    var keepsContext: Bool?
    /// Whether no REST service was found. It is probed again on the next connection and with the next full look.
    var hasNoREST = false
    /// Whether the REST service has ever given an answer of Twake.
    var hasREST = false
    /// Whether the session has warned the user that the server has no REST service.
    var toldOfNoREST = false

    /// Forgets that the REST service was absent, so that it is probed again.
    mutating func forgetAbsence() {
        guard hasNoREST else { return }
        hasNoREST = false
        if isEraGuessed { era = nil }
    }

    /// The era to use; era B while it is unknown.
    var effectiveEra: TwakeEra { era ?? .b }
}

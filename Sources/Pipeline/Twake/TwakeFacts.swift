import Events

/// What is known about the place the user looks at; found out step by step, then constant.
struct TwakeFacts: Sendable {
    /// A company or a workspace.
    struct Place: Sendable {
        var id: EntityID
        /// Untrusted.
        var name: String

        /// For people.
        var label: String { "\(name) (\(id))" }
    }

    /// The era spoken; nil until it is known.
    var era: TwakeEra?
    var company: EntityID?
    var workspace: EntityID?
    /// The user's companies, as they were listed last; nil before that.
    var companies: [Place]?
    /// The workspaces of each company, as they were listed last.
    var workspaces: [EntityID: [Place]] = [:]
    var user: EntityID?
    /// What is followed beside channels and messages.
    var following: Configuration.Following
    /// Whether era A is believed only because the other era's service does not answer.
    var isEraGuessed = false
    /// Whether era A was chosen because the other era's service was not there, if only for a moment: it is looked for again.
    var isEraByAbsence = false
    /// Whether the server gives a message back with the context it was sent with; nil while none of ours has shown it.
    var keepsContext: Bool?
    /// Whether there turned out to be no REST service; asked again on the next connection, and with the next full look.
    var hasNoREST = false
    /// Whether the REST service has ever answered as one of Twake's.
    var hasREST = false
    /// Whether the user was told that there is none.
    var toldOfNoREST = false

    /// What was not there may be now: it is asked for again.
    mutating func forgetAbsence() {
        guard hasNoREST else { return }
        hasNoREST = false
        if isEraGuessed { era = nil }
    }

    /// The era to use where none is known: the newer one.
    var effectiveEra: TwakeEra { era ?? .b }
}

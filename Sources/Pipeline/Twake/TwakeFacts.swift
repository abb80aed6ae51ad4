import Events

/// What is known about the place the user looks at; found out step by step, then constant.
struct TwakeFacts: Sendable {
    /// The era spoken; nil until it is known.
    var era: TwakeEra?
    var company: EntityID?
    var workspace: EntityID?
    var user: EntityID?
    /// Whether there turned out to be no REST service.
    var hasNoREST = false

    /// The era to use where none is known: the newer one.
    var effectiveEra: TwakeEra { era ?? .b }
}

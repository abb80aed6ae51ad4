/// What is taken out of a recording while it is written. A head names the rules that were used.
public enum RedactionRule: String, Hashable, Sendable, CaseIterable {
    /// Every spelling of every secret that was told to the writer becomes `‹redacted›`. Always in force.
    case secrets
    /// `Authorization` headers: no header but `retry-after` is written at all.
    case authorization
    /// Cookies: likewise.
    case cookies
    /// The values of members called `token`, `password` and the like (`SecretName`) in what is sent, and in the queries of addresses,
    /// become `‹redacted›`.
    case credentials
    /// Session ids, which let others take over a session, become `sid-` and a hash with a salt that is in no file: equal ones stay
    /// equal in all segments of a recording, which then still replays.
    case sessions
    /// Secrets in what is received become `‹secret-…›`, before anything else sees it (`SecretScrubber`): a writer finds them replaced.
    case received
}

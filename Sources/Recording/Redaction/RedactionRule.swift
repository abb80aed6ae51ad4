/// A kind of data that is removed from a recording as it is written. The head names the rules in use.
public enum RedactionRule: String, Hashable, Sendable, CaseIterable {
    /// Every spelling of every secret known to the writer becomes `‹redacted›`. Always in force.
    case secrets
    /// `Authorization` headers: no header except `retry-after` is written at all.
    case authorization
    /// Cookies: no header except `retry-after` is written at all.
    case cookies
    /// The values of members called `token`, `password` and the like (`SecretName`) in sent data, and in the queries of
    /// URLs, become `‹redacted›`.
    case credentials
    /// Session ids, which allow others to take over a session, become `sid-` and a hash. Its salt is in no file. Equal
    /// ids get equal hashes in all segments of a recording, so it still replays.
    case sessions
    /// Secrets in received data become `‹secret-…›` before any other code sees them (`SecretScrubber`). A writer
    /// receives them already replaced.
    case received
}

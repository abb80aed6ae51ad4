import Events

/// Asking whose a token is (`reference/groupme.md` 3.6): a request and the reading of its answer, for a hand without a session.
package enum GroupMeAccount {
    /// Asks who one is.
    package static let whoami = GroupMeEndpoints.me.call

    /// The user's id in the answer to `whoami`; nil when it has none.
    package static func user(from body: ArraySlice<UInt8>) -> String? {
        (try? GroupMeEndpoints.me.parse(body))?.id.description
    }
}

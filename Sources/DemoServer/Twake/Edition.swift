/// Which of the real servers a world behaves as, where they differ (`reference/twake.md` section 0).
package enum Edition: Hashable, Sendable {
    /// That of 2021, eras A and B.
    case of2021
    /// The last one, era C: heads are sent again after each reply, frames of replies come many times, the last message of a channel follows
    /// its edits, and what went wrong is not told.
    case last
}

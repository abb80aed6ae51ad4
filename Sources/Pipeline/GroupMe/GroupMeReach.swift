import Events

/// How far the messages of one conversation are known without a hole.
///
/// The cursor of catching up is the end of what is known gap-free, never the newest message that is held: a push that comes before the
/// catch-up has ended would move it past the hole (section 6).
///
///     nothing ──a page──► upTo ──a page that does not reach back to it──► behind ──the rest──► upTo
struct GroupMeReach: Sendable {
    /// What is to be asked for next.
    enum Step: Hashable {
        /// Nothing: all is known.
        case done
        /// What follows this message.
        case after(GroupMe.MessageID)
        /// Too much was missed; the messages between the two are not fetched.
        case givenUp
    }

    private enum State: Hashable {
        /// No page has come. Follows: upTo.
        case nothing
        /// All is known from some message up to this one. Follows: behind.
        case upTo(GroupMe.Place)
        /// There is a hole behind the place, to be filled up to the other one; so many pages were asked for. Follows: upTo.
        case behind(GroupMe.Place, newest: GroupMe.Place, pages: Int)
    }

    /// Pages that are asked for to fill one hole.
    static let mostPages = 50

    private var state = State.nothing

    /// Where the hole begins that is being filled.
    var hole: GroupMe.MessageID? { if case .behind(let edge, _, _) = state { edge.message } else { nil } }

    /// A page of the newest messages came, in whichever order.
    mutating func newestPage(_ messages: [GroupMe.Message]) -> Step {
        guard let newest = messages.map(\.place).max(), let oldest = messages.map(\.place).min() else { return .done }
        switch state {
        case .nothing:
            state = .upTo(newest)
            return .done
        case .upTo(let edge):
            if oldest <= edge {
                state = .upTo(max(edge, newest))
                return .done
            }
            state = .behind(edge, newest: newest, pages: 1)
            return .after(edge.message)
        case .behind(let edge, let before, let pages):
            if oldest <= edge {
                state = .upTo(max(edge, newest))
                return .done
            }
            state = .behind(edge, newest: max(before, newest), pages: pages)
            return .after(edge.message)
        }
    }

    /// The page behind a message came, oldest first; of another message than the one that was asked for nothing follows.
    mutating func page(after message: GroupMe.MessageID, _ messages: [GroupMe.Message]) -> Step {
        guard case .behind(let edge, let newest, let pages) = state, edge.message == message else { return .done }
        // A cursor that does not move would be followed for ever (3.4).
        guard let last = messages.map(\.place).max(), edge < last else {
            state = .upTo(max(edge, newest))
            return .done
        }
        if newest <= last {
            state = .upTo(last)
            return .done
        }
        guard pages < Self.mostPages else {
            state = .upTo(newest)
            return .givenUp
        }
        state = .behind(last, newest: newest, pages: pages + 1)
        return .after(last.message)
    }
}

import Events

/// How what an event carries stands to what the model holds.
enum TwakeStanding: Hashable, Sendable {
    /// The model does not know the entity.
    case unknown
    /// The model's is newer: the event was overtaken.
    case older
    /// The model's is the same: a twin, or an echo.
    case same
    /// The model's is another one and nothing says which is the newer: there is no time, or the times are equal.
    case doubtful
    /// The event's is newer.
    case newer
    /// The entity is gone, says the event.
    case removed
}

/// What an event may be about.
enum TwakeSubject: Hashable, Sendable, CaseIterable {
    /// `channel`, `channels`: what a channel is called and looks like.
    case channel
    /// `channel_activity`.
    case activity
    /// `channel_member` of the user themselves, in a list room.
    case ownMembership
    /// `channel_member` of anybody, in a channel's own room or in the list of a channel whose members are shown.
    case member
    /// `message` of eras B and C: the whole message.
    case message
    /// The head of a reply that is new, gone or moved: its counter is not sent (T3).
    case replyCounter
    /// `realtime:event` of era A: a message's ids.
    case messageNotice
    /// `user_notification_badges`.
    case badge
    /// `user`: an account.
    case account
    /// `workspace`.
    case workspace
    /// `company`.
    case company
    /// `company_user`: what a user may do in a company.
    case companyUser
    /// `user:online`: whether a user is there.
    case presence
    /// `writing`: whether a user types. Told, never kept.
    case typing
}

/// What is done about an event.
struct TwakeTreatment: Hashable, Sendable {
    /// What is fetched, and when.
    enum Refetch: Hashable, Sendable {
        /// Nothing.
        case none
        /// The list that holds the channel, at once: only it knows whether the channel is the user's.
        case list
        /// The same, a little later: what made it doubtful mostly comes in bursts.
        case listSoon
        /// The channel's own row, a little later (era B; the list on era A, which has no such call).
        case channelSoon
        /// The members of the channel.
        case members
        /// The one message.
        case message
        /// The head of the message's thread.
        case head
        /// The one account.
        case account
        /// The list of the user's companies, or of a company's workspaces, a little later.
        case placesSoon
        /// All badges of the company, a little later: N frames, one count (T6).
        case badgesSoon
    }

    /// Whether the payload is applied.
    var applies: Bool
    var refetch: Refetch

    static let ignore = TwakeTreatment(applies: false, refetch: .none)
    static let apply = TwakeTreatment(applies: true, refetch: .none)
    static func verify(_ refetch: Refetch) -> TwakeTreatment { TwakeTreatment(applies: true, refetch: refetch) }
    static func ask(_ refetch: Refetch) -> TwakeTreatment { TwakeTreatment(applies: false, refetch: refetch) }
}

/// The one place that says what is applied from the payload and what is refetched. A payload that is complete and newer is applied; what is
/// doubtful is applied and verified; what is incomplete is asked for, as narrowly as the service allows.
enum TwakeTable {
    static func treatment(of subject: TwakeSubject, _ standing: TwakeStanding) -> TwakeTreatment {
        switch (subject, standing) {
        // Whether an unknown channel is the user's, only the list knows (T7, T9).
        case (.channel, .unknown), (.activity, .unknown): .ask(.list)
        case (.channel, .older), (.activity, .older), (.channel, .same), (.activity, .same): .ignore
        case (.channel, .doubtful): .verify(.channelSoon)
        case (.activity, .doubtful): .verify(.listSoon)
        case (.channel, .newer), (.activity, .newer): .apply
        // `channel deleted` is final: an id never comes back (T13).
        case (.channel, .removed): .apply
        case (.activity, .removed): .ignore

        case (.ownMembership, .unknown): .ask(.list)
        case (.ownMembership, .same): .ignore
        case (.ownMembership, .newer): .apply
        // A read marker that goes back is a frame that was overtaken, or a channel marked unread.
        case (.ownMembership, .older), (.ownMembership, .doubtful): .ask(.listSoon)
        // The user may have been added again before: the removal has no time (3.3).
        case (.ownMembership, .removed): .verify(.listSoon)

        case (.member, .older), (.member, .same): .ignore
        case (.member, .newer): .apply
        case (.member, .unknown), (.member, .doubtful), (.member, .removed): .verify(.members)

        case (.message, .unknown), (.message, .newer): .apply
        case (.message, .older), (.message, .same): .ignore
        case (.message, .doubtful): .verify(.message)
        // Eras B and C never send it: a deletion is an update (T5).
        case (.message, .removed): .ask(.message)

        case (.replyCounter, .unknown), (.replyCounter, .doubtful), (.replyCounter, .newer), (.replyCounter, .removed):
            .ask(.head)
        case (.replyCounter, .older), (.replyCounter, .same): .ignore

        // Ids only (3.1).
        case (.messageNotice, .removed): .apply
        case (.messageNotice, .unknown), (.messageNotice, .older), (.messageNotice, .same), (.messageNotice, .doubtful),
            (.messageNotice, .newer):
            .ask(.message)

        // A badge has no time, and its frames overtake each other.
        case (.badge, .unknown), (.badge, .older), (.badge, .doubtful), (.badge, .newer), (.badge, .removed):
            .verify(.badgesSoon)
        case (.badge, .same): .ask(.badgesSoon)

        // Whose messages nobody saw need not be known.
        case (.account, .unknown): .ask(.account)
        case (.account, .same), (.account, .older): .ignore
        case (.account, .doubtful), (.account, .newer), (.account, .removed): .verify(.account)

        // No server keeps more of it than it says; who is there is asked for from time to time all the same, since none tells who left.
        case (.presence, .same), (.presence, .older): .ignore
        case (.presence, .unknown), (.presence, .doubtful), (.presence, .newer), (.presence, .removed): .apply
        case (.typing, _): .apply

        // Whether an unknown one is the user's, only the list knows. None has a time.
        case (.workspace, .unknown), (.company, .unknown), (.companyUser, .unknown), (.companyUser, .removed):
            .ask(.placesSoon)
        case (.workspace, .same), (.company, .same), (.companyUser, .same): .ignore
        case (.workspace, .older), (.company, .older), (.companyUser, .older): .ignore
        case (.workspace, .doubtful), (.workspace, .newer), (.workspace, .removed), (.company, .doubtful),
            (.company, .newer), (.company, .removed), (.companyUser, .doubtful), (.companyUser, .newer):
            .verify(.placesSoon)
        }
    }
}

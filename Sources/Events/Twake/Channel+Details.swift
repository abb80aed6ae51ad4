public import JSONText

extension Twake.Channel.Profile {
    /// What few frames say of a channel. Behind a reference of its own, so that a channel with none of it is small and costs no more to
    /// read.
    struct Details: Hashable, Sendable {
        var memberType: Twake.MemberType?
        var isFavorite: Bool?
        var notificationLevel: Twake.NotificationLevel?
        var isMember: Bool?
        var role: Twake.Role?
        var permissions: [Twake.Permission] = []
        var statedMembersCount: Int?
        var messagesCount: Int?
        var isReadOnly: Bool?
        var archivedAt: Timestamp?
        var group: String?
        var connectors: RawJSON?

        /// Of a channel of which none of it is said.
        static let absent = Details()
    }

    /// Whether any of the fields below that are optional or lists has a value: without, there is nothing to look at.
    public var hasDetails: Bool { details != nil }

    @inline(__always)
    private func detail<Value>(_ detail: KeyPath<Details, Value>) -> Value {
        guard let details else { return Details.absent[keyPath: detail] }
        return details.value[keyPath: detail]
    }

    private mutating func set<Value>(_ detail: WritableKeyPath<Details, Value>, _ value: Value) {
        changeDetails { $0[keyPath: detail] = value }
    }

    /// Changes several at the cost of one copy. Having none is one state: no reference.
    mutating func changeDetails(_ change: (inout Details) -> Void) {
        var all = details?.value ?? .absent
        change(&all)
        details = all == .absent ? nil : Shared(all)
    }

    /// What the user is in it (`user_member.type`).
    public var memberType: Twake.MemberType? {
        get { detail(\.memberType) }
        set { set(\.memberType, newValue) }
    }

    /// Whether the user marked it (`user_member.favorite`).
    public var isFavorite: Bool? {
        get { detail(\.isFavorite) }
        set { set(\.isFavorite, newValue) }
    }

    /// Which of its messages the user is notified of (`user_member.notification_level`).
    public var notificationLevel: Twake.NotificationLevel? {
        get { detail(\.notificationLevel) }
        set { set(\.notificationLevel, newValue) }
    }

    /// Whether the user is in it (A).
    public var isMember: Bool? {
        get { detail(\.isMember) }
        set { set(\.isMember, newValue) }
    }

    /// What the user may do in it, since July 2021.
    public var role: Twake.Role? {
        get { detail(\.role) }
        set { set(\.role, newValue) }
    }

    /// What the user may do in it (A).
    public var permissions: [Twake.Permission] {
        get { detail(\.permissions) }
        set { set(\.permissions, newValue) }
    }

    /// How many users are in it, as sent (`members_count`, `stats.members`); `membersCount` falls back to those known.
    public var statedMembersCount: Int? {
        get { detail(\.statedMembersCount) }
        set { set(\.statedMembersCount, newValue) }
    }

    /// How many messages it has (`stats.messages`, C).
    public var messagesCount: Int? {
        get { detail(\.messagesCount) }
        set { set(\.messagesCount, newValue) }
    }

    /// Whether only those who look after it may write (C).
    public var isReadOnly: Bool? {
        get { detail(\.isReadOnly) }
        set { set(\.isReadOnly, newValue) }
    }

    /// When it was archived; the wire's 0 is nil.
    public var archivedAt: Timestamp? {
        get { detail(\.archivedAt) }
        set { set(\.archivedAt, newValue) }
    }

    /// The heading it is listed under; nil when it is empty.
    public var group: String? {
        get { detail(\.group) }
        set { set(\.group, newValue) }
    }

    /// The applications connected to it, a JSON array without white space; nil when there are none.
    public var connectors: RawJSON? {
        get { detail(\.connectors) }
        set { set(\.connectors, newValue) }
    }

    /// Takes over what only lists say of a channel, and the frames of its changes do not: what is known and not sent again stays.
    public mutating func keepDetails(of known: Self) {
        createdAt = createdAt ?? known.createdAt
        guard let kept = known.details, kept != details else { return }
        guard var all = details?.value else { return details = kept }
        all.fill(from: kept.value)
        details = Shared(all)
    }
}

extension Twake.Channel.Profile {
    /// Takes what a membership of the user's says of the channel, but for the read marker.
    public mutating func takeMembership(_ member: Twake.ChannelMember) {
        takeMembership(member.type, member.isFavorite, member.notificationLevel)
    }

    /// Takes what a newer list says of the user's membership, but for the read marker.
    public mutating func takeMembership(of listed: Self) {
        takeMembership(listed.memberType, listed.isFavorite, listed.notificationLevel)
    }

    /// What is nil was not sent, and stays.
    mutating func takeMembership(_ type: Twake.MemberType?, _ favorite: Bool?, _ level: Twake.NotificationLevel?) {
        guard type != nil || favorite != nil || level != nil else { return }
        changeDetails { details in
            details.memberType = type ?? details.memberType
            details.isFavorite = favorite ?? details.isFavorite
            details.notificationLevel = level ?? details.notificationLevel
        }
    }
}

extension Twake.Channel {
    /// Whether any of the fields that few frames have is there.
    public var hasDetails: Bool { shared.value.sharedProfile.value.hasDetails }
}

extension Twake.Channel.Profile.Details {
    fileprivate mutating func fill(from known: Self) {
        memberType = memberType ?? known.memberType
        isFavorite = isFavorite ?? known.isFavorite
        notificationLevel = notificationLevel ?? known.notificationLevel
        isMember = isMember ?? known.isMember
        role = role ?? known.role
        if permissions.isEmpty { permissions = known.permissions }
        statedMembersCount = statedMembersCount ?? known.statedMembersCount
        messagesCount = messagesCount ?? known.messagesCount
        isReadOnly = isReadOnly ?? known.isReadOnly
    }
}

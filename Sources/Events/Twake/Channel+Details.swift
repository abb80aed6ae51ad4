public import JSONText

extension Twake.Channel.Profile {
    /// The fields that few frames contain. They are stored in an object of their own, so that a channel without them is
    /// small and costs no more to read.
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

        /// The details of a channel for which none was sent.
        static let absent = Details()
    }

    /// Whether any of the optional or list fields below has a value. If not, none of them needs to be inspected.
    public var hasDetails: Bool { details != nil }

    @inline(__always)
    private func detail<Value>(_ detail: KeyPath<Details, Value>) -> Value {
        guard let details else { return Details.absent[keyPath: detail] }
        return details.value[keyPath: detail]
    }

    private mutating func set<Value>(_ detail: WritableKeyPath<Details, Value>, _ value: Value) {
        changeDetails { $0[keyPath: detail] = value }
    }

    /// Changes several details at the cost of one copy. If no detail is left, the reference is removed, so that this
    /// state has only one representation.
    mutating func changeDetails(_ change: (inout Details) -> Void) {
        var all = details?.value ?? .absent
        change(&all)
        details = all == .absent ? nil : Shared(all)
    }

    /// The user's kind of membership (`user_member.type`).
    public var memberType: Twake.MemberType? {
        get { detail(\.memberType) }
        set { set(\.memberType, newValue) }
    }

    /// Whether the user marked the channel as a favourite (`user_member.favorite`).
    public var isFavorite: Bool? {
        get { detail(\.isFavorite) }
        set { set(\.isFavorite, newValue) }
    }

    /// The messages of which the user is notified (`user_member.notification_level`).
    public var notificationLevel: Twake.NotificationLevel? {
        get { detail(\.notificationLevel) }
        set { set(\.notificationLevel, newValue) }
    }

    /// Whether the user is in the channel (A).
    public var isMember: Bool? {
        get { detail(\.isMember) }
        set { set(\.isMember, newValue) }
    }

    /// The role of the user in the channel, since July 2021.
    public var role: Twake.Role? {
        get { detail(\.role) }
        set { set(\.role, newValue) }
    }

    /// The permissions of the user in the channel (A).
    public var permissions: [Twake.Permission] {
        get { detail(\.permissions) }
        set { set(\.permissions, newValue) }
    }

    /// The number of users in the channel, as sent (`members_count`, `stats.members`); `membersCount`
    /// falls back to the known members.
    public var statedMembersCount: Int? {
        get { detail(\.statedMembersCount) }
        set { set(\.statedMembersCount, newValue) }
    }

    /// The number of messages in the channel (`stats.messages`, C).
    public var messagesCount: Int? {
        get { detail(\.messagesCount) }
        set { set(\.messagesCount, newValue) }
    }

    /// Whether only the users who manage the channel may write (C).
    public var isReadOnly: Bool? {
        get { detail(\.isReadOnly) }
        set { set(\.isReadOnly, newValue) }
    }

    /// The time the channel was archived; `nil` for the wire's 0.
    public var archivedAt: Timestamp? {
        get { detail(\.archivedAt) }
        set { set(\.archivedAt, newValue) }
    }

    /// The heading under which the channel is listed; `nil` if it is empty.
    public var group: String? {
        get { detail(\.group) }
        set { set(\.group, newValue) }
    }

    /// The applications connected to the channel, a JSON array without white space; `nil` if there are none.
    public var connectors: RawJSON? {
        get { detail(\.connectors) }
        set { set(\.connectors, newValue) }
    }

    /// Keeps known details that only lists contain. The frames of changes omit them, so a known value
    /// that is not sent again stays.
    public mutating func keepDetails(of known: Self) {
        createdAt = createdAt ?? known.createdAt
        guard let kept = known.details, kept != details else { return }
        guard var all = details?.value else { return details = kept }
        all.fill(from: kept.value)
        details = Shared(all)
    }
}

extension Twake.Channel.Profile {
    /// Applies a membership of the user to the channel, except for the read marker.
    public mutating func takeMembership(_ member: Twake.ChannelMember) {
        takeMembership(member.type, member.isFavorite, member.notificationLevel)
    }

    /// Applies the user's membership from a newer list, except for the read marker.
    public mutating func takeMembership(of listed: Self) {
        takeMembership(listed.memberType, listed.isFavorite, listed.notificationLevel)
    }

    /// Applies the values that are not `nil`. A `nil` value was not sent, so the known one stays.
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
    /// Whether any of the fields that few frames contain has a value.
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

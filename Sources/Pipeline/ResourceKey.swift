import Events

/// Names a resource of some backend, so that its refetches can be told apart and gathered.
enum ResourceKey: Hashable, Sendable {
    case twake(TwakeResource)
    case groupMe(GroupMeResource)

    /// A short name for people.
    var label: String {
        switch self {
        case .twake(let resource): resource.label
        case .groupMe(let resource): resource.label
        }
    }

    /// What the resource belongs to.
    var tags: [RequestTag] {
        switch self {
        case .twake(let resource): resource.tags
        case .groupMe(let resource): resource.tags
        }
    }

    /// Whether more than one room may be about it.
    var isShared: Bool {
        switch self {
        case .twake(.channels): true
        case .twake, .groupMe: false
        }
    }

    /// Whether it says something of a row that stays when the room is left.
    var outlivesRoom: Bool { if case .groupMe(.group) = self { true } else { false } }

    /// Whether the session cannot do without it, so that it is asked for until there is an answer.
    var isPersistent: Bool {
        switch self {
        case .twake(let resource): resource.isPersistent
        case .groupMe(let resource): resource.isPersistent
        }
    }
}

extension ResourceKey {
    /// Whether an answer of that status says that there is no such resource.
    func isMissing(by status: Int) -> Bool {
        if status == 404 || status == 410 { return true }
        return switch self {
        case .twake(let resource): status == 400 && resource.isMissingByBadRequest
        case .groupMe: false
        }
    }

    /// Whether an answer of that status is to be read.
    func isSuccess(_ status: Int) -> Bool {
        if 200..<300 ~= status { return true }
        return switch self {
        case .twake: false
        case .groupMe(let resource): resource.isSuccess(status)
        }
    }
}

/// What requests belong to: whoever leaves it cancels them all at once, and only them.
enum RequestTag: Hashable, Sendable {
    case company(EntityID)
    /// `direct` is no workspace of its own: it comes with its company.
    case workspace(EntityID, company: EntityID)
    case channel(EntityID)
    case messages(of: EntityID)
}

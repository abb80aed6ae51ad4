import WeirJSON

extension Twake {
    /// The name of a room, parsed (Twake TW-14). The protocol treats a name as opaque: `description` returns
    /// exactly the text that was parsed.
    package enum RoomName: Hashable, Sendable, CustomStringConvertible {
        /// `/companies/{c}/workspaces/{w}/channels?type=public`: channels and activities of a workspace.
        case channelsPublic(company: EntityID, workspace: EntityID)
        /// `/companies/{c}/workspaces/{w}/channels?type=private&user={u}`: the user's memberships in a workspace.
        case channelsPrivate(company: EntityID, workspace: EntityID, user: EntityID)
        /// `/companies/{c}/workspaces/direct/channels?type=direct&user={u}`: the user's directs in a company.
        case directs(company: EntityID, user: EntityID)
        /// `/companies/{c}/workspaces/{w}/channels/{ch}/feed`: messages of a channel (eras B and C).
        case feed(company: EntityID, workspace: EntityID, channel: EntityID)
        /// `/companies/{c}/threads/{t}`: messages of a thread (era B).
        case thread(company: EntityID, thread: EntityID)
        /// `/notifications?type=private&user={u}`: the user's badges and notifications.
        case notifications(user: EntityID)
        /// `previous::channels/{ch}/messages/updates`: message events of a channel (era A).
        case previousMessages(channel: EntityID)
        /// `/companies/{c}/workspaces`: workspaces, and typing events (era C).
        case workspaces(company: EntityID)
        /// `/companies/{c}/workspaces/{w}/channels/{ch}?type=public`: memberships of a channel.
        /// The app never joined it.
        case channel(company: EntityID, workspace: EntityID, channel: EntityID)
        /// `/companies/{c}/workspaces/{w}/channels/{ch}/tabs`: the tabs of a channel.
        case tabs(company: EntityID, workspace: EntityID, channel: EntityID)
        /// `/companies/{c}/users/{u}/inbox`: messages to a user (era B).
        case inbox(company: EntityID, user: EntityID)
        /// `/companies/{c}/messages/bookmarks`: the user's lists of bookmarks (eras B and C).
        case bookmarks(company: EntityID)
        /// `/companies/{c}/documents/item/{id}`: a folder or file of the drive (era C).
        case document(company: EntityID, id: EntityID)
        /// `/users/online` and `/users/online/{c}`: the presence of users, in a company or anywhere (era C).
        case online(company: EntityID?)
        /// `/me/{u}`: the user's own account and companies (era C).
        case me(user: EntityID)
        /// `/company/{c}`: a company's own entity (era C).
        case company(EntityID)
        /// Any other name, as written.
        case other(String)

        /// Parses the name of a room. A name of unknown form becomes `other`.
        package init(_ name: String) {
            self = Self.parsed(name) ?? .other(name)
        }

        /// The channel whose messages the room carries; `nil` for rooms of other kinds.
        package var channel: EntityID? {
            switch self {
            case .feed(_, _, let channel), .previousMessages(let channel): channel
            case .channelsPublic, .channelsPrivate, .directs, .thread, .notifications, .workspaces, .channel, .tabs,
                .inbox, .bookmarks, .document, .online, .me, .company, .other:
                nil
            }
        }

        /// The company in the room's name; `nil` if the name contains none.
        package var company: EntityID? {
            switch self {
            case .channelsPublic(let company, _), .channelsPrivate(let company, _, _), .directs(let company, _),
                .feed(let company, _, _), .thread(let company, _), .workspaces(let company),
                .channel(let company, _, _), .tabs(let company, _, _), .inbox(let company, _), .bookmarks(let company),
                .document(let company, _), .company(let company):
                company
            case .online(let company): company
            case .notifications, .previousMessages, .me, .other: nil
            }
        }

        /// The workspace in the room's name, `direct` for directs; `nil` if the name contains none.
        package var workspace: EntityID? {
            switch self {
            case .channelsPublic(_, let workspace), .channelsPrivate(_, let workspace, _), .feed(_, let workspace, _),
                .channel(_, let workspace, _), .tabs(_, let workspace, _):
                workspace
            case .directs: Self.direct
            case .thread, .notifications, .previousMessages, .workspaces, .inbox, .bookmarks, .document, .online, .me,
                .company, .other:
                nil
            }
        }

        /// The room's name on the wire.
        package var description: String {
            switch self {
            case .channelsPublic(let company, let workspace):
                "/companies/\(company)/workspaces/\(workspace)/channels?type=public"
            case .channelsPrivate(let company, let workspace, let user):
                "/companies/\(company)/workspaces/\(workspace)/channels?type=private&user=\(user)"
            case .directs(let company, let user):
                "/companies/\(company)/workspaces/direct/channels?type=direct&user=\(user)"
            case .feed(let company, let workspace, let channel):
                "/companies/\(company)/workspaces/\(workspace)/channels/\(channel)/feed"
            case .thread(let company, let thread): "/companies/\(company)/threads/\(thread)"
            case .notifications(let user): "/notifications?type=private&user=\(user)"
            case .previousMessages(let channel): "previous::channels/\(channel)/messages/updates"
            case .workspaces(let company): "/companies/\(company)/workspaces"
            case .channel(let company, let workspace, let channel):
                "/companies/\(company)/workspaces/\(workspace)/channels/\(channel)?type=public"
            case .tabs(let company, let workspace, let channel):
                "/companies/\(company)/workspaces/\(workspace)/channels/\(channel)/tabs"
            case .inbox(let company, let user): "/companies/\(company)/users/\(user)/inbox"
            case .bookmarks(let company): "/companies/\(company)/messages/bookmarks"
            case .document(let company, let id): "/companies/\(company)/documents/item/\(id)"
            case .online(let company): company.map { "/users/online/\($0)" } ?? "/users/online"
            case .me(let user): "/me/\(user)"
            case .company(let company): "/company/\(company)"
            case .other(let name): name
            }
        }

        /// The workspace id in the room names of directs.
        private static let direct = EntityID("direct")
    }
}

extension Twake.RoomName {
    private static func parsed(_ name: String) -> Self? {
        var rest = NameScanner(name.utf8.span)
        if rest.take("/companies/") {
            guard let company = rest.takeID() else { return nil }
            return inCompany(company, &rest)
        }
        if rest.take("previous::channels/") {
            guard let channel = rest.takeID(), rest.take("/messages/updates"), rest.isAtEnd else { return nil }
            return .previousMessages(channel: channel)
        }
        if rest.take("/notifications?type=private&user=") { return rest.takeLast().map { .notifications(user: $0) } }
        if rest.take("/users/online") {
            if rest.isAtEnd { return .online(company: nil) }
            return rest.take("/") ? rest.takeLast().map { .online(company: $0) } : nil
        }
        if rest.take("/me/") { return rest.takeLast().map { .me(user: $0) } }
        return rest.take("/company/") ? rest.takeLast().map { .company($0) } : nil
    }

    /// Parses the text after `/companies/{c}`.
    private static func inCompany(_ company: EntityID, _ rest: inout NameScanner) -> Self? {
        if rest.take("/workspaces") {
            return rest.isAtEnd ? .workspaces(company: company) : inWorkspace(of: company, &rest)
        }
        if rest.take("/threads/") { return rest.takeLast().map { .thread(company: company, thread: $0) } }
        if rest.take("/users/") {
            guard let user = rest.takeID(), rest.take("/inbox"), rest.isAtEnd else { return nil }
            return .inbox(company: company, user: user)
        }
        if rest.take("/documents/item/") { return rest.takeLast().map { .document(company: company, id: $0) } }
        return rest.take("/messages/bookmarks") && rest.isAtEnd ? .bookmarks(company: company) : nil
    }

    /// Parses the text after `/companies/{c}/workspaces`.
    private static func inWorkspace(of company: EntityID, _ rest: inout NameScanner) -> Self? {
        guard rest.take("/"), let workspace = rest.takeID(), rest.take("/channels") else { return nil }
        if rest.take("/") {
            guard let channel = rest.takeID() else { return nil }
            return inChannel(channel, company, workspace, &rest)
        }
        if rest.take("?type=public") {
            return rest.isAtEnd ? .channelsPublic(company: company, workspace: workspace) : nil
        }
        if rest.take("?type=private&user=") {
            return rest.takeLast().map { .channelsPrivate(company: company, workspace: workspace, user: $0) }
        }
        guard workspace == direct, rest.take("?type=direct&user=") else { return nil }
        return rest.takeLast().map { .directs(company: company, user: $0) }
    }

    /// Parses the text after `/companies/{c}/workspaces/{w}/channels/{ch}`.
    private static func inChannel(
        _ channel: EntityID, _ company: EntityID, _ workspace: EntityID, _ rest: inout NameScanner
    ) -> Self? {
        if rest.take("/feed") {
            return rest.isAtEnd ? .feed(company: company, workspace: workspace, channel: channel) : nil
        }
        if rest.take("/tabs") {
            return rest.isAtEnd ? .tabs(company: company, workspace: workspace, channel: channel) : nil
        }
        guard rest.take("?type=public"), rest.isAtEnd else { return nil }
        return .channel(company: company, workspace: workspace, channel: channel)
    }
}

/// A cursor over the part of a room's name that is not parsed yet.
private struct NameScanner: ~Copyable, ~Escapable {
    private let name: Span<UInt8>
    private var place = 0

    @_lifetime(copy name)
    init(_ name: Span<UInt8>) { self.name = name }

    var isAtEnd: Bool { place == name.count }

    /// Consumes `literal` and returns true if it is next.
    mutating func take(_ literal: StaticString) -> Bool {
        guard name.starts(with: literal, at: place) else { return false }
        place += literal.utf8CodeUnitCount
        return true
    }

    /// Consumes the text before the next `/`, `?` or `&`; returns `nil` if there is none.
    mutating func takeID() -> EntityID? {
        if let id = takeUUID() { return id }
        let start = place
        while place < name.count, !Self.isSeparator(name[place]) { place += 1 }
        return place > start ? EntityID(utf8: name.extracting(start..<place)) : nil
    }

    /// Consumes a UUID in its usual form, whose length is known. Otherwise returns `nil` and consumes nothing.
    private mutating func takeUUID() -> EntityID? {
        let end = place + EntityID.uuidLength
        guard end <= name.count, end == name.count || Self.isSeparator(name[end]) else { return nil }
        guard let id = EntityID(uuid: name.extracting(place..<end)) else { return nil }
        place = end
        return id
    }

    /// Consumes an id that must be the rest of the name.
    mutating func takeLast() -> EntityID? {
        guard let id = takeID(), isAtEnd else { return nil }
        return id
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&")
    }
}

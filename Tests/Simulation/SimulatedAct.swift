import WeirDemoServer
import WeirEvents
package import WeirWire

/// An act of a person in a simulated world. People, channels and messages are numbers that always refer to an existing
/// one, so that an act stays meaningful when earlier ones are removed.
package enum SimulatedAct: String, CaseIterable, Sendable {
    /// Posts text `b` in channel `a`, or in the thread of message `a`.
    case post, reply
    /// Changes the person's own message `a` to text `b`.
    case edit
    /// Deletes the person's own message `a`.
    case delete
    /// Reacts to message `a` with emoji `b`; 0 removes the reaction.
    case react
    /// Pins message `a`, or unpins it if `b` is odd.
    case pin
    /// Moves message `a` to the thread of message `b`.
    case move
    /// Creates a channel. The bits of `a` mean private, default, and in the other workspace; those of `b` select the
    /// invited people.
    case create
    /// Changes the name, icon or description of channel `a` to text `b`.
    case rename
    /// Deletes the channel with number `a`.
    case erase
    /// Opens the direct conversation with person `a`, and with person `b` if different.
    case direct
    /// Adds person `b` to channel `a`, removes person `b` from it, or leaves it.
    case add, remove, leave
    /// Marks channel `a` as read, or as unread.
    case read, unread
    /// Marks channel `a` as a favourite (if `b` is even), or sets its notification level to the `b`-th.
    case favorite, level
    /// Starts or stops typing in channel `a`.
    case typing
    /// Goes online, or goes offline.
    case come, go
    /// Renames workspace `a` to `b`, or creates one with that name.
    case retitle, found
    /// Posts more than a page: 8 to 31 messages, in the thread of message `a`, or in channel `a` if `b` is odd.
    case flood
    /// A busy crowd: about 100 to 300 posts, replies, edits, reactions and deletions by all people in all channels.
    case burst

    /// Returns the acts of a burst, in order. `a` determines their objects.
    static func burst(_ a: Int, _ b: Int) -> [(act: SimulatedAct, user: Int, a: Int, b: Int)] {
        let acts: [SimulatedAct] = [.post, .reply, .post, .edit, .post, .reply, .react, .post, .delete, .post]
        return (0..<100 + b % 40 * 5).map { index in
            // Two of three concern something new, the others an old message.
            let about = index % 3 == 0 ? index * 11 + a : index % 13
            return (
                acts[(index + a) % acts.count], index * 5 + a,
                acts[(index + a) % acts.count] == .post ? index + a : about, index
            )
        }
    }
}

extension SimulatedServer {
    package mutating func perform(
        _ act: SimulatedAct, by user: Int, _ a: Int, _ b: Int, at now: Moment
    ) -> [SimulatedPublication]? {
        if act == .burst { return burst(a, b, at: now) }
        let world = backend.world
        let person = Self.pick(user, of: world.users)?.id
        guard let person, let action = action(act, by: person, a, b) else { return nil }
        var frames = backend.act(action, by: person, at: now)
        if act == .flood {
            for _ in 0..<7 + b % 24 { frames?.append(contentsOf: backend.act(action, by: person, at: now) ?? []) }
        }
        return frames?.map { SimulatedPublication($0) }
    }

    private func action(_ act: SimulatedAct, by user: EntityID, _ a: Int, _ b: Int) -> UserAction<EntityID>? {
        switch act {
        case .post, .reply, .edit, .delete, .react, .pin, .move: return messageAction(act, by: user, a, b)
        case .flood: return messageAction(b % 2 == 0 ? .reply : .post, by: user, a, b)
        case .create, .rename, .erase, .direct, .add, .remove, .leave, .read, .unread, .favorite, .level, .typing:
            return channelAction(act, by: user, a, b)
        case .come: return .presence(isOnline: true)
        case .go: return .presence(isOnline: false)
        case .retitle:
            return Self.pick(a, of: backend.world.workspaces).map { .renameWorkspace($0.id, name: "Place \(b)") }
        case .found: return .createWorkspace(name: "Place \(b)")
        case .burst: return nil
        }
    }

    private func messageAction(
        _ act: SimulatedAct, by user: EntityID, _ a: Int, _ b: Int
    ) -> UserAction<EntityID>? {
        let emoji = ["👍", "❤️", "🎉"]
        switch act {
        case .post: return channel(a, of: user).map { .post(channel: $0, text: Self.text(b)) }
        case .reply: return message(a, of: user, own: false).map { .reply(message: $0, text: Self.text(b)) }
        case .edit: return message(a, of: user, own: true).map { .edit(message: $0, text: Self.text(b)) }
        case .delete: return message(a, of: user, own: true).map { .delete(message: $0) }
        case .react:
            let names = b % 4 == 0 ? [] : [emoji[b % 4 - 1]]
            return message(a, of: user, own: false).map { .react(message: $0, names: names) }
        case .pin: return message(a, of: user, own: false).map { .pin(message: $0, isPinned: b % 2 == 0) }
        case .move:
            guard let moved = message(a, of: user, own: false), let target = message(b, of: user, own: false) else {
                return nil
            }
            return .move(message: moved, target: target)
        case .create, .rename, .erase, .direct, .add, .remove, .leave, .read, .unread, .favorite, .level, .typing,
            .come, .go, .retitle, .found, .flood, .burst:
            return nil
        }
    }

    private func channelAction(
        _ act: SimulatedAct, by user: EntityID, _ a: Int, _ b: Int
    ) -> UserAction<EntityID>? {
        switch act {
        case .create: return creation(a, b)
        case .rename:
            return channel(a, of: user).map {
                .changeChannel(
                    $0, name: b % 3 == 0 ? "Channel \(b)" : nil, icon: b % 3 == 1 ? "✏️\(b)" : nil,
                    description: b % 3 == 2 ? "About \(b)" : nil)
            }
        case .erase: return channel(a, of: user).map { .deleteChannel($0) }
        case .direct:
            let others = [a, b].compactMap { Self.pick($0, of: backend.world.users)?.id }
            return .openDirect(with: others)
        case .add:
            guard let channel = channel(a, of: user), let other = Self.pick(b, of: backend.world.users) else {
                return nil
            }
            return .addMember(channel: channel, user: other.id)
        case .remove:
            guard let channel = channel(a, of: user), let other = Self.pick(b, of: backend.world.users) else {
                return nil
            }
            return .removeMember(channel: channel, user: other.id)
        case .leave: return channel(a, of: user).map { .removeMember(channel: $0, user: user) }
        case .read: return channel(a, of: user).map { .markRead(channel: $0) }
        case .unread: return channel(a, of: user).map { .markUnread(channel: $0) }
        case .favorite:
            return channel(a, of: user).map { .changeMembership(channel: $0, isFavorite: b % 2 == 0, level: nil) }
        case .level:
            let level = Self.pick(b, of: NotificationLevel.allCases)
            return channel(a, of: user).map { .changeMembership(channel: $0, isFavorite: nil, level: level) }
        case .typing:
            return channel(a, of: user).map { .typing(channel: $0, message: nil, isWriting: b % 2 == 0) }
        case .post, .reply, .edit, .delete, .react, .pin, .move, .come, .go, .retitle, .found, .flood, .burst:
            return nil
        }
    }

    private func creation(_ a: Int, _ b: Int) -> UserAction<EntityID>? {
        let workspaces = backend.world.workspaces
        guard let workspace = a & 4 != 0 ? workspaces.last : workspaces.first else { return nil }
        var new = NewChannel(workspace: workspace.id, name: "New \(b)")
        new.isPrivate = a & 1 != 0
        new.isDefault = a & 2 != 0
        new.members = backend.world.users.enumerated().filter { b & 1 << $0.offset != 0 }.map(\.element.id)
        return .createChannel(new)
    }

    // MARK: - Numbers that name something

    private static func text(_ number: Int) -> String { number % 5 == 0 ? "@all text \(number)" : "Text \(number)" }

    /// Returns one of the channels that a user is a member of or was invited to.
    private func channel(_ number: Int, of user: EntityID) -> EntityID? {
        let mine = backend.world.channels.filter {
            $0.membership(of: user) != nil || $0.participants.contains(user)
        }
        return Self.pick(number, of: mine)?.id
    }

    /// Returns one of the messages that a user can see; 0 is the newest.
    private func message(_ number: Int, of user: EntityID, own: Bool) -> EntityID? {
        let world = backend.world
        let all = world.channels(of: user).flatMap { $0.threads.flatMap { world.messages(ofThread: $0) } }
            .filter { !$0.isDeleted && (!own || $0.user == user) }
            .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        return Self.pick(number, of: all)?.id
    }
}

extension Scenario {
    /// A small company: four people, two workspaces, a channel for all, a private one, one without the watching user,
    /// and a direct conversation.
    static let simulated = Scenario(
        places: ["main": "Main", "side": "Side"],
        people: ["me": ("Me", "Self"), "bo": ("Bo", "Berg"), "cy": ("Cy", "Cole"), "di": ("Di", "Dunn")],
        history: simulatedHistory)

    private static let simulatedHistory: [(by: String, action: UserAction<String>, label: String?)] = {
        var general = NewChannel(workspace: "main", name: "General")
        general.isDefault = true
        var closed = NewChannel(workspace: "main", name: "Closed")
        closed.isPrivate = true
        closed.members = ["me"]
        var others = NewChannel(workspace: "main", name: "Others")
        others.members = ["cy"]
        var away = NewChannel(workspace: "side", name: "Away")
        away.members = ["me"]
        return [
            ("bo", .createChannel(general), "general"), ("bo", .createChannel(closed), "closed"),
            ("bo", .createChannel(others), "others"), ("cy", .createChannel(away), "away"),
            ("bo", .post(channel: "general", text: "First"), "first"),
            ("me", .reply(message: "first", text: "Second"), nil), ("me", .openDirect(with: ["bo"]), "direct"),
            ("me", .post(channel: "direct", text: "Hello"), "hello"),
            ("bo", .post(channel: "closed", text: "Third"), nil), ("me", .post(channel: "general", text: "Mine"), nil),
        ]
    }()
}

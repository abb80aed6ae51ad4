import WeirDemoServer
import WeirEvents
import WeirJSON
package import WeirWire

extension GroupMeSimulatedServer {
    private typealias Place = GroupMe.ConversationID

    package mutating func perform(
        _ act: SimulatedAct, by user: Int, _ a: Int, _ b: Int, at now: Moment
    ) -> [SimulatedPublication]? {
        if act == .burst { return burst(a, b, at: now) }
        guard let person = Self.pick(user, of: backend.world.users)?.id else { return nil }
        var publications: [GroupMePublication]?
        for _ in 0..<(act == .flood ? 8 + b % 24 : 1) {
            serial += 1
            guard let action = action(act, by: person, a, b) else { return publications.map { heard($0) } }
            let (told, outcome) = backend.act(action, by: person, at: now)
            guard let outcome else { break }
            publications = (publications ?? []) + told
            guard case .make = action, let group = outcome.group else { continue }
            // A new group has only its creator as a member.
            let invited = backend.world.users.enumerated().filter { b & 1 << $0.offset != 0 }.map(\.element.id)
            publications? += backend.act(.add(group, invited, nicknames: []), by: person, at: now).publications
        }
        return publications.map { heard($0) }
    }

    private func action(_ act: SimulatedAct, by user: GroupMe.UserID, _ a: Int, _ b: Int) -> GroupMeAction? {
        switch act {
        case .post, .flood: return place(a, of: user).map { .say($0, text: Self.text(b), guid: "act \(serial)") }
        case .reply, .edit, .delete, .react, .pin: return messageAction(act, by: user, a, b)
        case .direct:
            guard let other = Self.pick(a, of: backend.world.users.filter { $0.id != user })?.id else { return nil }
            return .say(.direct(between: user, and: other), text: Self.text(b), guid: "act \(serial)")
        case .read:
            guard let place = place(a, of: user), let last = backend.world.threads[place]?.messages.last else {
                return nil
            }
            return .read(place, last.id)
        case .typing: return place(a, of: user).map { .type($0) }
        case .create, .rename, .erase, .add, .remove, .leave, .come, .retitle: return groupAction(act, by: user, a, b)
        case .move, .unread, .favorite, .level, .go, .found, .burst: return nil
        }
    }

    private func messageAction(
        _ act: SimulatedAct, by user: GroupMe.UserID, _ a: Int, _ b: Int
    ) -> GroupMeAction? {
        let isOwn = act == .edit || act == .delete
        guard let (place, message) = message(a, of: user, isOwn: isOwn) else { return nil }
        switch act {
        case .reply:
            let id = JSONValue.string(message.description)
            let reply = JSONValue.fields(["type": .string("reply"), "reply_id": id, "base_reply_id": id])
            return .say(place, text: Self.text(b), attachments: [reply], guid: "act \(serial)")
        case .edit: return .edit(place, message, text: Self.text(b))
        case .delete: return .delete(place, message)
        case .react:
            let symbols: [GroupMe.ReactionSymbol?] = [nil, .unicode("👍"), .unicode("❤️"), .powerUp(pack: 1, index: 12)]
            return .react(place, message, symbols[b % symbols.count])
        default: return .pin(place, message, b % 2 == 0)
        }
    }

    private func groupAction(_ act: SimulatedAct, by user: GroupMe.UserID, _ a: Int, _ b: Int) -> GroupMeAction? {
        let world = backend.world
        switch act {
        case .create: return .make(name: "New \(b)", description: "", imageURL: nil, isShared: a % 2 == 0)
        case .erase: return Self.pick(a, of: world.groups.filter { $0.creator == user }).map { .destroy($0.id) }
        case .come:
            let former = world.groups.filter { group in group.former.contains { $0.user == user } }
            return Self.pick(a, of: former).map { .rejoin($0.id) }
        default: break
        }
        guard let group = Self.pick(a, of: world.groups.filter { $0.membership(of: user) != nil })?.id else {
            return nil
        }
        switch act {
        case .rename:
            return .change(
                group, name: b % 3 == 0 ? "Group \(b)" : nil, description: b % 3 == 1 ? "About \(b)" : nil,
                imageURL: b % 3 == 2 ? "https://i.groupme.com/1x1.png.\(b)" : nil)
        case .add: return Self.pick(b, of: world.users).map { .add(group, [$0.id], nicknames: []) }
        case .remove: return Self.pick(b, of: world.users).map { .remove(group, $0.id) }
        case .leave: return .remove(group, user)
        default: return .rename(group, nickname: "Name \(b)")
        }
    }

    // MARK: - Numbers that name something

    private static func text(_ number: Int) -> String { "Text \(number)" }

    /// Returns one of the conversations of a user.
    private func place(_ number: Int, of user: GroupMe.UserID) -> Place? {
        Self.pick(number, of: places(of: user))
    }

    private func places(of user: GroupMe.UserID) -> [Place] {
        let groups = backend.world.groups.filter { $0.membership(of: user) != nil }
        return groups.map { .group($0.id) } + backend.world.directs.filter { $0.partner(of: user) != nil }
    }

    /// Returns one of the messages that people sent and a user can see; 0 is the newest.
    private func message(_ number: Int, of user: GroupMe.UserID, isOwn: Bool) -> (Place, GroupMe.MessageID)? {
        let all = places(of: user).flatMap { place in
            (backend.world.threads[place]?.messages ?? []).filter { message in
                message.sender != nil && message.deletedAt == nil && (!isOwn || message.sender == user)
            }.map { (place, $0.id) }
        }
        return Self.pick(number, of: all.sorted { $1.1 < $0.1 })
    }
}

extension GroupMeWorld {
    /// Returns a small world: four people, a group of the watcher's, one of another user's, one that the watcher left,
    /// one without the watcher, and a direct conversation.
    static func simulated(epoch: Int64) -> GroupMeWorld {
        typealias Cast = GroupMeScript.Cast
        var world = GroupMeWorld(users: Cast.users(born: epoch / 1000 - 86_400).filter { $0.id != Cast.cal })
        let family = GroupMe.ConversationID.group("10000001")
        let steps: [(GroupMe.UserID, GroupMeAction)] = [
            (Cast.mia, .make(name: "Family", description: "", imageURL: nil, isShared: false)),
            (Cast.mia, .add("10000001", [Cast.ann, Cast.bob], nicknames: [])),
            (Cast.ann, .make(name: "Hikers", description: "Up", imageURL: nil, isShared: true)),
            (Cast.ann, .add("10000002", [Cast.mia, Cast.dee], nicknames: ["", "Dee Dee"])),
            (Cast.bob, .make(name: "Books", description: "", imageURL: nil, isShared: false)),
            (Cast.bob, .add("10000003", [Cast.mia, Cast.ann], nicknames: [])),
            (Cast.mia, .remove("10000003", Cast.mia)),
            (Cast.dee, .make(name: "Others", description: "", imageURL: nil, isShared: false)),
            (Cast.dee, .add("10000004", [Cast.bob], nicknames: [])),
            (Cast.ann, .say(family, text: "First", guid: "first")),
            (Cast.mia, .say(family, text: "Second", guid: "second")),
            (Cast.mia, .say(Cast.withAnn, text: "Hello", guid: "hello")),
            (Cast.ann, .say(Cast.withAnn, text: "Here", guid: "here")),
            (Cast.dee, .say(.group("10000002"), text: "Third", guid: "third")),
            (Cast.mia, .say(family, text: "Mine", guid: "mine")),
        ]
        for (index, (user, action)) in steps.enumerated() {
            _ = try? world.perform(action, by: user, at: epoch + Int64(index - steps.count) * 60_000)
        }
        return world
    }
}

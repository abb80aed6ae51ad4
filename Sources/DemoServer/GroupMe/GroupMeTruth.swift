package import Events
import JSONText

/// What is true for one user: what a client's model has to hold once nothing more happens. Read from the answers the server would give.
package struct GroupMeTruth: Hashable, Sendable {
    /// The groups the user is in, with their members, the one in which something was said last first.
    package var groups: [GroupMe.GroupRecord]
    /// The groups the user left and may come back to.
    package var former: [GroupMe.Group]
    /// The directs in which something was said, the last first.
    package var chats: [GroupMe.Chat]
    /// What was said in all of them, oldest first.
    package var messages: [GroupMe.ConversationID: [GroupMe.Message]]
    /// Up to where the other one read each direct, in the order of the directs.
    package var receipts: [GroupMe.ReadReceipt]
}

extension GroupMeWorld {
    package func truth(for user: GroupMe.UserID) -> GroupMeTruth {
        let own = groups(of: user)
        let directs = directs(of: user)
        let left = groups.filter { $0.former.contains { $0.user == user } }
        var messages: [GroupMe.ConversationID: [GroupMe.Message]] = [:]
        for conversation in own.map({ GroupMe.ConversationID.group($0.id) }) + directs {
            let said = threads[conversation]?.messages.map { answered($0, in: conversation) } ?? []
            let body = Self.body(.fields(["messages": .array(said)]))
            messages[conversation] = try? GroupMe.messages(from: body, of: conversation).messages
        }
        return GroupMeTruth(
            groups: (try? GroupMe.groups(from: Self.body(.array(own.map { answered($0) })))) ?? [],
            former: ((try? GroupMe.groups(from: Self.body(.array(left.map { answered($0) })))) ?? []).map(\.group),
            chats: (try? GroupMe.chats(
                from: Self.body(.array(directs.map { answered($0, for: user) })), user: user)) ?? [],
            messages: messages,
            receipts: directs.compactMap { direct in
                guard let partner = direct.partner(of: user), let (message, time) = threads[direct]?.readers[partner]
                else { return nil }
                return GroupMe.ReadReceipt(
                    conversation: direct, message: message, user: partner,
                    readAt: Timestamp(milliseconds: time * 1000))
            })
    }

    private static func body(_ response: JSONValue) -> ArraySlice<UInt8> {
        JSONValue.fields(["response": response]).raw.bytes
    }
}

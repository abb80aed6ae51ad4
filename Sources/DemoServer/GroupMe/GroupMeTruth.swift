package import Events
import JSONText

/// The true state for one user: what a client's model must contain once nothing more happens. It is parsed from the
/// answers the server would give.
package struct GroupMeTruth: Hashable, Sendable {
    /// The groups of which the user is a member, most recently active first, with their members.
    package var groups: [GroupMe.GroupRecord]
    /// The groups that the user left and may rejoin.
    package var former: [GroupMe.Group]
    /// The direct conversations with messages, most recently active first.
    package var chats: [GroupMe.Chat]
    /// The messages of all these conversations, oldest first.
    package var messages: [GroupMe.ConversationID: [GroupMe.Message]]
    /// The partner's read position in each direct conversation, in the order of those conversations.
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

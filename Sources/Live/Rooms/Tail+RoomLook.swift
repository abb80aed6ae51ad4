import Events
import JSONText
import Network
import Pipeline
import Recording
import SectionedModel
import Wire

// The members and messages of a room, requested from the backend if it supports that.
extension Tail {
    /// The timeout if the request contains none.
    private static let patience: Duration = .seconds(5)

    /// A pending answer about a room.
    struct RoomLook {
        let part: Session.RoomPart
        let room: String
        let since: Int64?
        /// The messages known when older ones were requested. The answer omits them and everything newer than the
        /// newest of them.
        let known: [Item]
        let reply: RoomReply
        let number: Int
    }

    func look(_ call: RoomCall, _ reply: @escaping RoomReply) throws(RoomCallError) {
        let wish = RoomExpression(call.rooms.flatMap { RoomExpression(recorded: $0).terms })
        let rooms = session.roomViews.map(\.facts).filter { wish.matches($0) }.map(\.name)
        let part: Session.RoomPart = call.method == .who ? .people : .messages
        // The rooms of one channel share one list of members and one of messages.
        var sections: Set<Item.Section> = []
        let able = rooms.filter { session.section(part, of: $0).map { sections.insert($0).inserted } ?? false }
        guard let room = able.first ?? rooms.first ?? wish.terms.first?.pattern.exactName else {
            let near = resolve(wish).unmatched.compactMap(\.suggestion).first
            throw RoomCallError(.nothing, "no room matches \(wish)" + (near.map { "; did you mean '\($0)'?" } ?? ""))
        }
        guard able.count < 2 else {
            throw RoomCallError(.parameters, "\(wish) matches \(able.count) rooms; name one")
        }
        guard session.section(part, of: room) != nil else {
            throw RoomCallError(.unsupported, "the backend cannot list \(part.question) \(room)")
        }
        settlementNumber += 1
        let known =
            call.older ? session.section(part, of: room).map { Array(session.model.elements(in: $0)) } ?? [] : []
        let look = RoomLook(
            part: part, room: room, since: call.since, known: known, reply: reply, number: settlementNumber)
        let since = call.since ?? known.first.map { $0.time - 1 }
        feed(.look(room: room, part: part, since: since.map { Timestamp(milliseconds: $0) }))
        looks.append(look)
        answerLooks()
        _ = loop.schedule(at: loop.now + (call.wait ?? Self.patience)) { [weak self] in
            self?.assumeIsolated { $0.answerLooks(until: look.number) }
        }
    }

    /// Sends the answers that have arrived, and the one whose timeout has expired.
    func answerLooks(until number: Int? = nil) {
        guard !looks.isEmpty else { return }
        let due = looks.filter { $0.number == number || !session.isFetching($0.part, of: $0.room) }
        looks.removeAll { look in due.contains { $0.number == look.number } }
        for look in due {
            let isFresh = !session.isFetching(look.part, of: look.room)
            look.reply(.success(answer(to: look, isFresh: isFresh)))
        }
    }

    private func answer(to look: RoomLook, isFresh: Bool) -> [UInt8] {
        let items = session.section(look.part, of: look.room).map { session.model.elements(in: $0) } ?? []
        // Compare the position: the sort key of a message may differ from the time it was said.
        let (ids, newest) = (Set(look.known.map(\.id)), look.known.last?.sortKey ?? .max)
        let shown = items.filter {
            $0.time >= look.since ?? .min && $0.sortKey <= newest && !ids.contains($0.id)
        }
        return Self.text { writer in
            writer.beginObject()
            writer.member("room", look.room)
            // Whether the rows are from the server's answer just now; otherwise they were known before.
            writer.member("fresh", isFresh)
            writer.key("items")
            writer.beginArray()
            for item in shown { item.encode(into: &writer, askedBy: session.user) }
            writer.endArray()
            writer.endObject()
        }
    }
}

extension Item {
    /// The time the message was said, in milliseconds since 1970.
    fileprivate var time: Int64 { entity.value.saidAt?.milliseconds ?? sortKey }
}

extension Session.RoomPart {
    fileprivate var question: String {
        switch self {
        case .people: "the members of"
        case .messages: "the messages of"
        }
    }
}

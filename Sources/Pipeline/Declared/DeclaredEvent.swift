import Events
import JSONText

/// An event of a declared backend, decoded by the first rule that applies.
struct DeclaredEvent: BackendEvent, Hashable {
    /// The name on the wire, which is untrusted text.
    var name: String
    /// The index of the profile's rule for this event; `nil` when no rule applies.
    var rule: Int?
    /// The event as received: the name and the arguments, or a single value.
    var payload: RawJSON

    var kind: String
    var room: String?
    var actor: String?
    var actorID: String?
    var text: String?
    var serverTime: Timestamp?
    var mentions: [Mention] = []
    /// The rows that the event contains.
    var rows: [Profile.Entity.Reading] = []
    var isKnown: Bool { rule != nil }

    var summary: String {
        if let text { return text }
        return UntypedEvent(name: name, arguments: payload.arguments).summary
    }
}

/// A reader for the events of one rule.
///
/// A class, because copying the rule for every event would cost a twentieth of the event's time.
final class EventReader: Sendable {
    let rule: Profile.EventRule
    let entity: Profile.Entity?
    private let index: Int
    /// The paths of the room, the actor, the actor's id, the text, the time, the rows and the mentions.
    private let paths: [JSONPath?]
    /// The index of the field `mentions` in a row; `nil` if the rule has a path for them or the entity lacks the field.
    private let fieldOfMentions: Int?

    init(_ rule: Profile.EventRule, index: Int, _ entities: [String: Profile.Entity]) {
        (self.rule, self.index, entity) = (rule, index, rule.entity.flatMap { entities[$0] })
        paths = [rule.room, rule.actor, rule.actorID, rule.text, rule.time, rule.at ?? .whole, rule.mentions].map {
            $0?.inEvent
        }
        fieldOfMentions = rule.mentions == nil ? entity?.fields.firstIndex { $0.name == "mentions" } : nil
    }

    func event(_ payload: RawJSON, in profile: Profile) throws(DecodingFailure) -> DeclaredEvent {
        let found = JSONPath.values(at: paths, in: payload)
        var event = DeclaredEvent(
            name: rule.event, rule: index, payload: payload, kind: rule.kind ?? rule.event,
            room: found[0]?.plainText.map { profile.room(of: $0) }, actor: found[1]?.plainText,
            actorID: found[2]?.plainText, text: found[3]?.plainText, serverTime: found[4]?.time)
        event.mentions = found[6]?.mentions ?? []
        guard let entity else { return event }
        guard let rows = found[5] else {
            throw DecodingFailure(subject: rule.event, message: "nothing at \(rule.at?.text ?? ".")", offset: 0)
        }
        for row in rows.elements {
            do throws(Profile.Entity.Unreadable) {
                let reading = try entity.reading(row, onlyID: rule.then.onlyRemoves)
                event.rows.append(reading)
                guard let fieldOfMentions, fieldOfMentions < reading.values.count else { continue }
                event.mentions += reading.values[fieldOfMentions]?.mentions ?? []
            } catch {
                throw DecodingFailure(subject: rule.event, message: error.message, offset: 0)
            }
        }
        return event
    }
}

extension Profile {
    /// Returns the name of the room with this id.
    func room(of id: String) -> String { rooms?.name.filled { _ in id } ?? id }

    /// Returns the id in the name of a room.
    func id(ofRoom room: String) -> String { rooms?.name.value(in: room) ?? room }
}

import WeirWire

/// The events that a Twake backend of era B sends to a user of a busy workspace, generated from a seed. Half are
/// channel activities, a fifth are channels, and three tenths are messages (of ten: five new ones, two edits, two
/// reactions, one reply), spread evenly over all channels. Once the channels hold the maximum number of messages, only
/// edits and reactions follow.
struct TwakeTraffic {
    /// A message that can be edited and replied to.
    private struct Head {
        var id: String
        var channel: Int
        var createdAt: Int
        var text: String
        var replies = 0
        /// The number of users who reacted with a thumb.
        var reactions = 0
        var isEdited = false
    }

    let company: String
    let workspace: String
    let channels: [String]
    private let users: [String]
    private var dice: RandomSource
    /// Unix time in milliseconds. Each event is a little later than the one before.
    private var clock = 1_700_000_000_000
    private var heads: [Head] = []
    private var headIndices: [String: Int] = [:]

    /// The most messages that the channels hold in total.
    private let limit: Int
    /// Whether frames omit redundant parts: a message's blocks and the path.
    private let isTerse: Bool
    private var replies = 0

    init(channels count: Int, messages limit: Int = .max, isTerse: Bool = false, seed: UInt64) {
        self.limit = limit
        self.isTerse = isTerse
        var dice = RandomSource(seed: seed)
        company = dice.uuid()
        workspace = dice.uuid()
        channels = (0..<count).map { _ in dice.uuid() }
        users = (0..<100).map { _ in dice.uuid() }
        self.dice = dice
    }

    /// The room of the list of channels.
    var listRoom: String { "/companies/\(company)/workspaces/\(workspace)/channels?type=public" }

    /// Returns the room of a channel's messages.
    func feedRoom(_ channel: Int) -> String {
        "/companies/\(company)/workspaces/\(workspace)/channels/\(channels[channel])/feed"
    }

    /// Returns the next event, as the text of a WebSocket message.
    mutating func next() -> String {
        clock += 1 + dice.below(40)
        let channel = dice.below(channels.count)
        return switch dice.below(10) {
        case 0..<5: activity(channel)
        case 5..<7: change(channel)
        default: message(channel)
        }
    }

    /// Returns the REST service's answer to a request for `target`.
    mutating func answer(to target: String) -> String {
        if target.contains("?mine=1") {
            let all = channels.indices.map { entity($0) + #","user_member":{"last_access":\#(clock)}}"# }
            return #"{"resources":[\#(all.joined(separator: ","))]}"#
        }
        let id = target.split { $0 == "/" || $0 == "?" }.last { headIndices[String($0)] != nil }.map(String.init)
        guard let index = id.flatMap({ headIndices[$0] }) else { return #"{"resources":[]}"# }
        let stats = #","stats":{"replies":\#(heads[index].replies + 1),"last_activity":\#(clock)}}"#
        return #"{"resource":\#(body(of: heads[index], updatedAt: clock))\#(stats)}"#
    }
}

extension TwakeTraffic {
    private func resource(_ action: String, _ type: String, room: String, path: String, _ body: String) -> String {
        let path = isTerse ? "" : #""path":"\#(path)","#
        return
            #"42["realtime:resource",{"action":"\#(action)","room":"\#(room)","type":"\#(type)",\#(path)"resource":\#(body)}]"#
    }

    private func path(_ channel: Int) -> String {
        "/companies/\(company)/workspaces/\(workspace)/channels/\(channels[channel])"
    }

    private mutating func activity(_ channel: Int) -> String {
        let last =
            #"{"date":\#(clock),"sender":"\#(dice.pick(users))","sender_name":"\#(dice.pick(Self.names))","title":"📄 channel \#(channel) in Company • Workspace","text":"\#(sentence())"}"#
        return resource(
            "updated", "channel_activity", room: listRoom, path: path(channel),
            #"{"company_id":"\#(company)","workspace_id":"\#(workspace)","id":"\#(channels[channel])","last_activity":\#(clock),"last_message":\#(last)}"#
        )
    }

    private mutating func change(_ channel: Int) -> String {
        resource("saved", "channel", room: listRoom, path: path(channel), entity(channel) + "}")
    }

    /// Returns a channel without its closing brace.
    private mutating func entity(_ channel: Int) -> String {
        #"{"is_default":false,"archived":false,"members":[],"connectors":[],"last_activity":\#(clock),"company_id":"\#(company)","workspace_id":"\#(workspace)","id":"\#(channels[channel])","archivation_date":0,"channel_group":"","description":"\#(sentence())","icon":"📄","name":"channel \#(channel)","owner":"\#(dice.pick(users))","visibility":"public","updated_at":\#(clock),"created_at":1620987900000"#
    }

    private mutating func message(_ channel: Int) -> String {
        let kind = dice.below(10)
        let isFull = heads.count + replies >= limit
        guard !heads.isEmpty, kind < 5 || isFull else { return newMessage(channel) }
        // Most activity concerns recent messages.
        let index = heads.count - 1 - dice.below(min(heads.count, 500))
        if kind == 0, !isFull {
            heads[index].replies += 1
            replies += 1
            let reply = Head(id: dice.uuid(), channel: heads[index].channel, createdAt: clock, text: sentence())
            return frame("created", of: reply, thread: heads[index].id)
        }
        if kind % 2 == 0 {
            heads[index].text = sentence()
            heads[index].isEdited = true
        } else {
            heads[index].reactions = heads[index].reactions % 4 + 1
        }
        return frame("updated", of: heads[index])
    }

    private mutating func newMessage(_ channel: Int) -> String {
        let head = Head(id: dice.uuid(), channel: channel, createdAt: clock, text: sentence())
        headIndices[head.id] = heads.count
        heads.append(head)
        return frame("created", of: head)
    }

    private mutating func frame(_ action: String, of message: Head, thread: String? = nil) -> String {
        resource(
            action, "message", room: feedRoom(message.channel),
            path: "/companies/\(company)/threads/\(thread ?? message.id)/\(message.id)",
            body(of: message, thread: thread, updatedAt: clock) + "}")
    }

    /// Returns a message without its closing brace.
    private mutating func body(of message: Head, thread: String? = nil, updatedAt: Int) -> String {
        let blocks = isTerse ? "" : #""blocks":[{"type":"twacode","elements":["\#(message.text)"]}],"#
        return
            #"{"thread_id":"\#(thread ?? message.id)","id":"\#(message.id)","ephemeral":null,"type":"message","subtype":null,"created_at":\#(message.createdAt),"updated_at":\#(updatedAt),"user_id":"\#(dice.pick(users))","application_id":null,"text":"\#(message.text)",\#(blocks)"files":null,"context":null,"edited":\#(message.isEdited ? #"{"edited_at":\#(updatedAt)}"# : "null"),"pinned_info":null,"reactions":\#(reactions(of: message)),"bookmarks":null,"override":null"#
    }

    private func reactions(of message: Head) -> String {
        guard message.reactions > 0 else { return "null" }
        let names = users.prefix(message.reactions).map { "\"\($0)\"" }.joined(separator: ",")
        return #"[{"name":":thumbsup:","count":\#(message.reactions),"users":[\#(names)]}]"#
    }

    /// Returns the contents of a JSON string of about 60 bytes.
    private mutating func sentence() -> String {
        (0..<8 + dice.below(6)).map { _ in dice.pick(Self.words) }.joined(separator: " ")
    }

    private static let names = ["Ana Lima", "Bo Chen", "Émile Durand", "Ирина Орлова", "First Last", "Twake"]
    private static let words = [
        "the", "release", "is", "ready", "déjà", "vu", "see", #"\"draft\""#, "tomorrow", "at", "ten", "👍", "über",
        "please", "review", "it", "again", #"a\/b"#, "ok", "and", "we", "ship",
    ]
}

// The same seed yields the same traffic on every machine.
extension RandomSource {
    /// Returns a number in `0..<bound`.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 1) % bound }

    /// Returns one of `choices`, which must not be empty.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

    /// Returns a random UUID in its usual form.
    mutating func uuid() -> String {
        let digits = Self.hexadecimal(next()) + Self.hexadecimal(next())
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
            text.append(index == 12 ? "4" : digit)
        }
        return text
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

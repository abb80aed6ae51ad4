import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// A session of user U1 in workspace W of company C, with one channel CH called General, whose room
/// is joined, and its message M0.
extension Transcript {
    static let publicRoom = "/companies/C/workspaces/W/channels?type=public"
    static let feedRoom = "/companies/C/workspaces/W/channels/CH/feed"
    static let updatesRoom = "previous::channels/CH/messages/updates"
    static let badgeRoom = "/notifications?type=private&user=U1"
    static let messages = Item.Section("messages", EntityID("CH"))

    /// A session of era B with everything fetched.
    static func acting() -> Transcript {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W"), keepsChecksum: true)
        transcript.authenticate()
        transcript.answer("/general/v1/server", "{}")
        transcript.answer("/users/me", #"{"resource":{"id":"U1"}}"#)
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"}]"#)
        transcript.answer("/channels?mine=1", #"{"resources":[\#(channel())]}"#)
        transcript.receive(#"42["realtime:join:success",{"name":"\#(feedRoom)"}]"#)
        transcript.answer("/feed", feed([message("M0", "first", at: 1)]))
        return transcript
    }

    /// A session of era A with everything fetched.
    static func actingByProxy() -> Transcript {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v3, company: "C", workspace: "W"))
        transcript.feed(.opened(connection: transcript.connection, token: Secret("secret-token")))
        transcript.receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#)
        transcript.receive("40")
        transcript.receive(#"42["authenticated"]"#)
        transcript.answer("/general/v1/server", status: 404, #"{"statusCode":404}"#)
        transcript.answer("/internal/mobile/user", #"{"id":"U1","username":"u","email":"u@example.org"}"#)
        transcript.answer(
            "/workspace/notifications",
            #"[{"key":"\#(publicRoom)","type":"channels_list","id":"public"},{"key":"\#(updatesRoom)","type":"channel","id":"CH"}]"#
        )
        transcript.receive(#"42["realtime:join:success",{"name":"\#(publicRoom)"}]"#)
        transcript.answer("/internal/mobile/channels?", "[\(proxyChannel())]")
        transcript.receive(#"42["realtime:join:success",{"name":"\#(updatesRoom)"}]"#)
        transcript.answer("/internal/mobile/messages?", "[\(proxyMessage("M0", "first", at: 1))]")
        return transcript
    }

    // MARK: Server answers and events

    static func channel(_ id: String = "CH", name: String = "General") -> String {
        #"{"company_id":"C","workspace_id":"W","id":"\#(id)","name":"\#(name)","visibility":"public","members":[],"last_activity":1631610000001,"last_message":{},"user_member":{"user_id":"U1","last_access":1631600000000}}"#
    }

    static func proxyChannel(_ id: String = "CH", name: String = "General") -> String {
        #"{"company_id":"C","workspace_id":"W","id":"\#(id)","name":"\#(name)","icon":"","description":"","visibility":"public","members":["U1"],"last_activity":1631610000001,"last_message":null,"user_last_access":1631600000000}"#
    }

    /// A message of era B by `user`; `at` and `updated` are milliseconds of a day in 2021.
    static func message(
        _ id: String, _ text: String, at: Int, updated: Int? = nil, thread: String? = nil, user: String = "U1",
        more: String = ""
    ) -> String {
        #"{"thread_id":"\#(thread ?? id)","id":"\#(id)","type":"message","subtype":null,"created_at":\#(1_631_610_000_000 + at),"updated_at":\#(1_631_610_000_000 + (updated ?? at)),"user_id":"\#(user)","text":"\#(text)","blocks":[],"reactions":null\#(more)}"#
    }

    static func proxyMessage(_ id: String, _ text: String, at: Int, thread: String = "null") -> String {
        #"{"id":"\#(id)","thread_id":\#(thread),"responses_count":0,"user_id":"U1","creation_date":\#(1_631_610_000_000 + at),"modification_date":\#(1_631_610_000_000 + at),"content":{"original_str":"\#(text)","prepared":["\#(text)"]},"reactions":[],"channel_id":"CH","username":"u"}"#
    }

    static func feed(_ messages: [String]) -> String { #"{"resources":[\#(messages.joined(separator: ","))]}"# }

    /// Era B's answer to a new thread.
    static func thread(_ message: String, id: String) -> String {
        #"{"resource":{"id":"\#(id)","created_by":"U1","participants":[],"message":\#(message)}}"#
    }

    /// Feeds a frame of the channel's feed room.
    mutating func tell(_ action: String, _ message: String) {
        receive(
            #"42["realtime:resource",{"action":"\#(action)","room":"\#(Self.feedRoom)","type":"message","path":"/","resource":\#(message)}]"#
        )
    }

    // MARK: User actions

    static let channel = EntityID("CH")

    mutating func act(_ id: String, _ operation: Action.Operation) {
        feed(.act(Action(id: EntityID(id), operation, asked: Timestamp(milliseconds: 1_631_610_500_000))))
    }

    mutating func send(_ id: String, _ text: String, to channel: EntityID = Self.channel, thread: String? = nil) {
        act(id, .send(channel: channel, thread: thread.map { EntityID($0) }, text: text))
    }

    /// Ends the oldest request whose target contains `part` without an answer.
    mutating func fail(_ part: String, kind: String) {
        guard let index = requests.firstIndex(where: { $0.target.contains(part) }) else { return }
        let request = requests.remove(at: index)
        feed(.answered(request: request.id, .failure(kind: kind, message: "no answer")))
    }

    // MARK: Observations

    /// The channel's messages: `text`, `text?` when pending, `text-` when being deleted, `text!` when failed.
    var shown: [String] {
        session.model.elements(in: Self.messages).map { row in
            let mark =
                switch row.delivery {
                case .pending: "?"
                case .leaving: "-"
                case .failed: "!"
                case nil: ""
                }
            return (row.message?.text ?? "") + mark
        }
    }

    /// The action reports of the last input, as `id state`.
    var actions: [String] {
        effects.compactMap { effect in
            guard case .report(.action(let report)) = effect else { return nil }
            let change =
                switch report.change {
                case .queued: "queued"
                case .sending(let attempt): "sending \(attempt)"
                case .done(let subject): "done \(subject?.description ?? "nothing")"
                case .refused(let why, let status): "refused \(status.map { "\($0) " } ?? "")\(why)"
                case .delayed(let why, _): "delayed \(why)"
                case .dropped: "dropped"
                }
            return "\(report.action.id) \(change)"
        }
    }

    /// The pending requests, as `POST /path`.
    var calls: [String] { requests.map { "\($0.method) \($0.target)" } }
}

import Events
import JSONText

/// `EventGuide` for Twake: a specimen of each event is decoded, and its fields, its handlers and their treatments are read off.
enum TwakeGuide {
    static let all: [EventGuide] = {
        var guides: [EventGuide] = []
        for specimen in specimens {
            guard let event = try? Twake.Event(array: Array(specimen.utf8)[...]) else { continue }
            let guide = guide(of: event)
            if let index = guides.firstIndex(where: { $0.kind == guide.kind }) {
                guides[index].merge(guide)
            } else {
                guides.append(guide)
            }
        }
        return guides.sorted { $0.kind < $1.kind }
    }()

    private static func guide(of event: Twake.Event) -> EventGuide {
        let (name, handlers, subjects, payload) = parts(of: event)
        return EventGuide(
            kind: Event.twake(event).kind, wireNames: [name], fields: EventGuide.Field.all(of: payload),
            handlers: handlers,
            treatments: subjects.map { subject in
                ("\(subject)", TwakeStanding.allCases.map { treatment(of: subject, $0) })
            })
    }

    private static func treatment(of subject: TwakeSubject, _ standing: TwakeStanding) -> EventGuide.Treatment {
        let treatment = TwakeTable.treatment(of: subject, standing)
        return EventGuide.Treatment(
            standing: standing.words, applies: treatment.applies, refetch: treatment.refetch.words)
    }

    private static func parts(
        of event: Twake.Event
    ) -> (name: String, handlers: [String], subjects: [TwakeSubject], payload: Any) {
        switch event {
        case .authenticated: ("authenticated", [], [], ())
        case .unauthorized: ("unauthorized", [], [], event)
        case .joined: ("realtime:join:success", [], [], event)
        case .joinRefused: ("realtime:join:error", [], [], event)
        case .left: ("realtime:leave:success", [], [], event)
        case .leaveRefused: ("realtime:leave:error", [], [], event)
        case .eventRefused: ("realtime:event:error", [], [], event)
        case .unknown: ("", [], [], event)
        case .event(let sent):
            switch sent.data {
            case .message:
                ("realtime:event (era A)", TwakeRouter.messageNotice.map(\.name), [.messageNotice], sent.data)
            case .typing: ("realtime:event writing", TwakeRouter.typing.map(\.name), [.typing], sent.data)
            case .unknown: ("realtime:event", [], [], sent.data)
            }
        case .resource(let sent): resource(sent)
        }
    }

    private static func resource(
        _ sent: Twake.SocketIOResource
    ) -> (name: String, handlers: [String], subjects: [TwakeSubject], payload: Any) {
        let name = "realtime:resource " + sent.type.wireName
        return switch sent.resource {
        case .channel(let payload): (name, TwakeRouter.channel.map(\.name), [.channel], payload)
        case .activity(let payload): (name, TwakeRouter.activity.map(\.name), [.activity], payload)
        case .member(let payload): (name, TwakeRouter.member.map(\.name), [.ownMembership, .member], payload)
        case .message(let payload): (name, TwakeRouter.message.map(\.name), [.message, .replyCounter], payload)
        case .badge(let payload): (name, TwakeRouter.badge.map(\.name), [.badge], payload)
        case .online(let payload): (name, TwakeRouter.online.map(\.name), [.presence], payload.first ?? payload)
        case .workspace(let payload): (name, TwakeRouter.workspace.map(\.name), [.workspace], payload)
        case .company(let payload): (name, TwakeRouter.company.map(\.name), [.company], payload)
        case .user(let payload): (name, TwakeRouter.account.map(\.name), [.account], payload)
        case .companyUser(let payload): (name, TwakeRouter.companyUser.map(\.name), [.companyUser], payload)
        case .desktopNotification(let payload): (name, [], [], payload)
        case .tab(let payload): (name, [], [], payload)
        case .bookmark(let payload): (name, [], [], payload)
        case .document(let payload): (name, [], [], payload)
        case .other(let payload): (name, [], [], payload)
        }
    }

    /// The shortest of each kind and type that decodes.
    private static let specimens = [
        #"["authenticated"]"#, #"["unauthorized",{"message":"m"}]"#,
        #"["realtime:join:success",{"name":"/r"}]"#, #"["realtime:join:error",{"name":"/r","error":"e"}]"#,
        #"["realtime:leave:success",{"name":"/r"}]"#, #"["realtime:leave:error",{"name":"/r","message":"e"}]"#,
        #"["realtime:event:error",{"name":"/r","message":"e"}]"#,
        #"["realtime:event",{"name":"/r","data":{"type":"writing","event":{"thread_id":"T","channel_id":"CH","user_id":"U","is_writing":true}}}]"#,
        #"["realtime:event",{"name":"previous::channels/C/messages/updates","data":{"client_id":"system","action":"remove","message_id":"M","thread_id":null}}]"#,
        specimen("user:online", #"[["U",true]]"#, "event"),
        specimen("channel", #"{"id":"CH","company_id":"C","workspace_id":"W"}"#),
        specimen("channels", #"{"id":"CH","company_id":"C","workspace_id":"direct"}"#),
        specimen(
            "channel_activity", #"{"company_id":"C","workspace_id":"W","id":"CH","last_activity":1,"last_message":{}}"#),
        specimen("channel_member", #"{"company_id":"C","workspace_id":"W","id":"CH","user_member":null}"#, "deleted"),
        specimen(
            "message",
            #"{"thread_id":"T","id":"M","ephemeral":null,"type":"message","subtype":null,"created_at":1,"updated_at":1,"user_id":"U","text":"t"}"#
        ),
        specimen(
            "user_notification_badges",
            #"{"company_id":"C","user_id":"U","workspace_id":"W","channel_id":"CH","thread_id":"T","message_id":"M","id":"B"}"#
        ),
        specimen(
            "notification:desktop",
            #"{"company_id":"C","workspace_id":"W","channel_id":"CH","user":"U","thread_id":"T","message_id":"M","title":"t","text":"t"}"#,
            "event"),
        specimen("channel_tabs", #"{"company_id":"C","workspace_id":"W","channel_id":"CH","id":"TAB","name":"Tab"}"#),
        specimen("user_message_bookmark", #"{"company_id":"C","user_id":"U","id":"B","name":"later"}"#),
        specimen("workspace", #"{"id":"W","company_id":"C","name":"n"}"#),
        specimen("user", #"{"id":"U","first_name":"n"}"#), specimen("company", #"{"id":"C","name":"n"}"#),
        specimen("company_user", #"{"user_id":"U","group_id":"C","role":"member","applications":[],"date_added":1}"#),
        specimen("company_application", #"{"id":"A"}"#, "deleted"),
        specimen("documents:updated", #"{"companyId":"C","id":"D"}"#, "event"),
        #"["something:else",{}]"#,
    ]

    private static func specimen(_ type: String, _ resource: String, _ action: String = "saved") -> String {
        #"["realtime:resource",{"action":"\#(action)","room":"/r","type":"\#(type)","path":"/","resource":\#(resource)}]"#
    }
}

extension EventGuide {
    /// Takes in what is known of another event of the same kind.
    mutating func merge(_ other: EventGuide) {
        wireNames += other.wireNames.filter { !wireNames.contains($0) }
        fields += other.fields.filter { field in !fields.contains { $0.name == field.name } }
        handlers += other.handlers.filter { !handlers.contains($0) }
        treatments += other.treatments.filter { treatment in
            !treatments.contains { $0.subject == treatment.subject }
        }
    }
}

extension TwakeStanding {
    fileprivate static let allCases: [TwakeStanding] = [.unknown, .older, .same, .doubtful, .newer, .removed]

    fileprivate var words: String {
        switch self {
        case .unknown: "not known yet"
        case .older: "overtaken by a newer one"
        case .same: "known already"
        case .doubtful: "another, of unknown age"
        case .newer: "newer"
        case .removed: "gone"
        }
    }
}

extension TwakeTreatment.Refetch {
    fileprivate var words: String {
        switch self {
        case .none: ""
        case .list: "the list that holds the channel"
        case .listSoon: "the list that holds the channel, a little later"
        case .channelSoon: "the channel, a little later"
        case .members: "the channel's members"
        case .message: "the message"
        case .head: "the head of its thread"
        case .account: "the account"
        case .placesSoon: "the companies or workspaces, a little later"
        case .badgesSoon: "all badges of the company, a little later"
        }
    }
}

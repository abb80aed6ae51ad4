import WeirEvents
import WeirJSON

/// Computes the `EventGuide` of each Twake event: it decodes a specimen, and reads off its fields, handlers and
/// treatments.
enum TwakeGuide {
    static let all: [EventGuide] = {
        var guides: [EventGuide] = []
        for guide in specimens.compactMap({ guide(of: $0) }) {
            if let index = guides.firstIndex(where: { $0.kind == guide.kind }) {
                guides[index].merge(guide)
            } else {
                guides.append(guide)
            }
        }
        return guides.sorted { $0.kind < $1.kind }
    }()

    /// Returns the guide of a specimen's event, or `nil` when the specimen is malformed.
    static func guide(of specimen: String) -> EventGuide? {
        let array = Array(specimen.utf8)[...]
        guard let event = try? Twake.Event(array: array) else { return nil }
        let (name, handlers, subjects, members) = parts(of: event)
        return EventGuide(
            kind: Event.twake(event).kind, wireNames: [name],
            fields: EventGuide.Field.all(in: RawJSON(unchecked: array), also: members, at: "resource"),
            handlers: handlers,
            treatments: subjects.map { subject in
                ("\(subject)", TwakeFreshness.allCases.map { treatment(of: subject, $0) })
            })
    }

    private static func treatment(of subject: TwakeSubject, _ freshness: TwakeFreshness) -> EventGuide.Treatment {
        let treatment = TwakeRefetchPolicy.treatment(of: subject, freshness)
        return EventGuide.Treatment(
            standing: freshness.words, applies: treatment.applies, refetch: treatment.refetch.words)
    }

    /// Returns the parts of an event's guide. `members` are the fields that the decoding table of the resource accepts.
    private static func parts(
        of event: Twake.Event
    ) -> (name: String, handlers: [String], subjects: [TwakeSubject], members: [String]) {
        switch event {
        case .authenticated: ("authenticated", [], [], [])
        case .unauthorized: ("unauthorized", [], [], [])
        case .joined: ("realtime:join:success", [], [], [])
        case .joinRefused: ("realtime:join:error", [], [], [])
        case .left: ("realtime:leave:success", [], [], [])
        case .leaveRefused: ("realtime:leave:error", [], [], [])
        case .eventRefused: ("realtime:event:error", [], [], [])
        case .unknown: ("", [], [], [])
        case .event(let sent):
            switch sent.data {
            case .message:
                ("realtime:event (era A)", TwakeRouter.messageNotice.map(\.name), [.messageNotice], [])
            case .typing: ("realtime:event writing", TwakeRouter.typing.map(\.name), [.typing], [])
            case .unknown: ("realtime:event", [], [], [])
            }
        case .resource(let sent): resource(sent)
        }
    }

    private static func resource(
        _ sent: Twake.SocketIOResource
    ) -> (name: String, handlers: [String], subjects: [TwakeSubject], members: [String]) {
        let name = "realtime:resource " + sent.type.wireName
        return switch sent.resource {
        case .channel: (name, TwakeRouter.channel.map(\.name), [.channel], [])
        case .activity: (name, TwakeRouter.activity.map(\.name), [.activity], [])
        case .member:
            (name, TwakeRouter.member.map(\.name), [.ownMembership, .member], Twake.ChannelMember.wireNames)
        case .message: (name, TwakeRouter.message.map(\.name), [.message, .replyCounter], [])
        case .badge: (name, TwakeRouter.badge.map(\.name), [.badge], Twake.Badge.wireNames)
        case .online: (name, TwakeRouter.online.map(\.name), [.presence], [])
        case .workspace: (name, TwakeRouter.workspace.map(\.name), [.workspace], Twake.Workspace.wireNames)
        case .company: (name, TwakeRouter.company.map(\.name), [.company], Twake.Company.wireNames)
        case .user: (name, TwakeRouter.account.map(\.name), [.account], Twake.Account.wireNames)
        case .companyUser:
            (name, TwakeRouter.companyUser.map(\.name), [.companyUser], Twake.CompanyUser.wireNames)
        case .desktopNotification: (name, [], [], Twake.DesktopNotification.wireNames)
        case .tab: (name, [], [], Twake.ChannelTab.wireNames)
        case .bookmark: (name, [], [], Twake.Bookmark.wireNames)
        case .document: (name, [], [], Twake.DocumentUpdate.wireNames)
        case .other: (name, [], [], [])
        }
    }

    /// At least one specimen of each kind and type. Channels and messages are decoded without a table, so their
    /// specimens contain every field that servers send.
    static let specimens = [
        #"["authenticated"]"#, #"["unauthorized",{"message":"m"}]"#,
        #"["realtime:join:success",{"name":"/r"}]"#, #"["realtime:join:error",{"name":"/r","error":"e"}]"#,
        #"["realtime:leave:success",{"name":"/r"}]"#, #"["realtime:leave:error",{"name":"/r","message":"e"}]"#,
        #"["realtime:event:error",{"name":"/r","message":"e"}]"#,
        #"["realtime:event",{"name":"/r","data":{"type":"writing","event":{"thread_id":"T","channel_id":"CH","user_id":"U","name":"n","is_writing":true}}}]"#,
        specimen("user:online", #"{"online":[{"company_id":"C","user_id":"U","is_online":true}]}"#, "event"),
        specimen("user:online", #"[["U",true]]"#, "event"),
        specimen("channel", channel), specimen("channels", channel),
        specimen(
            "channel_activity",
            #"{"company_id":"C","workspace_id":"W","id":"CH","last_activity":1,"last_message":\#(lastMessage)}"#),
        specimen(
            "channel_member", #"{"company_id":"C","workspace_id":"W","user_id":"U","channel_id":"CH","type":"member"}"#),
        specimen("channel_member", #"{"company_id":"C","workspace_id":"W","id":"CH","user_member":{"user_id":"U"}}"#),
        specimen("message", message),
        #"["realtime:event",{"name":"previous::channels/C/messages/updates","data":{"client_id":"system","action":"remove","message_id":"M","thread_id":"T"}}]"#,
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

    private static let lastMessage = #"{"date":1,"sender":"U","sender_name":"n","title":"t","text":"t"}"#
    private static let channel =
        #"{"id":"CH","company_id":"C","workspace_id":"W","visibility":"public","name":"n","icon":"i","description":"d","owner":"U","archived":false,"is_default":false,"is_readonly":false,"members":["U"],"connectors":[],"archivation_date":0,"channel_group":"g","last_activity":1,"last_message":\#(lastMessage),"stats":{"members":1,"messages":1},"role":"member","members_count":1,"updated_at":1,"created_at":1}"#
    private static let message =
        #"{"id":"M","thread_id":"T","type":"message","subtype":"system","created_at":1,"updated_at":1,"user_id":"U","application_id":"A","text":"t","blocks":[],"files":[],"context":{},"edited":{"edited_at":1},"pinned_info":{"pinned_at":1,"pinned_by":"U"},"reactions":[],"bookmarks":[],"override":{"title":"t","picture":"p"},"ephemeral":{"id":"E","version":"1","recipient":"U","recipient_context_id":"X"},"status":"delivered","quote_message":{"id":"Q","text":"t","user_id":"U"},"links":[],"users":[],"cache":{"company_id":"C","workspace_id":"W","channel_id":"CH"},"stats":{"replies":2,"last_activity":1}}"#

    private static func specimen(_ type: String, _ resource: String, _ action: String = "saved") -> String {
        #"["realtime:resource",{"action":"\#(action)","room":"/r","type":"\#(type)","path":"/","resource":\#(resource)}]"#
    }
}

extension TwakeFreshness {
    fileprivate static let allCases: [TwakeFreshness] = [.unknown, .older, .same, .doubtful, .newer, .removed]

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
        case .list: "the list that contains the channel"
        case .listSoon: "the list that contains the channel, a little later"
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

import WeirJSON
import WeirLive
@testable import WeirViews
import WeirPipeline
import WeirRecording
import WeirWire

/// A session fed with the messages of GroupMe's services, and all of its reports. It writes every entity type and every
/// field.
struct GroupMeConversation {
    private var session: Session
    private var server = BayeuxServer(seed: 7)
    private var effects: [Effect] = []
    private var requests: [FetchRequest] = []
    private var now = Moment.zero
    private var n = 0
    private var connection = 0
    private var reports: [StampedReport] = []

    /// Runs the whole conversation and returns its reports.
    static func everything() -> [StampedReport] {
        var conversation = GroupMeConversation()
        conversation.feed(.opened(connection: conversation.connection, token: Secret("secret")))
        conversation.answerAll()
        conversation.push("/user/1", message("20", #""text":"new","user_id":"2""#))
        conversation.answerAll()
        conversation.push(
            "/group/10",
            #"{"type":"favorite","subject":{"line":\#(line("17", "")),"reactions":[{"type":"unicode","code":"👍","user_ids":["2"]}]}}"#
        )
        conversation.push(
            "/group/10",
            #"{"type":"message.deleted","subject":\#(line("17", #""deleted_at":"2026-07-29T23:40:22Z","deletion_actor":"sender""#))}"#
        )
        conversation.push(
            "/direct_message/1_2",
            #"{"type":"read_receipt.create","subject":{"id":"1","chat_id":"1+2","message_id":"17","user_id":"2","read_at":1785347486}}"#
        )
        conversation.push("/user/1", #"{"type":"membership.destroy","subject":{"group_id":"10"}}"#)
        return conversation.reports
    }

    private init() {
        session = Session(
            Configuration(backend: .groupme, following: [.usual, .members], resyncInterval: nil), seed: 1,
            keepsChecksum: true)
        feed(.start)
    }

    /// Feeds one input, ten milliseconds after the previous one.
    private mutating func feed(_ input: Input) {
        n += 1
        now = now + .milliseconds(10)
        session.advance(to: now, into: &effects)
        session.handle(input, n: n, at: now, into: &effects)
        let stamp = Stamp(n: n, time: now, wall: 1_785_346_055_123_456 + now.microseconds)
        let mine = effects
        effects = []
        for effect in mine {
            switch effect {
            case .connect(let request): connection = request.connection
            case .request(let request): requests.append(request)
            case .report(let report): reports.append(StampedReport(stamp: stamp, report: report))
            case .send(let connection, let message): take(message, on: connection)
            case .close, .cancel, .renewToken, .remember, .finish: break
            }
        }
    }

    private mutating func take(_ message: WebSocketMessage, on connection: Int) {
        var answers: [BayeuxServer.Effect] = []
        server.receive(
            message.bytes, on: connection, isSocket: true, at: now, policy: { _ in nil }, into: &answers)
        deliver(answers)
    }

    private mutating func push(_ channel: String, _ data: String) {
        guard let channel = Bayeux.Channel(channel) else { return }
        var answers: [BayeuxServer.Effect] = []
        server.publish(channel, RawJSON(unchecked: ArraySlice(data.utf8)), into: &answers)
        deliver(answers)
        now = now + .seconds(1)
        feed(.want(rooms: ["/group/10"], source: .ctl))
        answerAll()
    }

    private mutating func deliver(_ answers: [BayeuxServer.Effect]) {
        for case .send(let link, let bytes) in answers { feed(.message(connection: link, .text(bytes[...]))) }
    }

    /// Answers all requests, including those that the answers cause.
    private mutating func answerAll() {
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let response = Self.response(to: request.target)
            let body = response.map { #"{"response":\#($0),"meta":{"code":200}}"# } ?? ""
            feed(
                .answered(
                    request: request.id,
                    .response(status: response == nil ? 404 : 200, body: ArraySlice(body.utf8), retryAfter: nil)))
        }
    }

    // MARK: What the service says

    private static func response(to target: String) -> String? {
        if target.contains("/users/me") {
            return
                #"{"id":"1","name":"Mia","image_url":"https://i.groupme.com/1","email":"m@example.org","phone_number":"+1 5555550100","locale":"en","share_url":"https://groupme.com/contact/1/X","created_at":1785000000,"updated_at":1785000001}"#
        }
        if target.contains("/groups/former") { return #"[{"id":"30","name":"Left"}]"# }
        if target.contains("/messages") { return messages(target) }
        if target.contains("/groups/10") { return group }
        if target.contains("/groups") { return target.contains("page=1&") ? "[\(group)]" : "[]" }
        if target.contains("/chats") { return target.contains("page=1&") ? "[\(chat)]" : "[]" }
        return nil
    }

    private static func messages(_ target: String) -> String {
        guard !target.contains("before_id") else { return #"{"count":3,"messages":[]}"# }
        if target.contains("direct") { return #"{"count":1,"direct_messages":[\#(direct)]}"# }
        return #"{"count":3,"messages":[\#(pinned),\#(line("16", event)),\#(line("15", unusual))]}"#
    }

    private static func message(_ number: String, _ more: String) -> String {
        #"{"type":"line.create","alert":"","subject":\#(line(number, more))}"#
    }

    private static func line(_ number: String, _ more: String) -> String {
        let rest = more.isEmpty ? "" : ",\(more)"
        return #"{"id":"17853460550000000\#(number)","group_id":"10","created_at":1785346055\#(rest)}"#
    }

    private static let pinned = line(
        "17",
        #""sender_id":"2","user_id":"2","sender_type":"user","name":"Ann","avatar_url":"https://i.groupme.com/2","text":"hi","updated_at":1785346056,"source_guid":"g","system":false,"attachments":[{"type":"image","url":"https://i.groupme.com/3"}],"favorited_by":["3"],"reactions":[{"type":"unicode","code":"👍","user_ids":["3"]}],"pinned_at":1785346057,"pinned_by":"2","platform":"gm","parent_id":"9""#
    )

    private static let event =
        #""sender_id":"system","sender_type":"system","system":true,"text":"t","event":{"type":"group.name_change","data":{"name":"n"}}"#

    private static let unusual =
        #""user_id":"2","text":"x","reactions":[{"type":"emoji","pack_id":1,"pack_index":12,"user_ids":["2"]},{"type":"sticker","of":"7","user_ids":["3"]}]"#

    private static let direct =
        #"{"id":"178534605500000017","conversation_id":"1+2","created_at":1785346055,"sender_id":"2","user_id":"2","recipient_id":"1","name":"Ann","text":"hola"}"#

    private static let chat =
        #"{"created_at":1785000000,"updated_at":1785346055,"messages_count":1,"last_message":\#(direct),"other_user":{"id":"2","name":"Ann","avatar_url":"https://i.groupme.com/2"}}"#

    private static let group =
        #"{"id":"10","group_id":"10","name":"Family","type":"private","description":"d","image_url":"https://i.groupme.com/4","creator_user_id":"1","created_at":1785000000,"updated_at":1785000001,"messages":{"count":3,"last_message_id":"178534605500000017","last_message_created_at":1785346055,"last_message_updated_at":1785346056,"preview":{"nickname":"Ann","text":"hi","image_url":"https://i.groupme.com/2"}},"members_count":1,"max_members":5000,"share_url":"https://groupme.com/join_group/10/X","like_icon":{"type":"emoji","pack_id":1,"pack_index":57},"theme_name":"ideas","muted_until":253402300800,"requires_approval":true,"unread_count":2,"last_read_message_id":"178534605500000016","last_read_at":1785346055,"parent_id":"9","children_count":1,"message_edit_period":15,"message_deletion_mode":["admin","sender"],"members":[{"id":"100","user_id":"2","nickname":"Ann","name":"Ann Example","image_url":"https://i.groupme.com/2","muted":true,"autokicked":true,"roles":["admin"],"guid":"G"}]}"#
}

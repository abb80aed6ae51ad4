import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// A GroupMe session connected to Weir's own Bayeux server: frames go both ways in memory, and
/// the test writes the REST answers.
struct GroupMeTranscript {
    static let me = "20000001"
    static let family = "/group/10000001"
    static let token = "secret-token"

    var transcript: Transcript
    private var server = BayeuxServer(seed: 7)
    /// Whether the server receives frames and its frames arrive.
    var isLinked = true
    /// Whether the server's answers to subscriptions for conversations are lost.
    var isDeaf = false
    /// The error with which the server refuses subscriptions to the user's channel; `nil` to accept them.
    var refusal: String?
    /// The `ext` of each subscription, in order.
    private(set) var subscribed: [(channel: String, ext: String?)] = []
    private(set) var reports: [Report] = []
    private(set) var finished: Ending?

    init(_ configuration: Configuration = Configuration(backend: .groupme, resyncInterval: nil)) {
        transcript = Transcript(configuration)
        note()
    }

    /// A ready session of a member of one group. Without periodic resyncs, the lists'
    /// first pages are fetched only once.
    static func ready(rooms: [String] = [family]) -> GroupMeTranscript {
        var peer = GroupMeTranscript(Configuration(backend: .groupme, rooms: rooms, resyncInterval: nil))
        peer.open()
        peer.answer("/users/me", #"{"id":"\#(me)","name":"Me"}"#)
        return peer
    }

    // MARK: The link

    mutating func open() {
        isLinked = true
        feed(.opened(connection: transcript.connection, token: Secret(Self.token)))
    }

    /// Cuts the socket; the server may notice.
    mutating func cut() {
        server.linkClosed(transcript.connection)
        transcript.cut()
        note()
    }

    /// Restarts the server, which forgets everything.
    mutating func restart() {
        server = BayeuxServer(seed: 11)
        cut()
    }

    mutating func pass(_ span: Duration) {
        transcript.pass(span)
        note()
    }

    mutating func feed(_ input: Input) {
        transcript.feed(input)
        note()
    }

    /// Makes the server forget every session while the socket stays open.
    mutating func forget() { server = BayeuxServer(seed: 13) }

    /// Publishes data on a channel.
    mutating func push(_ channel: String, _ data: String) throws {
        var effects: [BayeuxServer.Effect] = []
        server.publish(
            try #require(Bayeux.Channel(channel)), RawJSON(unchecked: ArraySlice(data.utf8)), into: &effects)
        deliver(effects)
    }

    /// Pushes a message of the group.
    mutating func say(
        _ id: String, _ text: String = "hi", by user: String = "20000002", guid: String? = nil
    ) throws {
        try push(
            "/user/\(Self.me)",
            #"{"type":"line.create","alert":"","subject":\#(Self.message(id, text, by: user, guid: guid)),"received_at":1785346055000}"#
        )
    }

    static func message(
        _ id: String, _ text: String = "hi", by user: String = "20000002", guid: String? = nil
    ) -> String {
        #"{"id":"\#(id)","group_id":"10000001","created_at":\#(id.prefix(10)),"user_id":"\#(user)","sender_id":"\#(user)","#
            + #""sender_type":"user","name":"Ann","text":"\#(text)","source_guid":"\#(guid ?? "guid-\(id)")","#
            + #""system":false,"favorited_by":[],"attachments":[]}"#
    }

    /// A page of messages 1785346055000000NN, newest first.
    static func page(_ numbers: some Sequence<Int>) -> String {
        #"{"count":100,"messages":[\#(numbers.map { message(id($0)) }.joined(separator: ","))]}"#
    }

    static func id(_ number: Int) -> String { "1785346055\(String(number + 100_000_000).dropFirst())" }

    private mutating func note() {
        let effects = transcript.effects
        transcript.effects = []
        for effect in effects {
            switch effect {
            case .report(let report): reports.append(report)
            case .send(let connection, let message) where isLinked: take(message, on: connection)
            case .finish(let ending): finished = ending
            case .close(let connection, let close):
                server.linkClosed(connection)
                transcript.feed(.closed(connection: connection, close))
                note()
            case .connect, .send, .request, .cancel, .renewToken, .remember: break
            }
        }
    }

    private mutating func take(_ message: WebSocketMessage, on connection: Int) {
        var effects: [BayeuxServer.Effect] = []
        let refusal = refusal
        var asked: [(String, String?)] = []
        server.receive(
            message.bytes, on: connection, isSocket: true, at: transcript.now,
            policy: { request in
                guard case .subscribe(let channel, let ext) = request else { return nil }
                asked.append((channel.name, ext?.description))
                return channel.name.hasPrefix("/user/") ? refusal : nil
            }, into: &effects)
        subscribed += asked
        deliver(effects)
    }

    private mutating func deliver(_ effects: [BayeuxServer.Effect]) {
        for case .send(let link, let bytes) in effects where isLinked {
            let text = String(decoding: bytes, as: UTF8.self)
            if isDeaf, text.contains("/meta/subscribe"), text.contains("/group/") { continue }
            feed(.message(connection: link, .text(bytes[...])))
        }
    }

    // MARK: The service

    /// Answers the oldest request whose target contains `part` with `response` in an envelope.
    mutating func answer(_ part: String, _ response: String, sourceLocation: SourceLocation = #_sourceLocation) {
        transcript.answer(part, #"{"response":\#(response),"meta":{"code":200}}"#, sourceLocation: sourceLocation)
        note()
    }

    mutating func answer(
        _ part: String, status: Int, body: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) {
        transcript.answer(part, status: status, body, sourceLocation: sourceLocation)
        note()
    }

    var targets: [String] { transcript.requests.map(\.target) }

    /// The texts of a group's messages, in order.
    var messages: [String] {
        transcript.session.model.messages(of: .group("10000001")).map { String($0.id.description.suffix(2)) }
    }

    func texts(of section: Item.Section) -> [String] {
        transcript.session.model.elements(in: section).map {
            $0.group?.name ?? $0.membership?.title ?? $0.id.id.description
        }
    }

    var gaps: Int { reports.count { if case .gap = $0 { true } else { false } } }
    var isReady: Bool { reports.contains { if case .connection(.ready) = $0 { true } else { false } } }
    var events: [String] {
        reports.compactMap { if case .event(let report) = $0 { report.event.kind } else { nil } }
    }
}

package import WeirJSON

/// The server end of Bayeux for all its clients: sessions, subscriptions, queues and held connects. It behaves like
/// Faye 1.4 (Bayeux BX-7 to BX-25).
///
/// This is a state machine. The driver passes it frames with their link and the time, and the machine returns effects.
/// A link is a WebSocket, or one HTTP exchange, which ends with the answer to its single frame. A session lives for
/// twice the connect timeout after its last connect. Its events go to the WebSocket that last sent a connect, or wait
/// for the next connect. A frame is answered as one array, after all its messages are handled; a frame with a held
/// connect is answered when the connect ends. The server forwards only the data of a client's message, because `ext`
/// may contain tokens.
package struct BayeuxServer: Sendable {
    let configuration: Configuration
    /// The sessions by number. Numbers count up from 1.
    var sessions: [Int: Session] = [:]
    /// The numbers of the sessions, in ascending order.
    var order: [Int] = []
    var numbers: [Secret: Int] = [:]
    var nextSession = 1
    /// The WebSockets that have sent data, with the sessions that a connect has bound to them.
    var sockets: [Int: [Int]] = [:]
    /// Frames with a held connect, by link.
    var held: [Int: HeldFrame] = [:]
    /// The earliest time at which a session may expire.
    var nextExpiry: Moment?
    var random: RandomSource
    var deliveries = 0

    /// One client's session, from its handshake to its end.
    struct Session: Sendable {
        let clientID: Secret
        var subscriptions: [Bayeux.Channel] = []
        /// Messages that wait for the next connect, each as JSON text.
        var queue: [[UInt8]] = []
        var queuedBytes = 0
        /// The WebSocket that receives the session's events.
        var socket: Int?
        /// When the session ends if no connect arrives.
        var expires: Moment
    }

    /// The answer to a frame whose connect is still held.
    struct HeldFrame: Sendable {
        let session: Int
        /// The id of the connect.
        let id: String?
        /// When the server answers the connect.
        let until: Moment
        /// The other replies, each as JSON text.
        let replies: [[UInt8]]
        /// The number of replies that precede the connect's.
        let place: Int
        let isSocket: Bool
    }

    /// Creates a server without clients. `seed` determines the ids of its sessions.
    package init(_ configuration: Configuration = Configuration(), seed: UInt64) {
        self.configuration = configuration
        random = RandomSource(seed: seed)
    }

    /// When to call `advance(to:into:)` next; `nil` if no deadline is pending.
    package var deadline: Moment? {
        let end = held.values.lazy.map(\.until).min()
        guard let nextExpiry else { return end }
        return min(end ?? nextExpiry, nextExpiry)
    }

    /// The number of open sessions.
    package var sessionCount: Int { sessions.count }

    /// Performs the steps that are due up to `now`: answers connects whose hold time is over, and ends expired sessions.
    package mutating func advance(to now: Moment, into effects: inout [Effect]) {
        for link in held.filter({ $0.value.until <= now }).keys.sorted() { release(link, into: &effects) }
        guard let nextExpiry, nextExpiry <= now else { return }
        for number in order.filter({ sessions[$0].map { $0.expires <= now } ?? false }) {
            end(number, into: &effects)
        }
        self.nextExpiry = sessions.values.lazy.map(\.expires).min()
    }

    /// Handles the loss of a WebSocket, or of the client of an HTTP exchange. Its sessions remain until they expire.
    package mutating func linkClosed(_ link: Int) {
        held[link] = nil
        for number in sockets.removeValue(forKey: link) ?? [] where sessions[number]?.socket == link {
            sessions[number]?.socket = nil
        }
    }

    /// Ends the sessions of a WebSocket and closes it, as a server does to remove a client. The client must shake hands
    /// again.
    package mutating func endSessions(on link: Int, into effects: inout [Effect]) {
        for number in sockets[link] ?? [] where sessions[number]?.socket == link { end(number, into: &effects) }
    }

    /// Publishes a message from the server itself.
    package mutating func publish(_ channel: Bayeux.Channel, _ data: RawJSON, into effects: inout [Effect]) {
        deliveries += 1
        hand(on: channel, id: String(deliveries, radix: 16), data, into: &effects)
    }

    /// Ends a session and closes its WebSocket. A client that uses the session again receives the advice to shake hands. The answer to a
    /// held connect contains the advice `reconnect`.
    mutating func end(
        _ number: Int, advising reconnect: Bayeux.Advice.Reconnect = .handshake, into effects: inout [Effect]
    ) {
        guard let session = sessions.removeValue(forKey: number) else { return }
        numbers[session.clientID] = nil
        order.removeAll { $0 == number }
        for link in links(holding: number) { release(link, ending: reconnect, into: &effects) }
        if let socket = session.socket {
            sockets[socket]?.removeAll { $0 == number }
            effects.append(.close(link: socket))
        }
        effects.append(.occasion(.ended(session: number)))
    }

    /// Returns a new id of 31 base-36 characters, like Faye's.
    mutating func newClientID() -> Secret {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return Secret(String((0..<31).map { _ in digits[Int(random.next() % 36)] }))
    }
}

extension BayeuxServer {
    /// The settings of a server, fixed when it is created.
    package struct Configuration: Hashable, Sendable {
        /// How long the server holds a connect. A session lives twice as long.
        package var timeout: Duration
        /// The minimum time between connects that the server advises.
        package var interval: Duration
        /// The maximum number of sessions. Handshakes beyond it are refused.
        package var mostSessions: Int
        /// The maximum number of channels to which a session may subscribe.
        package var mostSubscriptions: Int
        /// The maximum number of messages queued for a session. Beyond it the session ends, so that its client learns
        /// that events are missing.
        package var mostQueued: Int
        /// The maximum size of the messages queued for a session, in bytes.
        package var mostQueuedBytes: Int
        /// Creates a configuration. By default, the server holds a connect for 60 seconds and advises no interval.
        package init(
            timeout: Duration = .seconds(60), interval: Duration = .zero, mostSessions: Int = 3000,
            mostSubscriptions: Int = 1000, mostQueued: Int = 4096, mostQueuedBytes: Int = 8 << 20
        ) {
            self.timeout = timeout
            self.interval = interval
            self.mostSessions = mostSessions
            self.mostSubscriptions = mostSubscriptions
            self.mostQueued = mostQueued
            self.mostQueuedBytes = mostQueuedBytes
        }
    }

    /// A client's request that the backend may refuse.
    package enum Request: Hashable, Sendable {
        /// A subscription to a channel or a pattern. The message's `ext` may contain a token.
        case subscribe(Bayeux.Channel, ext: RawJSON?)
        /// A message to be published on a channel, with the message's `ext`.
        case publish(Bayeux.Channel, RawJSON, ext: RawJSON?)
    }

    /// A function that returns the error text for a refused request, or `nil` to allow the request.
    package typealias Policy = (Request) -> String?

    /// The driver performs the effects in this order.
    package enum Effect: Hashable, Sendable {
        /// Send a frame on a WebSocket, or answer an HTTP exchange with it.
        case send(link: Int, [UInt8])
        /// Answer an HTTP exchange with this status, because its body was not a frame.
        case refuse(link: Int, status: Int)
        /// Close a WebSocket normally (code 1000).
        case close(link: Int)
        /// Report an event to the backend.
        case occasion(Occasion)
    }

    /// An event in the life of a session. Sessions are identified by increasing numbers.
    package enum Occasion: Hashable, Sendable {
        /// A client completed a handshake.
        case began(session: Int)
        /// A client subscribed to a channel.
        case subscribed(session: Int, Bayeux.Channel)
        /// A client unsubscribed from a channel.
        case unsubscribed(session: Int, Bayeux.Channel)
        /// A message was published. `session` is `nil` for a client without a session.
        case published(session: Int?, Bayeux.Channel, RawJSON)
        /// A client disconnected, or was silent for too long.
        case ended(session: Int)
    }
}

extension BayeuxServer {
    /// Handles a frame from a link. A frame that is not JSON is ignored on a WebSocket, and refused with status 400 in
    /// an HTTP exchange (Bayeux BX-21).
    package mutating func receive(
        _ bytes: ArraySlice<UInt8>, on link: Int, isSocket: Bool, at now: Moment, policy: Policy,
        into effects: inout [Effect]
    ) {
        if isSocket, sockets[link] == nil { sockets[link] = [] }
        guard let frame = try? Bayeux.Frame(parsing: bytes) else {
            if !isSocket { effects.append(.refuse(link: link, status: 400)) }
            return
        }
        var answer = Answer(link: link, isSocket: isSocket)
        for message in frame.messages { handle(message, at: now, policy, &answer, into: &effects) }
        finish(answer, at: now, into: &effects)
    }

    /// The answer to a frame, built while its messages are handled.
    struct Answer {
        let link: Int
        let isSocket: Bool
        /// The replies, each as JSON text.
        var replies: [[UInt8]] = []
        /// Whether the answer has already been sent.
        var isAnswered = false
        /// The connect to hold. `place` is the number of replies before its own.
        var connect: (session: Int, id: String?, until: Moment, place: Int)?

        mutating func add(
            _ channel: String, id: String?, isSuccessful: Bool, _ members: (inout JSONWriter) -> Void = { _ in }
        ) {
            replies.append(Self.reply(channel, id: id, isSuccessful: isSuccessful, members))
        }

        static func reply(
            _ channel: String, id: String?, isSuccessful: Bool, _ members: (inout JSONWriter) -> Void
        ) -> [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("id", id)
            writer.member("channel", channel)
            writer.member("successful", isSuccessful)
            members(&writer)
            writer.endObject()
            return writer.bytes
        }
    }

    private mutating func handle(
        _ message: Bayeux.Message, at now: Moment, _ policy: Policy, _ answer: inout Answer,
        into effects: inout [Effect]
    ) {
        switch message.channel {
        case Bayeux.Channel.handshake.name: shakeHands(message, at: now, &answer, into: &effects)
        case Bayeux.Channel.connect.name: connect(message, at: now, &answer, into: &effects)
        case Bayeux.Channel.subscribe.name: subscribe(message, policy, &answer, into: &effects)
        case Bayeux.Channel.unsubscribe.name: unsubscribe(message, &answer, into: &effects)
        case Bayeux.Channel.disconnect.name: disconnect(message, &answer, into: &effects)
        default: publish(message, policy, &answer, into: &effects)
        }
    }

    func advice(_ reconnect: Bayeux.Advice.Reconnect = .retry) -> Bayeux.Advice {
        switch reconnect {
        case .retry:
            Bayeux.Advice(reconnect: .retry, interval: configuration.interval, timeout: configuration.timeout)
        case .handshake, .none: Bayeux.Advice(reconnect: reconnect, interval: configuration.interval)
        }
    }

    private mutating func shakeHands(
        _ message: Bayeux.Message, at now: Moment, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        var error: String?
        if message.version == nil {
            error = "402:version:Missing required parameter"
        } else if message.connectionTypes.isEmpty {
            error = "402:supportedConnectionTypes:Missing required parameter"
        } else if !message.connectionTypes.contains(where: { Bayeux.ConnectionType(rawValue: $0) != nil }) {
            error = "301:\(message.connectionTypes.prefix(8).joined(separator: ",")):Connection types not supported"
        } else if sessions.count >= configuration.mostSessions {
            error = "503::Too many sessions"
        }
        let types = Bayeux.ConnectionType.allCases.map(\.rawValue).sorted()
        if let error {
            return answer.add(message.channel, id: message.id, isSuccessful: false) { reply in
                reply.member("version", Bayeux.version)
                reply.member("supportedConnectionTypes", names: types)
                reply.member("error", error)
                reply.advice(advice(.handshake))
            }
        }
        let clientID = begin(at: now, into: &effects)
        answer.add(message.channel, id: message.id, isSuccessful: true) { reply in
            reply.member("version", Bayeux.version)
            reply.member("supportedConnectionTypes", names: types)
            reply.member("clientId", clientID.reveal())
            reply.advice(advice())
        }
    }

    private mutating func begin(at now: Moment, into effects: inout [Effect]) -> Secret {
        let clientID = newClientID()
        let number = nextSession
        nextSession += 1
        let expires = now + configuration.timeout * 2
        sessions[number] = Session(clientID: clientID, expires: expires)
        numbers[clientID] = number
        order.append(number)
        nextExpiry = min(nextExpiry ?? expires, expires)
        effects.append(.occasion(.began(session: number)))
        return clientID
    }

    private mutating func connect(
        _ message: Bayeux.Message, at now: Moment, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let number = message.clientID.flatMap({ numbers[$0] }) else {
            return refuseUnknown(message, withAdvice: true, &answer)
        }
        guard message.connectionType != nil else {
            return answer.add(message.channel, id: message.id, isSuccessful: false) { reply in
                reply.member("error", "402:connectionType:Missing required parameter")
                reply.advice(advice())
            }
        }
        let expires = now + configuration.timeout * 2
        sessions[number]?.expires = expires
        nextExpiry = min(nextExpiry ?? expires, expires)
        if answer.isSocket { bind(number, to: answer.link, into: &effects) }
        let hold = min(message.advice?.timeout ?? configuration.timeout, configuration.timeout)
        if let earlier = answer.connect {
            // If a frame contains two connects, the later one is held.
            answer.connect = nil
            answer.replies.insert(connectReply(earlier.session, id: earlier.id), at: earlier.place)
        }
        answer.connect = (number, message.id, now + max(hold, .zero), answer.replies.count)
    }

    /// Binds the session to this WebSocket and sends its queued events at once. A previously bound WebSocket stays open
    /// but receives nothing more (Bayeux BX-17).
    private mutating func bind(_ number: Int, to link: Int, into effects: inout [Effect]) {
        if let old = sessions[number]?.socket, old != link { sockets[old]?.removeAll { $0 == number } }
        if sockets[link]?.contains(number) == false { sockets[link]?.append(number) }
        sessions[number]?.socket = link
        for text in takeQueue(of: number) { effects.append(.send(link: link, Self.frame([text]))) }
    }

    func refuseUnknown(_ message: Bayeux.Message, withAdvice: Bool, _ answer: inout Answer) {
        let error =
            message.clientID.map { "401:\($0.reveal().prefix(64)):Unknown client" }
            ?? "402:clientId:Missing required parameter"
        answer.add(message.channel, id: message.id, isSuccessful: false) { reply in
            if !withAdvice, let clientID = message.clientID { reply.member("clientId", clientID.reveal()) }
            reply.member("error", error)
            if withAdvice { reply.advice(advice(.handshake)) }
        }
    }

    private mutating func disconnect(
        _ message: Bayeux.Message, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let clientID = message.clientID, let number = numbers[clientID] else {
            return refuseUnknown(message, withAdvice: false, &answer)
        }
        answer.add(message.channel, id: message.id, isSuccessful: true) { $0.member("clientId", clientID.reveal()) }
        // The WebSocket of the session closes after the answer.
        effects.append(.send(link: answer.link, Self.frame(answer.replies)))
        answer.isAnswered = true
        end(number, advising: .none, into: &effects)
    }
}

extension BayeuxServer {
    mutating func subscribe(
        _ message: Bayeux.Message, _ policy: Policy, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let clientID = message.clientID, let number = numbers[clientID] else {
            return refuseUnknown(message, withAdvice: false, &answer)
        }
        var accepted: [Bayeux.Channel] = []
        var error = message.subscriptions.isEmpty ? "402:subscription:Missing required parameter" : nil
        for name in message.subscriptions where error == nil {
            switch check(name, of: number, message, policy) {
            case .success(let channel): accepted.append(channel)
            case .failure(let refusal): error = refusal.words
            }
        }
        answer.add(message.channel, id: message.id, isSuccessful: error == nil) { reply in
            reply.member("clientId", clientID.reveal())
            reply.subscription(message.subscriptions)
            reply.member("error", error)
        }
        guard error == nil else { return }
        for channel in accepted where sessions[number]?.subscriptions.contains(channel) == false {
            sessions[number]?.subscriptions.append(channel)
            effects.append(.occasion(.subscribed(session: number, channel)))
        }
    }

    struct Refused: Error {
        var words: String
    }

    private func check(
        _ name: String, of number: Int, _ message: Bayeux.Message, _ policy: Policy
    ) -> Result<Bayeux.Channel, Refused> {
        let shown = name.prefix(Bayeux.Channel.mostBytes)
        guard let channel = Bayeux.Channel(name) else {
            return .failure(Refused(words: "405:\(shown):Invalid channel"))
        }
        guard channel.isSubscribable else { return .failure(Refused(words: "403:\(shown):Forbidden channel")) }
        let count = sessions[number]?.subscriptions.count ?? 0
        guard count < configuration.mostSubscriptions else {
            return .failure(Refused(words: "403:\(shown):Too many subscriptions"))
        }
        if let words = policy(.subscribe(channel, ext: message.ext)) { return .failure(Refused(words: words)) }
        return .success(channel)
    }

    mutating func unsubscribe(
        _ message: Bayeux.Message, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        guard let clientID = message.clientID, let number = numbers[clientID] else {
            return refuseUnknown(message, withAdvice: false, &answer)
        }
        for name in message.subscriptions {
            guard let index = sessions[number]?.subscriptions.firstIndex(where: { $0.name == name }),
                let channel = sessions[number]?.subscriptions.remove(at: index)
            else { continue }
            effects.append(.occasion(.unsubscribed(session: number, channel)))
        }
        answer.add(message.channel, id: message.id, isSuccessful: true) { reply in
            reply.member("clientId", clientID.reveal())
            reply.subscription(message.subscriptions)
        }
    }

    /// Publishes a message if the policy allows it. A client without a session may publish, too (Bayeux BX-5).
    /// Subscribers receive the message before the publisher receives its reply (Bayeux BX-20).
    mutating func publish(
        _ message: Bayeux.Message, _ policy: Policy, _ answer: inout Answer, into effects: inout [Effect]
    ) {
        var error: String?
        let channel = Bayeux.Channel(message.channel)
        if let channel, !channel.isPattern {
            if channel.isMeta {
                error = "403:\(channel):Forbidden channel"
            } else if let data = message.data {
                error = policy(.publish(channel, data, ext: message.ext))
            } else {
                error = "402:data:Missing required parameter"
            }
        } else {
            error = "405:\(message.channel.prefix(Bayeux.Channel.mostBytes)):Invalid channel"
        }
        if error == nil, let channel, let data = message.data {
            effects.append(.occasion(.published(session: message.clientID.flatMap { numbers[$0] }, channel, data)))
            if !channel.isService { hand(on: channel, id: message.id, data, into: &effects) }
        }
        answer.add(message.channel, id: message.id, isSuccessful: error == nil) { reply in
            reply.member("error", error)
        }
    }

    /// Delivers a message to each subscriber once, even if several of its subscriptions cover the channel.
    mutating func hand(
        on channel: Bayeux.Channel, id: String?, _ data: RawJSON, into effects: inout [Effect]
    ) {
        let receivers = order.filter { sessions[$0]?.subscriptions.contains { $0.covers(channel) } ?? false }
        if receivers.isEmpty { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("channel", channel.name)
        writer.member("data", raw: data)
        writer.member("id", id)
        writer.endObject()
        for number in receivers { deliver(writer.bytes, to: number, into: &effects) }
    }

    private mutating func deliver(_ text: [UInt8], to number: Int, into effects: inout [Effect]) {
        guard let session = sessions[number] else { return }
        if let socket = session.socket { return effects.append(.send(link: socket, Self.frame([text]))) }
        guard session.queue.count < configuration.mostQueued,
            text.count <= configuration.mostQueuedBytes - session.queuedBytes
        else { return end(number, into: &effects) }
        sessions[number]?.queue.append(text)
        sessions[number]?.queuedBytes += text.count
        for link in links(holding: number) { release(link, into: &effects) }
    }

    mutating func takeQueue(of number: Int) -> [[UInt8]] {
        guard let queue = sessions[number]?.queue, !queue.isEmpty else { return [] }
        sessions[number]?.queue = []
        sessions[number]?.queuedBytes = 0
        return queue
    }
}

// MARK: - Answers

extension BayeuxServer {
    /// Answers a frame after all its messages are handled, or holds the answer if the frame contains a connect.
    mutating func finish(_ answer: Answer, at now: Moment, into effects: inout [Effect]) {
        guard let connect = answer.connect, sessions[connect.session] != nil else {
            let hasAnswer = !answer.isAnswered && (!answer.replies.isEmpty || !answer.isSocket)
            if hasAnswer { effects.append(.send(link: answer.link, Self.frame(answer.replies))) }
            return
        }
        var until = connect.until
        // A second connect replaces a held one, and is answered at the time that one was due (Bayeux BX-11).
        for link in links(holding: connect.session) {
            guard let earlier = held.removeValue(forKey: link) else { continue }
            until = min(until, earlier.until)
            guard !earlier.isSocket || !earlier.replies.isEmpty else { continue }
            effects.append(.send(link: link, Self.frame(earlier.replies)))
        }
        held[answer.link] = HeldFrame(
            session: connect.session, id: connect.id, until: until, replies: answer.replies, place: connect.place,
            isSocket: answer.isSocket)
        let hasEvents = !answer.isSocket && sessions[connect.session]?.queue.isEmpty == false
        if until <= now || hasEvents { release(answer.link, into: &effects) }
    }

    /// Answers a held frame. In an HTTP exchange, queued events follow the reply to the connect.
    mutating func release(
        _ link: Int, ending: Bayeux.Advice.Reconnect = .handshake, into effects: inout [Effect]
    ) {
        guard let frame = held.removeValue(forKey: link) else { return }
        var texts = frame.replies
        texts.insert(connectReply(frame.session, id: frame.id, ending: ending), at: frame.place)
        if !frame.isSocket { texts += takeQueue(of: frame.session) }
        effects.append(.send(link: link, Self.frame(texts)))
    }

    /// Returns the links on which a connect of the session is held. There is at most one.
    func links(holding number: Int) -> [Int] { held.filter { $0.value.session == number }.keys.sorted() }

    /// Returns the reply to a connect. `ending` is the advice for the client of a session that has just ended.
    func connectReply(_ number: Int, id: String?, ending: Bayeux.Advice.Reconnect = .handshake) -> [UInt8] {
        let session = sessions[number]
        let isSuccessful = session != nil || ending == .none
        return Answer.reply(Bayeux.Channel.connect.name, id: id, isSuccessful: isSuccessful) { reply in
            if let session { reply.member("clientId", session.clientID.reveal()) }
            if !isSuccessful { reply.member("error", "401::Unknown client") }
            reply.advice(advice(session == nil ? ending : .retry))
        }
    }

    /// Returns an array of messages that are already JSON text.
    static func frame(_ texts: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes.reserveCapacity(texts.reduce(2) { $0 + $1.count + 1 })
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += text
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}

extension JSONWriter {
    /// Writes the channels as the request named them: one name, or a list.
    fileprivate mutating func subscription(_ names: [String]) {
        if names.count == 1, let name = names.first {
            member("subscription", name)
        } else {
            member("subscription", names: names)
        }
    }
}

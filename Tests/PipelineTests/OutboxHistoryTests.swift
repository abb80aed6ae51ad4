import Glibc
import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Random histories of one channel: messages sent by this session and by another device, echoes and
/// answers that are late, duplicated, lost or reordered, cut connections and restarted processes, compared
/// with a server that is a plain list.
@Suite struct OutboxHistoryTests {
    @Test(arguments: [false, true])
    func `whatever happens on the way, every message arrives once and in order`(loses: Bool) {
        for seed in 1...(getenv("WEIR_LONG") == nil ? 80 : 400) as ClosedRange<UInt64> {
            var history = OutboxHistory(seed: seed, loses: loses)
            history.run()
            let problems = history.problems
            #expect(problems.isEmpty, "seed \(seed): \(problems)")
            guard problems.isEmpty else { return }
        }
    }
}

/// The server, the network and the session.
private struct OutboxHistory {
    /// A message on the server; a plain list of these is the truth.
    private struct Stored {
        var id: String
        var text: String
        /// Whether the user's own outbox sent it.
        var isOurs: Bool
    }

    private enum Delivery {
        case echo(Stored, at: Int)
        case answer(request: Int, Stored, at: Int)
        case loss(request: Int)
        case refusal(request: Int)
    }

    private var random: RandomSource
    private let loses: Bool
    private var transcript = Transcript.acting()
    private var stored: [(message: Stored, at: Int)] = []
    private var network: [Delivery] = []
    private var asked: [(id: String, text: String)] = []
    private var isConnected = true
    private var log: [String] = []
    private var doubles: [String] = []

    init(seed: UInt64, loses: Bool) {
        random = RandomSource(seed: seed)
        self.loses = loses
    }

    mutating func run() {
        for step in 1...60 {
            takeRequests(heals: false)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: send(step)
            case 2: sendFromAnotherDevice(step)
            case 3 where loses: toggleConnection()
            case 4: pass(.milliseconds(Int64.random(in: 1...2_000, using: &random)))
            default: deliver()
            }
            noteDoubles()
        }
        heal()
    }

    // MARK: Steps

    private mutating func send(_ step: Int) {
        // With losses, texts are unique: otherwise no client could tell which message is whose.
        let text = loses ? "text \(step)" : "text \(Int.random(in: 0..<3, using: &random))"
        asked.append(("A\(step)", text))
        log.append("send \(text)")
        transcript.send("A\(step)", text)
    }

    private mutating func sendFromAnotherDevice(_ step: Int) {
        let text = loses ? "other \(step)" : "text \(Int.random(in: 0..<3, using: &random))"
        store(text, isOurs: false)
    }

    private mutating func toggleConnection() {
        if isConnected {
            log.append("cut")
            transcript.cut()
            network.removeAll { if case .echo = $0 { true } else { false } }
        } else {
            log.append("connected")
            connect()
        }
        isConnected.toggle()
    }

    /// Advances the time, with the server's heartbeats.
    private mutating func pass(_ span: Duration) {
        transcript.pass(span)
        if isConnected { transcript.receive("2") }
    }

    private mutating func connect() {
        transcript.pass(.seconds(60))
        transcript.authenticate()
        transcript.receive(#"42["realtime:join:success",{"name":"\#(Transcript.publicRoom)"}]"#)
        transcript.receive(#"42["realtime:join:success",{"name":"\#(Transcript.feedRoom)"}]"#)
    }

    // MARK: The server

    @discardableResult
    private mutating func store(_ text: String, isOurs: Bool) -> (message: Stored, at: Int) {
        let at = 100 + stored.count
        let message = Stored(id: "S\(stored.count)", text: text, isOurs: isOurs)
        stored.append((message, at))
        let copies = Int.random(in: 1...2, using: &random)
        if isConnected { for _ in 0..<copies { network.append(.echo(message, at: at)) } }
        return (message, at)
    }

    /// Processes the session's requests. Reads are answered at once; a write is done, refused, or never arrives.
    private mutating func takeRequests(heals: Bool) {
        while let request = transcript.requests.first {
            guard request.method == "POST" else {
                let body =
                    request.target.contains("/feed")
                    ? Transcript.feed(
                        [Transcript.message("M0", "first", at: 1)]
                            + stored.map { Transcript.message($0.message.id, $0.message.text, at: $0.at) })
                    : #"{"resources":[\#(Transcript.channel())]}"#
                transcript.answer(request.target, body)
                continue
            }
            transcript.requests.removeFirst()
            let fate = heals ? 9 : Int.random(in: 0..<10, using: &random)
            let text = Self.text(of: request)
            if fate == 0, loses {
                log.append("lost \(text)")
                network.append(.loss(request: request.id))
            } else if fate == 1, loses {
                log.append("done, answer lost \(text)")
                store(text, isOurs: true)
                network.append(.loss(request: request.id))
            } else if fate == 2 {
                log.append("refused \(text)")
                network.append(.refusal(request: request.id))
            } else {
                let (message, at) = store(text, isOurs: true)
                network.append(.answer(request: request.id, message, at: at))
            }
        }
    }

    private static func text(of request: FetchRequest) -> String {
        let body = try? JSONValue(parsing: request.body[...])
        return body?["options"]?["message"]?["text"]?.text ?? ""
    }

    // MARK: The network

    private mutating func deliver() {
        guard !network.isEmpty else { return }
        deliver(network.remove(at: Int.random(in: network.indices, using: &random)))
    }

    private mutating func deliver(_ delivery: Delivery) {
        switch delivery {
        case .echo(let message, let at):
            log.append("echo \(message.text)")
            transcript.tell("created", Transcript.message(message.id, message.text, at: at))
        case .answer(let request, let message, let at):
            log.append("answer \(message.text)")
            let body = Transcript.thread(Transcript.message(message.id, message.text, at: at), id: message.id)
            answer(request, .response(status: 200, body: ArraySlice(body.utf8), retryAfter: nil))
        case .loss(let request):
            log.append("no answer")
            answer(request, .failure(kind: "lost", message: "lost"))
        case .refusal(let request):
            log.append("refusal")
            answer(request, .response(status: 403, body: ArraySlice(#"{"message":"no"}"#.utf8), retryAfter: nil))
            for case .report(.action(let report)) in transcript.effects {
                guard case .refused = report.change else { continue }
                asked.removeAll { $0.id == report.action.id.description }
            }
        }
    }

    private mutating func answer(_ request: Int, _ answer: Answer) {
        transcript.feed(.answered(request: request, answer))
    }

    /// From here on everything arrives.
    private mutating func heal() {
        if !isConnected {
            isConnected = true
            connect()
        }
        for _ in 0..<400 {
            takeRequests(heals: true)
            if network.isEmpty {
                if transcript.session.pendingActions.allSatisfy({ $0.failure != nil }) { break }
                pass(.seconds(30))
            } else {
                deliver(network.removeFirst())
            }
            noteDoubles()
        }
        for entry in transcript.session.pendingActions { transcript.feed(.dropAction(entry.action.id)) }
    }

    /// Records a problem when a message and its pending row are shown at the same time;
    /// only where the texts are unique.
    private mutating func noteDoubles() {
        guard loses else { return }
        let shown = transcript.shown.filter { !$0.hasSuffix("!") }.map {
            $0.hasSuffix("?") ? String($0.dropLast()) : $0
        }
        if Set(shown).count != shown.count { doubles.append("\(shown)") }
    }

    // MARK: Invariants

    var problems: [String] {
        var problems: [String] = []
        if !transcript.session.pendingActions.isEmpty {
            problems.append("not done: \(transcript.session.pendingActions)")
        }
        let truth = ["first"] + stored.map(\.message.text)
        if transcript.shown != truth { problems.append("shown \(transcript.shown), true \(truth)") }
        let ours = stored.filter(\.message.isOurs).map(\.message.text)
        if ours != asked.map(\.text) { problems.append("sent \(ours), asked for \(asked)") }
        problems += doubles
        return problems.isEmpty ? [] : problems + ["after: \(log)"]
    }
}

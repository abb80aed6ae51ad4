import WeirEvents
import WeirJSON
import WeirModel
import WeirPipeline
import WeirWire

extension Benchmark {
    private static let size = BenchmarkOption(
        "kib", "N", "KiB of the large answer", standard: 5_000, range: 1...60_000)

    /// Measures how long large REST answers occupy the network thread.
    static let answers = Benchmark(
        name: "answers", summary: "cost of large REST answers for the network thread",
        details: [
            "Handles one answer with a channel's messages in a session that parses it itself, as a replay does, and in a session",
            "that receives the result of a parser thread, as a tail does. Repeats this with an answer of 1 KiB, which is never",
            "passed to another thread: there, only the check of the size is added.",
        ],
        options: [size, .seed, .runs]
    ) { arguments throws(BenchmarkError) in
        var lines: [String] = []
        for bytes in [1024, arguments[size] * 1024] {
            var figures = AnswerFigures()
            for _ in 0..<(bytes > 1024 ? arguments[.runs] : 200 * arguments[.runs]) { try figures.measure(bytes) }
            lines.append(figures.report(bytes))
        }
        print(lines.joined(separator: "\n") + "\nAgain: \(arguments.commandLine)")
    }
}

/// The times of all runs, in microseconds.
private struct AnswerFigures {
    private var whole: [Double] = []
    private var reading: [Double] = []
    private var rest: [Double] = []
    private var look: [Double] = []

    mutating func measure(_ bytes: Int) throws(BenchmarkError) {
        let body = Self.body(bytes)[...]
        var (own, request) = try Self.asking()
        var effects: [Effect] = []
        let answer = Input.answered(request: request, .response(status: 200, body: body, retryAfter: nil))
        whole.append(microseconds { own.handle(answer, n: 1, at: .zero, into: &effects) })
        var (given, other) = try Self.asking()
        effects = []
        var reader: AnswerReader?
        look.append(microseconds { reader = given.reader(of: other) })
        guard let reader else { throw .failed("the answer cannot be read elsewhere") }
        var read: AnswerReading?
        reading.append(microseconds { read = reader.read(body) })
        guard let read else { throw .failed("nothing was read") }
        given.take(read)
        let same = Input.answered(request: other, .response(status: 200, body: body, retryAfter: nil))
        rest.append(microseconds { given.handle(same, n: 1, at: .zero, into: &effects) })
        guard own.model.count == given.model.count, given.model.count > 0 else { throw .failed("the models differ") }
    }

    func report(_ bytes: Int) -> String {
        func middle(_ values: [Double]) -> String {
            let sorted = values.sorted()
            let value = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
            return value >= 1000 ? "\((value / 10).rounded() / 100) ms" : "\((value * 100).rounded() / 100) µs"
        }
        return
            "\(bytes / 1024) KiB: on the network thread \(middle(whole)) when it reads, \(middle(rest)) when it need not;"
            + " elsewhere \(middle(reading)); check of the size \(middle(look))"
    }

    /// Returns a session that has requested the messages of a channel, and the id of its request.
    private static func asking() throws(BenchmarkError) -> (Session, Int) {
        let room = "/companies/C/workspaces/W/channels/CH/feed"
        var session = Session(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W", rooms: [room]), seed: 1)
        var effects: [Effect] = []
        session.handle(.start, n: 0, at: .zero, into: &effects)
        session.handle(.opened(connection: 1, token: Secret("token")), n: 0, at: .zero, into: &effects)
        for frame in [
            #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#, #"40{"sid":"t"}"#,
            #"42["authenticated"]"#, #"42["realtime:join:success",{"name":"\#(room)"}]"#,
        ] { session.handle(.message(connection: 1, .text(frame)), n: 0, at: .zero, into: &effects) }
        for effect in effects {
            if case .request(let request) = effect, request.target.contains("/feed") { return (session, request.id) }
        }
        throw .failed("the session requests no messages")
    }

    /// Returns the body of an answer with messages, in Twake's form. Its length is about `bytes`.
    private static func body(_ bytes: Int) -> [UInt8] {
        var text = #"{"resources":["#
        var index = 0
        while text.utf8.count < bytes - 400 || index == 0 {
            if index > 0 { text += "," }
            index += 1
            let time = 1_631_600_000_000 + index * 1000
            text +=
                #"{"thread_id":"m\#(index)","id":"m\#(index)","type":"message","subtype":null,"created_at":\#(time),"#
                + #""updated_at":\#(time),"user_id":"U1","text":"Message \#(index) with some words in it","#
                + #""blocks":[{"type":"twacode","elements":["Message \#(index) with some words in it"]}],"files":null,"#
                + #""reactions":[{"name":"👍","count":1,"users":["U2"]}],"stats":{"replies":1,"last_activity":\#(time)}}"#
        }
        return Array((text + "]}").utf8)
    }

    private func microseconds(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }
}

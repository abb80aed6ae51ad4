import Live
import Pipeline
import Recording
import Wire

/// An endless series of reports of a Twake tail, in simulated time.
struct TerminalTraffic {
    private var session: Session
    private var traffic: TwakeTraffic
    private var now = Moment.zero
    private var n = 0
    private var effects: [Effect] = []
    private var requests: [FetchRequest] = []
    private var reports: [StampedReport] = []
    /// The time from one event to the next.
    private let interval: Duration

    /// Creates traffic in channels that hold at most `messages` messages in total.
    init(channels: Int, messages: Int = 20, eachSecond rate: Int = 1000, seed: UInt64) {
        traffic = TwakeTraffic(channels: channels, messages: messages, seed: seed)
        let rooms = [traffic.listRoom] + traffic.channels.indices.map { [traffic] in traffic.feedRoom($0) }
        let configuration = Configuration(
            backend: .twake, revision: .v4, company: traffic.company, workspace: traffic.workspace, rooms: rooms,
            resyncInterval: nil)
        session = Session(configuration, seed: seed)
        interval = .microseconds(1_000_000 / Int64(rate))
        session.handle(.start, n: 0, at: now, into: &effects)
        gather()
        feed(.opened(connection: 1, token: Secret("made up")))
        receive(#"0{"sid":"s","upgrades":[],"pingInterval":25000000,"pingTimeout":20000000,"maxPayload":1000000}"#)
        receive(#"40{"sid":"t"}"#)
        receive(#"42["authenticated"]"#)
        for room in session.configuration.rooms { receive(#"42["realtime:join:success",{"name":"\#(room)"}]"#) }
    }

    /// Passes the next event, and all reports that it leads to, to `take`.
    mutating func next(_ take: ([StampedReport]) -> Void) {
        now = now + interval
        receive(traffic.next())
        take(reports)
        reports.removeAll(keepingCapacity: true)
    }

    private mutating func receive(_ text: String) {
        feed(.message(connection: 1, .text(text)))
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let body = Array(traffic.answer(to: request.target).utf8)
            feed(.answered(request: request.id, .response(status: 200, body: body[...], retryAfter: nil)))
        }
    }

    private mutating func feed(_ input: Input) {
        n += 1
        session.advance(to: now, into: &effects)
        session.handle(input, n: n, at: now, into: &effects)
        gather()
    }

    private mutating func gather() {
        let stamp = Stamp(n: n, time: now, wall: 1_700_000_000_000_000 + now.microseconds)
        for effect in effects {
            switch effect {
            case .report(let report): reports.append(StampedReport(stamp: stamp, report: report))
            case .request(let request): requests.append(request)
            case .connect, .send, .close, .cancel, .renewToken, .remember, .finish: break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }
}

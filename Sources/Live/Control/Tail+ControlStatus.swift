import Glibc
import JSONText
import Network
import Pipeline
import SectionedModel
import Wire

// How a running tail stands.
extension Tail {
    /// What `status` gives.
    var status: ControlResult {
        let now = loop.now
        let rooms = session.roomBook
        return ControlResult { writer in
            writer.beginObject()
            writer.key("name")
            writer.string(configuration.controlName)
            writer.key("kind")
            writer.string(ControlMethod.Server.tail.rawValue)
            writer.key("pid")
            writer.integer(Int(getpid()))
            writer.key("tool")
            writer.string(configuration.tool)
            writer.optional("context", configuration.context)
            writer.key("url")
            writer.string(configuration.server.description)
            writer.key("backend")
            writer.string(configuration.session.backend.rawValue)
            writer.key("state")
            writer.string(standing.state.rawValue)
            writer.optional("why", standing.why)
            writer.key("uptime_ms")
            writer.integer(now.microseconds / 1000)
            writer.key("rooms")
            writer.beginObject()
            writer.key("wanted")
            writer.integer(rooms.entries.count)
            writer.key("joined")
            writer.integer(rooms.joined)
            writer.key("refused")
            writer.integer(rooms.refused)
            writer.endObject()
            writer.key("events")
            writer.integer(counts.events)
            writer.key("gaps")
            writer.integer(counts.gaps)
            writer.key("rate")
            writer.number(rates.rate(over: 1, at: now))
            writer.key("rate_60s")
            writer.number(rates.rate(over: 60, at: now))
            if let lag { writer.member("lag_ms", Int(clamping: lag)) }
            writer.optional("recording", recordingPath)
            writer.key("paused")
            writer.bool(configuration.view?.isPaused ?? false)
            writer.key("waiting")
            writer.integer(configuration.view?.waiting ?? 0)
            writer.key("viewers")
            writer.integer(viewers.count)
            writer.endObject()
        }
    }

    /// What `stats` gives.
    var stats: ControlResult {
        let now = loop.now
        let sections = session.model.sectionKeys
        return ControlResult { writer in
            writer.beginObject()
            writer.key("uptime_ms")
            writer.integer(now.microseconds / 1000)
            for (name, count) in statistics { writer.member(name, count) }
            writer.key("rate")
            writer.number(rates.rate(over: 1, at: now))
            writer.key("rate_60s")
            writer.number(rates.rate(over: 60, at: now))
            writer.key("sections")
            writer.integer(sections.count)
            writer.key("items")
            writer.integer(sections.indices.reduce(0) { $0 + session.model.elementCount(at: $1) })
            writer.endObject()
        }
    }

    /// What is counted, in order.
    private var statistics: [(name: String, count: Int)] {
        [("records", journal.last)] + counts.statistics + [("clients", control?.count ?? 0)]
    }

    /// Tells the user what is counted. Any thread; ignored while the tail does not run.
    public nonisolated func tellStatistics() {
        loop.run { [self] in assumeIsolated { $0.tellStatisticsNow() } }
    }

    private func tellStatisticsNow() {
        guard case .running = phase else { return }
        let numbers = statistics.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let rate = rates.rate(over: 60, at: loop.now)
        let tenths = Int((rate * 10).rounded())
        tellNotice(Notice(.info, "statistics: \(numbers); \(tenths / 10).\(tenths % 10) events a second"))
        handOver()
    }

    /// What the session reports, as far as the standing depends on it.
    func note(_ report: ConnectionReport) {
        switch report {
        case .connecting:
            standing = Standing(state: .connecting)
            counts.connections += 1
        case .ready: standing = Standing(state: .ready)
        case .lost(let why, _): standing = Standing(state: .waiting, why: why)
        }
    }

    /// What the connection does.
    struct Standing {
        enum State: String {
            case connecting, ready, waiting
        }

        var state = State.connecting
        /// Why there is none; untrusted text.
        var why: String?
    }
}

extension Tail.Counts {
    /// Each by its name, in the order they are told.
    var statistics: [(name: String, count: Int)] {
        [
            ("events", events), ("changes", changes), ("gaps", gaps), ("undecodable", undecodable),
            ("connections", connections), ("requests", requests.answered),
        ]
    }
}

extension JSONWriter {
    /// A member that is left out when it is nil.
    mutating func optional(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    /// A member whose value is a number.
    mutating func member(_ name: String, _ value: Int) {
        key(name)
        integer(value)
    }
}

import Glibc
import JSONText
import Network
import Pipeline
import SectionedModel
import Wire

// The status and statistics of a running tail.
extension Tail {
    /// The result of the method `status`.
    var status: ControlResult {
        let now = loop.now
        let rooms = session.subscriptions
        return ControlResult { writer in
            writer.beginObject()
            writer.member("name", configuration.controlName)
            writer.member("kind", ControlMethod.Server.tail.rawValue)
            writer.member("pid", Int(getpid()))
            writer.member("tool", configuration.tool)
            writer.member("context", configuration.context)
            writer.member("url", configuration.server.description)
            writer.member("backend", configuration.session.backend.rawValue)
            writer.member("state", connectionStatus.state.rawValue)
            writer.member("why", connectionStatus.why)
            writer.member("uptime_ms", now.microseconds / 1000)
            writer.key("rooms")
            writer.beginObject()
            writer.member("wanted", rooms.entries.count)
            writer.member("joined", rooms.joined)
            writer.member("refused", rooms.refused)
            writer.endObject()
            writer.member("events", counts.events)
            writer.member("gaps", counts.gaps)
            writer.member("rate", rates.rate(over: 1, at: now))
            writer.member("rate_60s", rates.rate(over: 60, at: now))
            if let lag { writer.member("lag_ms", Int(clamping: lag)) }
            writer.member("recording", recordingPath)
            writer.member("paused", configuration.view?.isPaused ?? false)
            writer.member("waiting", configuration.view?.waiting ?? 0)
            writer.member("viewers", viewers.count)
            writer.endObject()
        }
    }

    /// The result of the method `stats`.
    var stats: ControlResult {
        let now = loop.now
        let sections = session.model.sectionKeys
        return ControlResult { writer in
            writer.beginObject()
            writer.member("uptime_ms", now.microseconds / 1000)
            for (name, count) in statistics {
                writer.key(name)
                writer.integer(count)
            }
            writer.member("rate", rates.rate(over: 1, at: now))
            writer.member("rate_60s", rates.rate(over: 60, at: now))
            writer.member("sections", sections.count)
            writer.member("items", sections.indices.reduce(0) { $0 + session.model.elementCount(at: $1) })
            writer.endObject()
        }
    }

    /// Returns the result of the control method `metrics`: an object with the OpenMetrics text.
    func metricsText() throws(ControlError) -> ControlResult {
        guard configuration.metrics != nil else { throw ControlError(.nothing, "the tail measures nothing") }
        let text = MetricsText.text(of: metricFamilies, as: .openMetrics)
        return ControlResult { writer in
            writer.beginObject()
            writer.member("text", text)
            writer.endObject()
        }
    }

    /// The counters, in the order of display.
    private var statistics: [(name: String, count: Int)] {
        [("records", journal.last)] + counts.statistics + [("clients", control?.count ?? 0)]
    }

    /// Shows the counters to the user. Can be called on any thread; ignored while the tail does not run.
    public nonisolated func tellStatistics() {
        loop.run { [self] in assumeIsolated { $0.tellStatisticsNow() } }
    }

    private func tellStatisticsNow() {
        guard case .running = phase else { return }
        let numbers = statistics.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let rate = rates.rate(over: 60, at: loop.now)
        let tenths = Int((rate * 10).rounded())
        tellNotice(Notice(.info, "statistics: \(numbers); \(tenths / 10).\(tenths % 10) events per second"))
        handOver()
    }

    /// Updates the connection's connectionStatus from a report of the session.
    func note(_ report: ConnectionReport) {
        switch report {
        case .connecting:
            connectionStatus = ConnectionStatus(state: .connecting)
            counts.connections += 1
        case .ready: connectionStatus = ConnectionStatus(state: .ready)
        case .lost(let why, _): connectionStatus = ConnectionStatus(state: .waiting, why: why)
        }
    }

    /// The state of the connection.
    struct ConnectionStatus {
        enum State: String {
            case connecting, ready, waiting
        }

        var state = State.connecting
        /// The reason for a missing connection. Untrusted text.
        var why: String?
    }
}

extension Tail.Counts {
    /// The counters with their names, in the order of display.
    var statistics: [(name: String, count: Int)] {
        [
            ("events", events), ("changes", changes), ("gaps", gaps), ("undecodable", undecodable),
            ("connections", connections), ("requests", requests.answered),
        ]
    }
}

import WeirLive
import WeirRecording
import WeirWire

/// The recording options of `tail` and `record`.
extension Arguments {
    /// Returns the plan for a recording. `isRecording` tells whether a recording was requested.
    func recordingPlan(isRecording: Bool) throws(UsageError) -> RecordingPlan {
        var plan = RecordingPlan()
        let mine: [Option] = [.rotate, .keep, .compress, .onWriteError, .recordFilter]
        if !isRecording, let needless = mine.first(where: { has($0) || !all($0).isEmpty }) {
            throw error("\(needless.flag) needs --record FILE")
        }
        plan.options.durability = try choice(.fsync) ?? .interval
        plan.options.overwrites = has(.force)
        plan.writeErrors = try choice(.onWriteError) ?? .stop
        plan.keepsStates = !has(.noStates)
        plan.keepsSecrets = has(.keepSecrets)
        plan.filter = try expression(.recordFilter)
        switch try choice(.compress) as Compression? {
        case nil: break
        case .closed: plan.compressesClosed = true
        case .live: plan.options.isCompressed = true
        }
        plan.rotation = try rotation()
        plan.keep = try keep()
        plan.flight = try flight()
        if plan.keep != nil, plan.rotation == nil { throw error("--keep requires --rotate") }
        return plan
    }

    /// Checks that a recording with this plan can be written to standard output.
    func checkStream(_ plan: RecordingPlan) throws(UsageError) {
        guard command == .record else {
            throw error("--record: standard output is used for events; 'weir record' can write the recording there")
        }
        if plan.rotation != nil { throw error("--rotate requires a file, not standard output") }
        if plan.compressesClosed { throw error("--compress closed requires a file; use live for standard output") }
    }

    /// Checks that a recording with this plan can be written to a stream of a cluster.
    func checkRemote(_ plan: RecordingPlan) throws(UsageError) {
        let needless: [(Option, Bool)] = [
            (.force, plan.options.overwrites),
            (.compress, plan.compressesClosed || plan.options.isCompressed),
        ]
        for (option, isWanted) in needless where isWanted && isTyped(option) {
            throw error("\(option.flag) applies only to files; 'weir stream create' sets what a stream keeps")
        }
    }

    /// The times at which a recording is compressed.
    private enum Compression: String, CaseIterable {
        case closed, live
    }

    private func rotation() throws(UsageError) -> SegmentPlan.Rotation? {
        guard !all(.rotate).isEmpty else { return nil }
        var rotation = SegmentPlan.Rotation()
        for text in all(.rotate) where text != "hup" {
            if let size = RecordingOptions.size(text) {
                rotation.size = size
            } else if let age = RecordingOptions.span(text) {
                rotation.age = age
            } else {
                throw error(
                    "--rotate: invalid value \(UsageError.quoted(text)); write a size (64M), an age (1h) or hup")
            }
        }
        return rotation
    }

    private func flight() throws(UsageError) -> FlightPlan? {
        guard let text = self[.flightRecorder] else { return nil }
        let parts = text.split(separator: ",", maxSplits: 1).map(String.init)
        guard let window = parts.first.flatMap({ RecordingOptions.span($0) }),
            let most = parts.count == 1 ? 64 << 20 : RecordingOptions.size(parts[1]), most >= 1 << 20
        else {
            throw error(
                "--flight-recorder: invalid value \(UsageError.quoted(text)); write a duration, or a duration and a size from 1M on: 10m or 10m,64M"
            )
        }
        return FlightPlan(window: window, most: most)
    }

    private func keep() throws(UsageError) -> SegmentPlan.Keep? {
        guard let text = self[.keep] else { return nil }
        if let count = Int(text), count > 0 { return .segments(count) }
        if let size = RecordingOptions.size(text) { return .bytes(size) }
        if let age = RecordingOptions.span(text) { return .age(age) }
        throw error(
            "--keep: invalid value \(UsageError.quoted(text)); write a number of segments, a size (2G) or an age (24h)")
    }
}

/// The sizes and ages in options.
enum RecordingOptions {
    /// Parses a size such as `64K`, `100M` or `2G`. The unit is required, and the minimum is 4 KiB.
    static func size(_ text: String) -> Int? {
        guard text.last?.isLetter ?? false, let bytes = TypedAmount.bytes(text), (4096...1 << 50).contains(bytes) else {
            return nil
        }
        return Int(bytes)
    }

    /// Parses a time span of at least one second.
    static func span(_ text: String) -> Duration? { Duration(typed: text).flatMap { $0 < .seconds(1) ? nil : $0 } }
}

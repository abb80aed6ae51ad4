import Glibc
import WeirNetwork
import WeirTerminal
import WeirThreads
import WeirWire

/// The status of a replay on a terminal.
struct ReplayStatus {
    /// The shortest time between two drawings while the replay runs.
    private static let shortest: Duration = .milliseconds(100)

    private var line: any StatusPlace
    private let timeline: RecordingTimeline
    private let isInteractive: Bool
    /// The total size of the files in bytes; `nil` if it does not show how far the replay is.
    private let size: Int?
    private let began: Moment
    private var shown: Moment?

    init(_ place: any StatusPlace, _ timeline: RecordingTimeline, isInteractive: Bool) {
        line = place
        self.timeline = timeline
        self.isInteractive = isInteractive
        size = Self.size(of: timeline.tracks)
        began = MachineClock.monotonic
    }

    mutating func erase() { line.erase() }

    /// Assumes that the line may be gone from the screen, so that it is drawn again.
    mutating func invalidate() {
        line.erase()
        shown = nil
    }

    mutating func print(_ lines: [String]) { line.print(lines) }

    /// Draws the line if it is due, if the replay is paused, or if a question is open.
    mutating func show(_ position: TimelinePosition, _ playback: PlaybackClock, question: String?) {
        let now = MachineClock.monotonic
        let isDue = shown.map { now - $0 >= Self.shortest } ?? isInteractive
        guard isDue || playback.isPaused || question != nil else {
            // A replay that ends within a moment shows no line.
            if shown == nil, now - began >= Self.shortest { shown = now }
            return
        }
        shown = now
        line.draw(question ?? text(position, playback, now))
    }

    private func text(_ position: TimelinePosition, _ playback: PlaybackClock, _ now: Moment) -> String {
        var parts: [String] = []
        if isInteractive { parts.append((playback.isPaused ? "⏸ " : "▶ ") + playback.paceText) }
        if let wall = position.wall { parts.append(TimeText.clock(wall: wall)) }
        parts.append("+" + TimeText.span(milliseconds: position.time.microseconds / 1000))
        parts.append("#\(position.number)")
        if !isInteractive, now > began {
            parts.append((Double(position.events) * 1e6 / Double((now - began).microseconds)).rateText + " events/s")
        }
        if let fraction {
            parts.append("\(Int(fraction * 100)) %")
            if !isInteractive, fraction > 0.005, fraction < 1 {
                let passed = Double((now - began).microseconds) / 1000
                let left = Int64(min(passed / fraction * (1 - fraction), 1e15))
                parts.append(TimeText.span(milliseconds: left) + " left")
            }
        }
        if isInteractive { parts.append("? keys") }
        return parts.joined(separator: "  ")
    }

    /// The fraction of the files that was read, from 0 to 1; `nil` if it is unknown.
    private var fraction: Double? {
        guard let size, size > 0 else { return nil }
        return min(Double(timeline.tracks.reduce(0) { $0 + $1.offset }) / Double(size), 1)
    }

    /// Returns the total size of the files in bytes. The offset of a line shows how much was read only if every
    /// recording is a single uncompressed file; otherwise the result is `nil`.
    private static func size(of tracks: [RecordingTrack]) -> Int? {
        var size = 0
        for track in tracks {
            guard track.segments.count == 1, let bytes = track.segments.first.flatMap(plainSize) else { return nil }
            size += bytes
        }
        return size
    }

    private static func plainSize(of path: String) -> Int? {
        var facts = stat()
        guard path != "-", stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var first: UInt8 = 0
        guard descriptor >= 0, read(descriptor, &first, 1) == 1, first == UInt8(ascii: "{") else { return nil }
        return Int(facts.st_size)
    }
}

/// The source of keys for a replay.
struct ReplayKeyboard {
    /// A descriptor that is readable when a key was pressed.
    let descriptor: Int32
    private var decoder = TerminalKeyDecoder()
    /// An escape byte without a successor for this many milliseconds is the escape key.
    private static let sequencePause: Int32 = 25

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the keys pressed since the last call, without waiting for one, or `nil` if the input has ended.
    mutating func keys() -> [TerminalKey]? {
        var keys: [TerminalKey] = []
        var timeout: Int32 = 0
        while true {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, timeout) > 0, watched.revents != 0 else { break }
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = read(descriptor, &bytes, bytes.count)
            if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return keys.isEmpty ? nil : keys }
            keys += Self.keys(in: decoder.inputs(in: bytes[..<max(count, 0)]))
            guard decoder.waitsForMore else { break }
            timeout = Self.sequencePause
        }
        return keys + Self.keys(in: decoder.flush())
    }

    private static func keys(in inputs: [TerminalInput]) -> [TerminalKey] {
        inputs.compactMap { if case .key(let key) = $0 { key } else { nil } }
    }
}

/// Watches files and signals when one of them may have grown.
final class FileGrowth {
    /// A descriptor that is readable when a file may have grown; -1 if the system cannot report it.
    let descriptor: Int32

    init(of paths: [String]) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        for path in paths where path != "-" {
            _ = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY | IN_MOVE_SELF))
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Discards the pending notifications, so that the descriptor is no longer readable.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while descriptor >= 0, read(descriptor, &bytes, bytes.count) > 0 {}
    }
}

/// A place that shows one line of status text.
protocol StatusPlace {
    /// Removes the line, so that other text can be printed.
    mutating func erase()
    /// Draws the line. Does nothing if the text is unchanged.
    mutating func draw(_ text: String)
    /// Prints lines above the status line.
    mutating func print(_ lines: [String])
}

/// A status line on a terminal, redrawn below the printed text.
struct StatusLine: StatusPlace {
    private let writer: DescriptorWriter
    private var drawn: String?

    /// Creates a line on a descriptor, which the caller keeps and closes.
    init(descriptor: Int32) { writer = DescriptorWriter(descriptor: descriptor, name: "the terminal") }

    /// Removes the line, so that other text can be printed. Errors of a closed terminal are ignored.
    mutating func erase() {
        guard drawn != nil else { return }
        drawn = nil
        try? writer.write(Array("\r\u{1B}[K".utf8))
    }

    /// Draws the line, cut to the width of the terminal. Does nothing if the text is unchanged.
    mutating func draw(_ text: String) {
        guard text != drawn else { return }
        let width = TerminalDevice.width(of: writer.descriptor) ?? 80
        let line = "\r" + TerminalText.truncated(text, to: max(width - 1, 1)) + "\u{1B}[K"
        drawn = text
        try? writer.write(Array(line.utf8))
    }

    /// Prints lines above the status line. Control characters are escaped.
    mutating func print(_ lines: [String]) {
        erase()
        for line in lines { try? writer.write(Array((TerminalText.escaped(line) + "\n").utf8)) }
    }
}

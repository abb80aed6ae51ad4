import Glibc

/// The time that a piece of work took.
struct Span {
    /// The elapsed wall-clock time in seconds.
    var seconds: Double
    /// The processor time of the whole process, user and system, in seconds.
    var processor: Double
}

/// A stopwatch for wall-clock and processor time.
struct Stopwatch {
    private let wall = Clock.wall.nanoseconds
    private let processor = Clock.processor.nanoseconds

    /// The time since the stopwatch was created.
    var elapsed: Span {
        Span(
            seconds: (Clock.wall.nanoseconds - wall) / 1e9, processor: (Clock.processor.nanoseconds - processor) / 1e9)
    }
}

/// A clock of the system.
enum Clock {
    /// The monotonic clock, which never goes back.
    case wall
    /// The processor time that the process has used.
    case processor
    /// The processor time that the calling thread has used. It is slower to read than the monotonic clock.
    case thread

    /// The clock's value in nanoseconds. Each clock has its own starting point.
    var nanoseconds: Double {
        var time = timespec()
        clock_gettime(id, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private var id: clockid_t {
        switch self {
        case .wall: CLOCK_MONOTONIC
        case .processor: CLOCK_PROCESS_CPUTIME_ID
        case .thread: CLOCK_THREAD_CPUTIME_ID
        }
    }
}

/// The resident memory of this process and its peak (`VmHWM`), as counted by the kernel.
enum PeakMemory {
    /// Resets the peak. Returns false when the kernel does not allow it; `megabytes` then counts from the start of the
    /// process.
    static func reset() -> Bool {
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(file, "5", 1) == 1
    }

    /// The current resident memory in bytes; `nil` when the kernel does not report it.
    static var residentBytes: Double? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        guard words.count > 1, let pages = Double(words[1]) else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The peak since the last reset, in megabytes of 1,000,000 bytes; `nil` when the kernel does not report it.
    static var megabytes: Double? {
        guard let file = fopen("/proc/self/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split { $0 == " " || $0 == "\t" || $0 == "\n" }
            if words.first == "VmHWM:", words.count > 1, let kilobytes = Double(words[1]) {
                return kilobytes * 1024 / 1e6
            }
        }
        return nil
    }
}

/// Repeated measurements of one figure.
struct Series {
    private var sorted: [Double] = []

    init(_ values: some Sequence<Double>) { sorted = values.sorted() }

    /// The middle value, or the mean of the two middle ones; 0 for an empty series.
    var median: Double {
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// Returns the smallest value that at least `percent` percent of the values do not exceed; 0 for an empty series.
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = (Double(sorted.count) * percent / 100).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }

    /// Returns `median [lowest..highest]`, with `digits` decimals.
    func text(digits: Int) -> String {
        guard let first = sorted.first, let last = sorted.last else { return "-" }
        return "\(median.fixed(digits)) [\(first.fixed(digits))..\(last.fixed(digits))]"
    }
}

extension Double {
    /// Returns the number as text with `digits` decimals.
    func fixed(_ digits: Int) -> String {
        guard isFinite, abs(self) < 1e12 else { return "\(self)" }
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((abs(self) * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % scale)
        return sign + "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

extension String {
    /// Returns the string, padded with trailing spaces to `width`.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Returns the string, padded with leading spaces to `width`.
    func indented(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

/// A limit set by an issue, and whether a figure meets it.
struct Bar {
    let name: String
    var unit = ""
    var digits = 1
    var least: Double?
    var most: Double?

    /// Returns one line of a report: reached or missed, the figure, and the limit. The figure has as many digits as are
    /// needed to show on which side of the limit it is.
    func verdict(on figure: Double) -> String {
        let isReached = isKept(by: figure)
        let shown =
            (digits..<digits + 6).lazy.map { figure.fixed($0) }
            .first { Double($0).map(isKept) == isReached } ?? "\(figure)"
        let asked = [least.map { "at least \(limit($0))" }, most.map { "at most \(limit($0))" }].compactMap { $0 }
        return
            "\(isReached ? "reached" : "MISSED ")  \(name): \(shown)\(unit), \(asked.joined(separator: " and ")) asked"
    }

    private func isKept(by figure: Double) -> Bool { figure >= least ?? -.infinity && figure <= most ?? .infinity }

    private func limit(_ value: Double) -> String { value.fixed(value == value.rounded() ? 0 : 2) }
}

/// A table of figures, with columns as wide as their contents.
struct Table {
    private var rows: [[String]]

    init(_ headings: [String]) { rows = [headings] }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines of the table. The first column is left-aligned, the others are right-aligned.
    var lines: [String] {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == 0 ? cell.padded(to: widths[column]) : cell.indented(to: widths[column])
            }.joined(separator: "  ")
        }
    }
}

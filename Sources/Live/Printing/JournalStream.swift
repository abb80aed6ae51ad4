import Glibc

/// Lines for the journal of systemd, if standard error goes there. A line begins with its priority. It has no time, since the journal
/// stores one.
enum JournalStream {
    /// The priorities of syslog(3), by their numbers.
    enum Priority: Int {
        case error = 3, warning = 4, notice = 5, info = 6

        /// The prefix of a journal line: `<4>`.
        var prefix: String { "<\(rawValue)>" }
    }

    /// Whether a descriptor goes to the journal, according to `JOURNAL_STREAM` (systemd.exec(5)).
    static func isBehind(_ descriptor: Int32) -> Bool {
        guard let text = getenv("JOURNAL_STREAM") else { return false }
        let numbers = String(cString: text).split(separator: ":").map { UInt64($0) }
        var facts = stat()
        guard numbers.count == 2, fstat(descriptor, &facts) == 0 else { return false }
        return numbers[0] == UInt64(facts.st_dev) && numbers[1] == UInt64(facts.st_ino)
    }
}

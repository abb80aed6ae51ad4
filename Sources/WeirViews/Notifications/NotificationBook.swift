import WeirEvents
package import WeirPipeline
import WeirTerminal
import WeirWire

/// A rule that selects the messages for notifications.
package enum NotificationRule: Sendable {
    /// Messages that mention the user.
    case mention
    /// Messages in a direct conversation with the user.
    case direct
    /// Messages whose text contains this word, or these consecutive words, ignoring case.
    case keyword(String)
    /// Reports that match the filter.
    case filter(Filter)

    /// Parses a rule: `mention`, `direct` or `keyword:WORD`. Returns `nil` for any other text.
    package init?(word: String) {
        switch word {
        case "mention": self = .mention
        case "direct": self = .direct
        default:
            let keyword = word.dropFirst("keyword:".count)
            guard word.hasPrefix("keyword:"), keyword.contains(where: { $0 != " " }) else { return nil }
            self = .keyword(String(keyword))
        }
    }

    /// The rule's name in a notification.
    var name: LocalNotification.Rule {
        switch self {
        case .mention: .mention
        case .direct: .direct
        case .keyword: .keyword
        case .filter: .filter
        }
    }

    /// Returns whether `text` contains `word` as a whole word, without an adjacent letter or digit.
    static func has(_ word: String, in text: String) -> Bool {
        let (word, text) = (Array(word.lowercased()), Array(text.lowercased()))
        guard let first = word.first, let last = word.last, word.count <= text.count else { return false }
        return (0...text.count - word.count).contains { start in
            let end = start + word.count
            guard text[start] == first, text[start..<end].elementsEqual(word) else { return false }
            return !(start > 0 && first.isOfWord && text[start - 1].isOfWord)
                && !(end < text.count && last.isOfWord && text[end].isOfWord)
        }
    }
}

extension Character {
    fileprivate var isOfWord: Bool { isLetter || isNumber || self == "_" }
}

/// The rules for notifications, and how they are shown.
package struct NotificationPlan: Sendable {
    /// The way in which the user is notified.
    package enum Means: Hashable, Sendable {
        /// Ring the terminal, which shows the text if it supports OSC 9.
        case terminal
        /// Show the notification on the desktop with `notify-send`.
        case desktop
        /// Run a program in the way of `ReportHook.Action.command`. Its standard input is the text of `stringified`
        /// with the additional member `state`, which is `raised` or `cleared`.
        case command([String])
    }

    /// The rules in order. The first one that applies raises the notification.
    package var rules: [NotificationRule]
    /// The way in which the user is notified.
    package var means: Means

    /// Creates a plan that rings the terminal by default.
    package init(_ rules: [NotificationRule], by means: Means = .terminal) {
        self.rules = rules
        self.means = means
    }
}

/// Decides when to notify the user: once per message, however often it is reported, until the message is read.
///
/// Only messages sent after the first report are news. Earlier messages that are fetched or remembered are not.
package struct NotificationBook {
    package enum Change: Hashable {
        case raised(LocalNotification)
        /// The message was read or deleted.
        case cleared(LocalNotification)

        package var notification: LocalNotification {
            switch self {
            case .raised(let notification), .cleared(let notification): notification
            }
        }
        package var name: String { if case .raised = self { "raised" } else { "cleared" } }
    }

    private struct Channel {
        var isDirect = false
        var readUntil: Int64?
    }

    /// A notification that is not cleared yet.
    private struct Open {
        var notification: LocalNotification
        var place: Place?
    }

    /// The channel and the time of a message, in milliseconds since 1970.
    private struct Place {
        var channel: String?
        var time: Int64?

        init(_ row: DiffRow) {
            channel = row.item.entity.value.saidIn?.description
            time = row.item.saidAt?.milliseconds
        }
    }

    private static let mostTold = 10_000
    private static let mostOpen = 1_000
    private static let mostChannels = 10_000

    private let rules: [NotificationRule]
    /// The judges of the rules; `nil` for a rule that is not a filter.
    private var judges: [FilterJudge?]
    /// The number of the last event that each filter matched.
    private var held: [Int?]
    private var names = KnownNames()
    private var channels: [String: Channel] = [:]
    /// The ids of the messages that the user was notified of.
    private var told: Set<String> = []
    /// The same ids as a ring buffer, for removing the oldest.
    private var order: [String] = []
    private var oldest = 0
    private var open: [Open] = []
    /// The wall clock at the first report, in milliseconds.
    private var began: Int64?

    package init(_ rules: [NotificationRule]) {
        self.rules = rules
        judges = rules.map { if case .filter(let filter) = $0 { FilterJudge(filter) } else { nil } }
        held = rules.map { _ in nil }
    }

    /// The names in filters that no event contained, one line each.
    package var absent: [String] { judges.flatMap { $0?.tally.absent ?? [] } }

    /// Returns the notifications that a report raises or clears.
    package mutating func changes(by stamped: StampedReport) -> [Change] {
        let now = stamped.stamp.wall / 1000
        let since = (began ?? now) - stamped.clockOffset
        began = began ?? now
        var changes: [Change] = []
        var news: [DiffRow] = []
        if case .diff(let diff) = stamped.report {
            let rows = DiffRow.rows(of: diff.batch)
            names.learn(from: diff)
            for row in rows where row.item.id.kind == .channel { learn(row) }
            for row in rows where row.item.id.kind == .message { place(row) }
            changes = clear(by: rows).map { .cleared($0) }
            news = rows.filter { isNews($0, since: since, ofEvent: diff.refetched.isEmpty && diff.cause > 0) }
        }
        for index in rules.indices {
            if judges[index] != nil {
                changes += filtered(index, stamped, news)
                continue
            }
            for row in news where !isOwn(row) {
                guard let notification = notification(of: row, rules[index]) else { continue }
                changes += raise(notification, Place(row))
            }
        }
        return changes
    }

    // MARK: - Rules

    private mutating func filtered(_ index: Int, _ stamped: StampedReport, _ news: [DiffRow]) -> [Change] {
        guard let rows = judges[index]?.matchingRows(stamped) else { return [] }
        switch stamped.report {
        case .event(let report):
            held[index] = stamped.stamp.n
            let said = report.event.said
            let actor = report.actorID ?? report.actor
            return raise(
                LocalNotification(
                    type: said == nil ? .event : .message, rule: .filter,
                    payload: .init(
                        room: report.room, title: report.room.flatMap { names.room($0).channel?.title },
                        message: said?.id,
                        actor: actor, name: names.actor(of: report),
                        text: said.map { $0.text.isEmpty ? report.event.summary : $0.text } ?? Self.line(of: stamped))),
                nil)
        case .diff(let diff):
            let ids = Set(rows.map(\.item.id))
            let found = news.filter { ids.contains($0.item.id) }.compactMap { row -> [Change]? in
                notification(of: row, rules[index]).map { raise($0, Place(row)) }
            }
            let isOfMessages = rows.contains { $0.item.id.kind == .message && $0.operation != .delete }
            if isOfMessages || diff.cause > 0 && held[index] == diff.cause { return found.flatMap(\.self) }
        case .typing, .gap, .connection, .room, .action, .emit, .refetch, .undecodable, .notice: break
        }
        return raise(
            LocalNotification(type: .event, rule: .filter, payload: .init(text: Self.line(of: stamped))), nil)
    }

    /// Returns the notification of a message by a rule, or `nil` if the rule does not apply. The caller has already
    /// applied filters.
    private func notification(of row: DiffRow, _ rule: NotificationRule) -> LocalNotification? {
        let (item, entity) = (row.item, row.item.entity.value)
        let channel = entity.saidIn?.description
        switch rule {
        case .mention: guard names.isUser(among: entity.mentions) else { return nil }
        case .direct: guard channel.flatMap({ channels[$0] })?.isDirect == true else { return nil }
        case .keyword, .filter: break
        }
        let facts = ItemFacts(item)
        let text = facts.label ?? ""
        if case .keyword(let word) = rule, !NotificationRule.has(word, in: text) { return nil }
        let actor = entity.person?.description
        return LocalNotification(
            type: facts.isFilesAlone ? .file : .message, rule: rule.name,
            payload: .init(
                room: channel, title: channel.flatMap { names.look(at: $0).channel?.title }, message: item.id.text,
                actor: actor,
                name: actor.flatMap { names.person($0) } ?? entity.sayer, text: text))
    }

    private func isNews(_ row: DiffRow, since: Int64, ofEvent isOfEvent: Bool) -> Bool {
        guard row.item.id.kind == .message, row.operation != .delete, row.item.delivery == nil,
            !row.item.entity.value.isTakenBack
        else { return false }
        let place = Place(row)
        guard let time = place.time else { return isOfEvent && row.operation == .insert }
        let read = place.channel.flatMap { channels[$0]?.readUntil }
        return time >= since && read.map { $0 < time } ?? true
    }

    private func isOwn(_ row: DiffRow) -> Bool {
        names.user.map { $0 == row.item.entity.value.person?.description } ?? false
    }

    // MARK: - Once, and until it is read

    private mutating func raise(_ notification: LocalNotification, _ place: Place?) -> [Change] {
        if let id = notification.payload.message {
            guard told.insert(id).inserted else { return [] }
            if order.count < Self.mostTold {
                order.append(id)
            } else {
                told.remove(order[oldest])
                order[oldest] = id
                oldest = (oldest + 1) % Self.mostTold
            }
            if open.count == Self.mostOpen { open.removeFirst() }
            open.append(Open(notification: notification, place: place))
        }
        return [.raised(notification)]
    }

    private mutating func clear(by rows: [DiffRow]) -> [LocalNotification] {
        if open.isEmpty { return [] }
        let gone = Set(
            rows.filter {
                $0.item.id.kind == .message && ($0.operation == .delete || $0.item.entity.value.isTakenBack)
            }.map(\.item.id.text))
        func isCleared(_ open: Open) -> Bool {
            if let id = open.notification.payload.message, gone.contains(id) { return true }
            guard let channel = open.place?.channel, let time = open.place?.time else { return false }
            return channels[channel]?.readUntil.map { time <= $0 } ?? false
        }
        let cleared = open.filter(isCleared).map(\.notification)
        if !cleared.isEmpty { open.removeAll(where: isCleared) }
        return cleared
    }

    private mutating func learn(_ row: DiffRow) {
        let id = row.item.id.text
        guard channels.count < Self.mostChannels || channels[id] != nil else { return }
        channels[id] = Channel(
            isDirect: row.item.sectionKey.name == "directs",
            readUntil: row.item.entity.value.readUntil?.milliseconds)
    }

    /// Adds the channel and time to a notification that an event raised. They are unknown until the message is a row.
    private mutating func place(_ row: DiffRow) {
        guard
            let index = open.firstIndex(where: {
                $0.place == nil && $0.notification.payload.message == row.item.id.text
            })
        else { return }
        open[index].place = Place(row)
    }

    private static func line(of report: StampedReport) -> String {
        var lines = EventLines(isCompact: true, width: nil, LineSettings(time: .none))
        var buffer = TerminalBuffer()
        lines.append(report, to: &buffer)
        let text = String(decoding: buffer.bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return String(text.drop { $0 == " " })
    }
}

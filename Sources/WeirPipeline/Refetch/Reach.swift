public import WeirEvents
public import WeirJSON
import WeirModel

/// The extent to which the messages of one place are known without a hole, and the walk that finds it out, page by page
/// from the newest message back.
///
/// The known messages form a window that ends with the newest message. A walk reads the whole window again, because no
/// page shows what was edited or deleted. It ends at the start of the window, or with the server's last page. A walk
/// may be bounded. If the bound ends the walk, the window starts later than before, and if messages were missed there
/// is a hole before it.
///
///     nothing ──a page──► from a position ──a bounded walk──► from a later position, with a hole before it
///                              ▲                                          │
///                              └───────────a deeper walk──────────────────┘
///
/// `ID` identifies an entry of a page: a message, or the head of a thread. A position is its place in the server's
/// order. The position of a thread moves with each reply, so a page that does not continue where the last one ended is
/// not the next page, and the walk tries another cursor.
struct Reach<ID: Hashable & Comparable & Sendable, Position: Hashable & Comparable & Sendable>: Sendable {
    /// An entry of a page.
    struct Entry: Hashable, Sendable {
        var id: ID
        var position: Position
    }

    /// The extent of a walk.
    struct Wish: Hashable, Sendable {
        /// The minimum number of entries to show, however old.
        var count = 0
        /// The maximum number of pages.
        var pages: Int
    }

    /// Messages between two positions that were missed and not fetched.
    struct Hole: Hashable, Sendable {
        /// The last known position before the hole.
        var from: Position
        /// The first known position after the hole.
        var to: Position
        /// The number of missing messages, if the server counts them.
        var count: Int?
    }

    private struct Walk: Sendable {
        /// The number of pages requested.
        var pages = 1
        /// The number of entries on the first page.
        var newest = 0
        /// The number of messages in the place when the walk began, if the server counts them.
        var total: Int?
        /// Whether no event arrived while the first page was in flight.
        var isCurrent: Bool
        /// The entries in the model when the walk began.
        var held: Set<ID>
        var seen: [ID: Position] = [:]
        /// The position at which the last page ended.
        var end: Position?
        /// The entry before which the next page ends, followed by alternatives for when that entry has moved or is
        /// gone.
        var cursors: [ID] = []
    }

    /// The step that follows a page.
    enum Step: Hashable {
        /// Do nothing, because no walk waits for the page.
        case none
        /// Request the page before this entry.
        case ask(before: ID)
        /// Request the newest page again, because the walk lost its way.
        case again
        /// Stop, because the walk has ended.
        case done(End)
    }

    /// The result of a walk.
    struct End: Hashable {
        /// The start of the window; older entries are not kept. `nil` if the server has nothing older.
        var start: Position?
        /// The entries that were in the model when the walk began and that no page contained.
        var unseen: Set<ID>
        /// Whether a single page contained everything.
        var isWhole: Bool
        /// Whether this walk left a hole, or moved the end of one.
        var leftHole: Bool
    }

    private enum EndCause { case lastPage, reached, bound }

    /// The maximum number of pages beyond the window that a walk follows on request.
    static var mostPagesBack: Int { 100 }
    /// The maximum number of times in a row that a walk starts again because all its cursors moved.
    static var mostRestarts: Int { 5 }
    /// The maximum number of cursors of one page that are tried.
    private static var mostCursors: Int { 3 }

    /// A position before all others.
    private let beginning: Position
    /// The start of the window; `nil` until a page arrives.
    private(set) var start: Position?
    /// Whether the server had nothing older than the window.
    private var startsAtBeginning = false
    private var walk: Walk?
    /// The newest known position when messages began to be missed; `nil` if none were missed.
    private var edge: Position?
    /// The newest position that a page contained, in a place where a page follows each message. Then the number of
    /// messages up to it, and up to the edge, if the server counts them.
    private var top: Position?
    private var total: Int?
    private var edgeTotal: Int?
    /// The position back to which messages were requested, from the start of the next walk to its end.
    private var depth: Position?
    /// The number of pages of the last walk.
    private var extent = 1
    private var restarts = 0
    /// Entries of an earlier session about which no page has been requested yet.
    private var kept: [ID: Position] = [:]
    /// The messages that were missed and not fetched.
    private(set) var hole: Hole?

    init(beginning: Position) { self.beginning = beginning }

    /// Whether a walk is under way.
    var isWalking: Bool { walk != nil }

    /// Returns whether the window contains everything from a position on.
    func covers(_ position: Position) -> Bool { startsAtBeginning || start.map { $0 <= position } ?? false }

    /// The cursor of the page being requested: the page ends before this entry.
    var cursor: ID? { walk?.cursors.first }

    /// Returns whether the walk has seen every entry of a page.
    func hasSeen(_ page: [Entry]) -> Bool { page.allSatisfy { walk?.seen[$0.id] != nil } }

    /// Takes in entries that an earlier session showed, or a part of them, because a store returns its rows in parts.
    /// With `passesOver`, pages that end with a remembered entry are not requested again.
    mutating func remember(_ entries: [Entry], passesOver: Bool) {
        guard let oldest = entries.map(\.position).min(), let newest = entries.map(\.position).max() else { return }
        start = min(start ?? oldest, oldest)
        (edge, top) = (max(edge ?? newest, newest), max(top ?? newest, newest))
        guard passesOver else { return }
        for entry in entries { kept[entry.id] = entry.position }
    }

    /// Records that messages newer than `newest`, the newest one in the model, may have been missed.
    mutating func missed(after newest: Position?) { edge = edge ?? newest ?? beginning }

    /// Takes in the newest page, whether it belongs to a walk or not, in a place where each message causes a page to be
    /// requested.
    ///
    /// Messages that were pushed meanwhile do not prove that the session received everything before them.
    ///
    /// - Returns: `false` if the page does not reach back to the newest entry of the last one. The messages between
    ///   were missed, and a walk is needed.
    mutating func reaches(_ page: [Entry], of count: Int?) -> Bool {
        let newest = page.map(\.position).max() ?? beginning
        let oldest = page.map(\.position).min() ?? beginning
        defer { (top, total) = (max(top ?? newest, newest), count) }
        guard let top, top < oldest else { return true }
        if edge == nil { (edge, edgeTotal) = (top, total) }
        return false
    }

    /// Makes the next walk go back to a position; without a position, to the start of the hole.
    mutating func goBack(to position: Position?) {
        guard let position = position ?? hole?.from else { return }
        depth = min(depth ?? position, position)
    }

    /// Takes in a page. The newest page starts a new walk; a page before a cursor continues the walk.
    ///
    /// If an event arrived while the newest page was in flight, the page is not current and will be fetched again. It
    /// then starts a walk only if messages were missed and no walk is under way, so that a busy place catches up too.
    ///
    /// - Parameters:
    ///   - page: The entries of the page.
    ///   - cursor: The entry before which the page ends; `nil` for the newest page.
    ///   - isLast: Whether the server has nothing older.
    ///   - isCurrent: Whether no event arrived while the page was in flight.
    ///   - held: The entries in the model, evaluated when a walk starts.
    ///   - wish: The extent of the walk.
    mutating func take(
        _ page: [Entry], before cursor: ID?, isLast: Bool, isCurrent: Bool, held: @autoclosure () -> Set<ID> = [],
        _ wish: Wish
    ) -> Step {
        if cursor == nil, !isCurrent, walk != nil || edge == nil { return .none }
        guard
            var walk = cursor == nil
                ? Walk(newest: page.count, total: total, isCurrent: isCurrent, held: held()) : walk,
            walk.cursors.first == cursor
        else { return .none }
        if !isLast, let cursor, let expected = walk.seen[cursor], let newest = page.map(\.position).max(),
            expected < newest
        {
            return lost(cursor, wish)
        }
        // Entries with equal positions keep the server's order, and entries seen before come last, because they have
        // already ended a page.
        let ordered = page.enumerated().sorted { a, b in
            let (wasA, wasB) = (walk.seen[a.element.id] == nil ? 0 : 1, walk.seen[b.element.id] == nil ? 0 : 1)
            return (a.element.position, wasA, a.offset) < (b.element.position, wasB, b.offset)
        }.map(\.element)
        let hasNews = page.contains { walk.seen[$0.id] == nil }
        for entry in page { walk.seen[entry.id] = entry.position }
        walk.end = ordered.first?.position ?? walk.end
        walk.cursors = ordered.prefix(Self.mostCursors).map(\.id)
        guard hasNews, !isLast, walk.end != nil else { return finish(walk, .lastPage, wish) }
        passOverKept(&walk)
        guard let end = walk.end else { return .none }
        let isShown = walk.seen.count >= wish.count && depth.map { end < $0 } ?? true
        if isShown, isReached(end, by: walk) { return finish(walk, .reached, wish) }
        let most = depth == nil ? wish.pages : max(wish.pages, extent + Self.mostPagesBack)
        guard walk.pages < most, let next = walk.cursors.first else { return finish(walk, .bound, wish) }
        walk.pages += 1
        self.walk = walk
        return .ask(before: next)
    }

    /// Handles a page before a cursor that cannot be fetched or is not the next page. The walk tries another cursor,
    /// and then starts again.
    mutating func lost(_ cursor: ID, _ wish: Wish) -> Step {
        guard var walk, walk.cursors.first == cursor else { return .none }
        walk.cursors.removeFirst()
        self.walk = walk
        if let next = walk.cursors.first { return .ask(before: next) }
        restarts += 1
        guard restarts > Self.mostRestarts else {
            self.walk = nil
            return .again
        }
        return finish(walk, .bound, wish)
    }

    /// Returns whether the walk has reached the start of the window. Entries with one position can exceed a page; all
    /// entries held must then have been seen.
    private func isReached(_ end: Position, by walk: Walk) -> Bool {
        guard let start else { return true }
        return end < start || end == start && walk.held.allSatisfy { walk.seen[$0] != nil }
    }

    /// Skips the pages that the store makes unnecessary.
    ///
    /// If a page ends with a remembered entry, the entries remembered before it existed when they were stored, and a
    /// thread that moved since has moved forward. The next walk skips nothing, and finds what was edited or deleted
    /// meanwhile.
    private mutating func passOverKept(_ walk: inout Walk) {
        guard let cursor = walk.cursors.first, let end = walk.end, kept[cursor] != nil else { return }
        let passed = kept.filter { $0.value <= end && walk.seen[$0.key] == nil }
        kept = [:]
        walk.seen.merge(passed) { seen, _ in seen }
        let ordered = passed.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let oldest = ordered.first else { return }
        walk.end = oldest.value
        walk.cursors = ordered.prefix(Self.mostCursors).map(\.key)
    }

    private mutating func finish(_ walk: Walk, _ cause: EndCause, _ wish: Wish) -> Step {
        let end = walk.end ?? beginning
        let holeBefore = hole
        switch cause {
        case .lastPage: (start, hole, startsAtBeginning) = (end, nil, true)
        case .reached:
            // The last page reaches beyond the window. The surplus is not kept, because the window would grow with
            // every walk.
            let isEnough = start.map { old in
                depth.map { covers($0) } ?? true
                    && walk.seen.values.count { $0 >= old } >= max(wish.count, walk.newest)
            }
            if isEnough != true { start = end }
            narrowHole(to: start ?? end)
        case .bound:
            (start, startsAtBeginning) = (end, false)
            narrowHole(to: end)
            if let edge, edge < end {
                let missed = walk.total.flatMap { total in edgeTotal.map { total - $0 - walk.seen.count } }
                hole = Hole(
                    from: min(hole?.from ?? edge, edge), to: end,
                    count: hole == nil ? missed.flatMap { $0 > 0 ? $0 : nil } : nil)
            }
        }
        extent = walk.pages
        restarts = 0
        kept = [:]
        (self.walk, edge, edgeTotal, depth) = (nil, nil, nil, nil)
        return .done(
            End(
                start: cause == .lastPage ? nil : start, unseen: walk.held.subtracting(walk.seen.keys),
                isWhole: cause == .lastPage && walk.pages == 1 && walk.isCurrent,
                leftHole: hole.map { $0.to > holeBefore?.to ?? $0.from } ?? false))
    }

    private mutating func narrowHole(to start: Position) {
        guard let known = hole, start < known.to else { return }
        hole = start <= known.from ? nil : Hole(from: known.from, to: start)
    }
}

/// Messages of one section that were missed and not fetched, because there are more than the session catches up with.
///
/// A row of the section `holes` shows this until the messages are fetched.
public struct Hole: ItemEntity, Hashable, Sendable {
    package static let typeName = "hole"

    /// The section that lacks the messages.
    public var section: Item.Section
    /// The time of the last message before the hole. For a thread that is ordered by its last activity, the time of
    /// that activity.
    public var from: Timestamp
    /// The time of the first message after the hole, by the same rule.
    public var to: Timestamp
    /// The number of missing messages; `nil` if the server does not report it.
    public var count: Int?
    init(of section: Item.Section, from: Timestamp, to: Timestamp, count: Int? = nil) {
        self.section = section
        self.from = from
        self.to = to
        self.count = count
    }

    /// Writes `{"section":["messages","id"],"from":…,"to":…,"count":…}`. Times are in milliseconds since 1970. The
    /// count is left out if it is unknown.
    public func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("section")
        section.encode(into: &writer)
        writer.member("from", integer: from.milliseconds)
        writer.member("to", integer: to.milliseconds)
        writer.member("count", count)
        writer.endObject()
    }

    /// Creates a hole from the JSON that `encode(into:)` wrote.
    package init(decoding reader: inout JSONReader) throws(DecodingFailure) {
        var section: Item.Section?
        var (from, to, count): (Int64?, Int64?, Int?)
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if reader.matches(key, "section") {
                    section = try Item.Section(decoding: &reader)
                } else if reader.matches(key, "from") {
                    from = try reader.int64()
                } else if reader.matches(key, "to") {
                    to = try reader.int64()
                } else if reader.matches(key, "count") {
                    count = Int(clamping: try reader.int64())
                } else {
                    try reader.skip()
                }
            }
        } catch let error as DecodingFailure {
            throw error
        } catch {
            throw DecodingFailure(subject: "hole", message: "\(error)", offset: reader.offset)
        }
        guard let section, let from, let to else {
            throw DecodingFailure(subject: "hole", message: "section, from or to is missing", offset: reader.offset)
        }
        self.init(of: section, from: Timestamp(milliseconds: from), to: Timestamp(milliseconds: to), count: count)
    }
}

extension Item {
    /// Returns the row for the hole in the messages of a place. The rows of the section start with the oldest hole.
    static func hole(_ hole: Hole, of place: EntityID) -> Item {
        Item(id: .hole(place), section: .holes, sortKey: hole.to.milliseconds, entity: Entity(hole))
    }

    /// The hole that the row describes; `nil` for any other row.
    public var hole: Hole? { entity.as(Hole.self) }
}

extension Item.ID {
    /// Returns the id of the row for the hole in a place.
    static func hole(_ place: EntityID) -> Item.ID { Item.ID(.hole, place) }
}

extension Item.Section {
    /// The section of the holes in all other sections.
    public static let holes = Item.Section("holes")
}

extension HandlerContext {
    /// Shows the hole in the messages of a place, or removes its row. A new hole is also reported as a gap.
    mutating func show(_ hole: Hole?, of place: EntityID, isNew: Bool) {
        guard let hole else { return model.remove(.hole(place)) }
        model.put(.hole(hole, of: place))
        if isNew { plans.append(.hole(hole)) }
    }
}

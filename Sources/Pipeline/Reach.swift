/// How far back the messages of one place are known without a hole, and the walk that finds it out: page by page, from the newest one back.
///
/// What is known is a window that ends with the newest message. A walk looks at the whole window again, since no page tells what was edited
/// or deleted: it ends where the window begins, or with the server's last page. A walk may have a bound. Where that ends it the window begins
/// later than before, and if messages were missed there is a hole before it.
///
///     nothing ──a page──► from a position ──a bounded walk──► from a later position, with a hole before it
///                              ▲                                          │
///                              └───────────a deeper walk──────────────────┘
///
/// `ID` names what a page lists: a message, or the head of a thread. A position says where it stands in the server's order. That of a thread
/// moves with each reply: a page that does not go on where the last one ended is no next page, and another cursor is tried.
struct Reach<ID: Hashable & Comparable & Sendable, Position: Hashable & Comparable & Sendable>: Sendable {
    /// What a page lists.
    struct Entry: Hashable, Sendable {
        var id: ID
        var position: Position
    }

    /// What a walk is to show.
    struct Wish: Hashable, Sendable {
        /// At least so many entries, however old.
        var count = 0
        /// So many pages at most.
        var pages: Int
    }

    /// Messages between two positions that were missed and not fetched.
    struct Hole: Hashable, Sendable {
        /// The last position before it that was known.
        var from: Position
        /// The first position after it that is known.
        var to: Position
        /// How many they are, where the server counts them.
        var count: Int?
    }

    private struct Walk: Sendable {
        /// Pages asked for.
        var pages = 1
        /// Entries of the first page.
        var newest = 0
        /// How many messages the place had when it began, where the server counts them.
        var total: Int?
        /// Whether nothing happened while its first page was on its way.
        var isCurrent: Bool
        /// What was held when it began.
        var held: Set<ID>
        var seen: [ID: Position] = [:]
        /// Where the last page ended.
        var end: Position?
        /// What the next page ends with, and what is asked with instead when that has moved or is gone.
        var cursors: [ID] = []
    }

    /// What follows a page.
    enum Step: Hashable {
        /// Nothing: no walk waited for it.
        case none
        /// The page before this entry is to be asked for.
        case ask(before: ID)
        /// The walk lost its way: the newest page is to be asked for again.
        case again
        /// The walk ended.
        case done(End)
    }

    /// How a walk ended.
    struct End: Hashable {
        /// Where the window begins: what is older is not kept. Nil when the server has nothing older.
        var start: Position?
        /// What was held when the walk began and no page has shown.
        var unseen: Set<ID>
        /// Whether one page held everything that there is.
        var isWhole: Bool
        /// Whether this walk left a hole, or moved the end of one.
        var leftHole: Bool
    }

    private enum EndCause { case lastPage, reached, bound }

    /// Pages that are followed beyond the window when somebody wants to see far back.
    static var mostPagesBack: Int { 100 }
    /// How often in a row a walk begins again because all its cursors moved.
    static var mostRestarts: Int { 5 }
    /// Cursors of one page that are tried.
    private static var mostCursors: Int { 3 }

    /// A position before all others.
    private let beginning: Position
    /// Where the window begins; nil while no page has come.
    private(set) var start: Position?
    /// Whether the server had nothing older than the window.
    private var startsAtBeginning = false
    private var walk: Walk?
    /// The newest position that was known when messages began to be missed; nil when none were.
    private var edge: Position?
    /// The newest position that a page showed, where pages follow each message; and how many messages there were up to it, and up to the
    /// edge, where the server counts them.
    private var top: Position?
    private var total: Int?
    private var edgeTotal: Int?
    /// How far back somebody wants to see, from the next walk's beginning to its end.
    private var depth: Position?
    /// Pages of the last walk.
    private var extent = 1
    private var restarts = 0
    /// What an earlier session kept, of which no page has been asked for yet.
    private var kept: [ID: Position] = [:]
    /// What was missed and is not fetched.
    private(set) var hole: Hole?

    init(beginning: Position) { self.beginning = beginning }

    /// Whether a walk is on its way.
    var isWalking: Bool { walk != nil }

    /// Whether the window holds everything from a position on.
    func covers(_ position: Position) -> Bool { startsAtBeginning || start.map { $0 <= position } ?? false }

    /// What the page ends with that is being asked for.
    var cursor: ID? { walk?.cursors.first }

    /// Whether the walk has seen all of a page.
    func hasSeen(_ page: [Entry]) -> Bool { page.allSatisfy { walk?.seen[$0.id] != nil } }

    /// What an earlier session showed, or one part of it: a store gives its rows back in parts. With `passesOver`, pages that end with a
    /// remembered entry are not asked for again.
    mutating func remember(_ entries: [Entry], passesOver: Bool) {
        guard let oldest = entries.map(\.position).min(), let newest = entries.map(\.position).max() else { return }
        start = min(start ?? oldest, oldest)
        (edge, top) = (max(edge ?? newest, newest), max(top ?? newest, newest))
        guard passesOver else { return }
        for entry in entries { kept[entry.id] = entry.position }
    }

    /// Messages may have been missed that are newer than `newest`, the newest one that is held.
    mutating func missed(after newest: Position?) { edge = edge ?? newest ?? beginning }

    /// A page of the newest came, of a walk or of none, where each message that is said makes one be asked for. False when it does not reach
    /// back to the newest that the last one showed: what lies between was missed, and a walk is needed. What was pushed meanwhile is no sign
    /// that nothing was missed before it.
    mutating func reaches(_ page: [Entry], of count: Int?) -> Bool {
        let newest = page.map(\.position).max() ?? beginning
        let oldest = page.map(\.position).min() ?? beginning
        defer { (top, total) = (max(top ?? newest, newest), count) }
        guard let top, top < oldest else { return true }
        if edge == nil { (edge, edgeTotal) = (top, total) }
        return false
    }

    /// The next walk goes back as far as that; without a position, to the beginning of the hole.
    mutating func goBack(to position: Position?) {
        guard let position = position ?? hole?.from else { return }
        depth = min(depth ?? position, position)
    }

    /// A page came: the newest one begins a walk anew, that before a cursor goes on with it. `isLast`: the server has nothing older. One that
    /// is not current, since something happened while it was on its way, comes again: it begins a walk only where something was missed and
    /// none has begun, so that a busy place is caught up with, too.
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
        // Of one position the server's order is kept, and what was seen before comes last: it ended a page already.
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

    /// The page before a cursor cannot be had, or is not the next one: another cursor is tried, then another walk.
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

    /// Of one position there may be more than a page holds: then all that was held has to be seen.
    private func isReached(_ end: Position, by walk: Walk) -> Bool {
        guard let start else { return true }
        return end < start || end == start && walk.held.allSatisfy { walk.seen[$0] != nil }
    }

    /// Where a page ends with an entry that is remembered, what is remembered before it was there when it was kept, and a thread that moved
    /// since has come forward. What was edited or deleted meanwhile the next walk finds, which passes over nothing.
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
            // The last page shows more than the window: that is not kept, or the window would grow with every walk.
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

import WeirModel
import WeirPipeline
import WeirTerminal
import WeirWire

/// The model in the side pane: unchanged, or filtered, grouped and sorted by the user's choice.
///
/// A choice costs a second tree of sort keys (`SectionedView`), which follows each batch. Without a choice, the pane
/// reads the model directly.
struct WatchModel {
    /// The grouping, the order and the row filter.
    struct Look: Hashable {
        /// The grouping of rows: by section, by kind, or by the first letter of their title.
        enum Grouping: String, CaseIterable {
            case section, kind, letter
        }
        /// The order of the rows in a group: the model's order, or by title.
        enum Order: String, CaseIterable {
            case model, title
        }
        var grouping = Grouping.section
        var order = Order.model
        /// The text that rows must contain in their title or id, ignoring case. Empty for all rows.
        var filter = ""
    }

    /// The key of a group: a section of the model, or the name of a kind or a letter.
    enum Group: Hashable, Comparable {
        case section(Item.Section)
        case named(String)
    }

    /// The sort key of a row in its group. Rows with equal keys are sorted by id.
    struct Place: Comparable {
        var title: String
        var key: Int64

        static func < (a: Place, b: Place) -> Bool { a.title != b.title ? a.title < b.title : a.key < b.key }
    }

    private(set) var base: SectionedCollection<Item>
    private var view: SectionedView<Item, RegroupedElement<Item, Group, Place>>?
    var look: Look { didSet { if look != oldValue { show() } } }

    init(_ base: SectionedCollection<Item> = SectionedCollection(), _ look: Look = Look()) {
        self.base = base
        self.look = look
        show()
    }

    private mutating func show() {
        view = nil
        guard look != Look() else { return }
        let look = look
        let wanted = look.filter.lowercased()
        view = try? SectionedView(
            of: base.snapshot,
            sectionedBy: { item in
                switch look.grouping {
                case .section: .section(item.sectionKey)
                case .kind: .named(item.id.kind.rawValue)
                case .letter: .named(Self.letter(of: item))
                }
            },
            sortedBy: { Place(title: look.order == .title ? Self.title(of: $0).lowercased() : "", key: $0.sortKey) },
            where: { item in
                wanted.isEmpty || Self.title(of: item).lowercased().contains(wanted)
                    || item.id.text.lowercased().contains(wanted)
            })
    }

    /// Applies a batch to the model.
    ///
    /// - Throws: `ModelError` when the batch does not fit the model, which then stays unchanged.
    mutating func apply(_ batch: Batch<Item>) throws(ModelError) {
        try base.apply(batch)
        guard view != nil else { return }
        do { _ = try view?.follow(batch, to: base.snapshot) } catch { show() }
    }

    // MARK: - Reading

    var groupCount: Int { view?.sectionCount ?? base.sectionCount }

    func group(at index: Int) -> Group? {
        if let view { return view.sectionKey(at: index) }
        return base.sectionKey(at: index).map { .section($0) }
    }

    func index(of group: Group) -> Int? {
        if let view { return view.sectionIndex(of: group) }
        guard case .section(let section) = group else { return nil }
        return base.sectionIndex(of: section)
    }

    /// Returns the number of rows in the group with this index.
    func rowCount(at index: Int) -> Int { view?.elementCount(at: index) ?? base.elementCount(at: index) }

    /// Returns the first rows of the group with this index, up to `most`.
    func rows(at index: Int, most: Int) -> [Item] {
        guard let view else { return Array(base.elements(at: index).prefix(most)) }
        return (0..<min(view.elementCount(at: index), most)).compactMap {
            view.element(at: SectionPath(section: index, item: $0))?.base
        }
    }

    // MARK: - Titles

    /// Returns the display name of a row; its id when it has no title.
    private static func title(of item: Item) -> String { ItemFacts(item).label ?? item.id.text }

    /// Returns the first letter of a row's title in upper case; `#` when the title starts with something else.
    private static func letter(of item: Item) -> String {
        guard let first = title(of: item).first, first.isLetter else { return "#" }
        return first.uppercased()
    }
}

extension WatchModel.Look {
    /// A short description for the pane's heading and for notices.
    var words: String {
        "by \(grouping.rawValue)" + (order == .title ? ", sorted by title" : "")
            + (filter.isEmpty ? "" : ", with \(TerminalText.truncated(filter, to: 20))")
    }
}

extension CaseIterable where Self: Equatable, AllCases: BidirectionalCollection {
    /// Changes to the next case; after the last case, to the first.
    mutating func advance() {
        let cases = Self.allCases
        guard let index = cases.firstIndex(of: self) else { return }
        let next = cases.index(after: index)
        self = cases[next < cases.endIndex ? next : cases.startIndex]
    }
}

/// The recent changes of the model, for highlighting. Pure and bounded.
struct WatchFlashes: Sendable {
    /// How long a change stays highlighted.
    static let duration: Duration = .milliseconds(1500)
    /// The maximum number of highlighted rows.
    static let most = 1000

    /// The recent changes in one section.
    struct Change: Hashable, Sendable {
        var inserted = 0
        var deleted = 0
        var changed = 0
        fileprivate(set) var until = Moment.zero
    }

    private var sections: [Item.Section: Change] = [:]
    private var rows: [Item.ID: Moment] = [:]
    /// The time at which the first highlight ends; `nil` without highlights.
    private(set) var deadline: Moment?

    subscript(section: Item.Section) -> Change? { sections[section] }
    subscript(row: Item.ID) -> Bool { rows[row] != nil }

    mutating func note(_ changes: [DiffRow], at now: Moment) {
        let until = now + Self.duration
        for row in changes {
            var change = sections[row.item.sectionKey] ?? Change()
            switch row.operation {
            case .insert: change.inserted += 1
            case .delete: change.deleted += 1
            case .move, .update: change.changed += 1
            }
            change.until = until
            sections[row.item.sectionKey] = change
            if rows.count < Self.most || rows[row.item.id] != nil { rows[row.item.id] = until }
        }
        if deadline == nil, !changes.isEmpty { deadline = until }
    }

    mutating func forget(before now: Moment) {
        guard let deadline, deadline <= now else { return }
        sections = sections.filter { $0.value.until > now }
        rows = rows.filter { $0.value > now }
        self.deadline = [sections.values.map(\.until).min(), rows.values.min()].compactMap { $0 }.min()
    }
}

import Pipeline
import SectionedModel
import Terminal

/// The model as the side pane shows it: as it is, or filtered, grouped and sorted by the watcher's choice.
///
/// A choice costs a second tree of sort keys (`SectionedView`), which follows each batch. Without one the model itself is shown.
struct WatchModel {
    /// What is shown, and how.
    struct Look: Hashable {
        /// What rows are grouped by: their section, their kind, or the first letter of their title.
        enum Grouping: String, CaseIterable {
            case section, kind, letter
        }
        /// How the rows of a group are sorted: as the model has them, or by title.
        enum Order: String, CaseIterable {
            case model, title
        }
        var grouping = Grouping.section
        var order = Order.model
        /// Only rows with this text in their title or id are shown, the letters' case aside.
        var filter = ""
    }

    /// The key of a group.
    enum Group: Hashable, Comparable {
        case section(Item.Section)
        case named(String)
    }

    /// The place of a row in its group; rows with equal places stand in the order of their ids.
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

    /// Follows a batch; throws, and changes nothing, when it does not fit the model.
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

    /// The number of rows in the group with this index.
    func rowCount(at index: Int) -> Int { view?.elementCount(at: index) ?? base.elementCount(at: index) }

    /// The first rows of the group with this index.
    func rows(at index: Int, most: Int) -> [Item] {
        guard let view else { return Array(base.elements(at: index).prefix(most)) }
        return (0..<min(view.elementCount(at: index), most)).compactMap {
            view.element(at: SectionPath(section: index, item: $0))?.base
        }
    }

    // MARK: - Titles

    /// What a row is called; its id where it has no title.
    private static func title(of item: Item) -> String { ItemFacts(item).label ?? item.id.text }

    /// The first letter of a row's title; `#` for anything else.
    private static func letter(of item: Item) -> String {
        guard let first = title(of: item).first, first.isLetter else { return "#" }
        return first.uppercased()
    }
}

extension WatchModel.Look {
    /// The look in a few words.
    var words: String {
        "by \(grouping.rawValue)" + (order == .title ? ", sorted by title" : "")
            + (filter.isEmpty ? "" : ", with \(TerminalText.truncated(filter, to: 20))")
    }
}

extension CaseIterable where Self: Equatable, AllCases: BidirectionalCollection {
    /// Goes on to the next case; after the last to the first.
    mutating func advance() {
        let cases = Self.allCases
        guard let index = cases.firstIndex(of: self) else { return }
        let next = cases.index(after: index)
        self = cases[next < cases.endIndex ? next : cases.startIndex]
    }
}

import SectionedModel
import Testing

/// A row with few distinct keys, so that ties are common.
struct Row: SectionedElement, Hashable {
    var id: Int
    var sectionKey: Int
    var sortKey: Int
    var content = 0

    init(_ id: Int, in section: Int, at sortKey: Int, content: Int = 0) {
        self.id = id
        self.sectionKey = section
        self.sortKey = sortKey
        self.content = content
    }

    func feed(_ digest: inout ElementDigest) {
        for value in [id, sectionKey, sortKey, content] { digest.feed(value) }
    }
}

typealias Rows = SectionedCollection<Row>

extension SectionedCollection {
    /// Stages an element whose keys have an order.
    mutating func put(_ element: Element) {
        do { try upsert(element) } catch { Issue.record(error) }
    }

    /// Commits, and fails the test when that made no batch.
    mutating func committed() throws -> Batch<Element> {
        let batch = commit()
        return try #require(batch)
    }
}

/// A state spelled out: sections in order, their rows in order.
struct State: Equatable {
    struct Section: Equatable {
        var key: Int
        var rows: [Row]
    }
    var sections: [Section] = []

    /// The reference model: group and sort from scratch.
    init(of rows: some Collection<Row>) {
        let grouped = Dictionary(grouping: rows, by: \.sectionKey)
        sections = grouped.keys.sorted().map { key in
            let members = grouped[key] ?? []
            return Section(key: key, rows: members.sorted { ($0.sortKey, $0.id) < ($1.sortKey, $1.id) })
        }
    }

    /// What a collection shows, by every way it has to show it.
    init(_ rows: Rows) {
        sections = rows.sectionKeys.map { Section(key: $0, rows: rows.elements(in: $0)) }
    }

    /// The path of every id.
    var paths: [Int: SectionPath] {
        var paths: [Int: SectionPath] = [:]
        for (section, rows) in sections.map(\.rows).enumerated() {
            for (item, row) in rows.enumerated() { paths[row.id] = SectionPath(section: section, item: item) }
        }
        return paths
    }

    var rows: [Row] { sections.flatMap(\.rows) }

    func row(at path: SectionPath) -> Row? {
        guard sections.indices.contains(path.section) else { return nil }
        let rows = sections[path.section].rows
        return rows.indices.contains(path.item) ? rows[path.item] : nil
    }
}

/// A small generator with a seed, so that a failing run can be had again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

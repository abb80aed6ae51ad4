import WeirModel
import WeirPipeline
public import WeirRecording
public import WeirWire

/// Compares the replays of two recordings, record by record.
///
/// Both are played in step, aligned by their record numbers. After each record the models' checksums are compared. At
/// the first difference, the rows that differ are listed. Two replays of one file cannot differ in one build, so a
/// difference between two builds is a change of behaviour.
public struct ReplayDiff: Sendable {
    /// A row that differs between the models.
    public struct Row: Hashable, Sendable {
        /// How a row differs between the models.
        public enum Difference: Hashable, Sendable {
            /// Only the first model contains the row.
            case onlyInFirst
            /// Only the second model contains the row.
            case onlyInSecond
            /// The values of these fields differ.
            case changed(fields: [String])
            /// The row has different positions in its section, counted from 0.
            case moved(first: Int, second: Int)
        }
        /// The name of the row's section.
        public var section: String
        /// The kind and id of the row.
        public var id: String
        /// A short description of the row; untrusted text.
        public var label: String?
        /// How the row differs between the models.
        public var difference: Difference
    }

    /// The number of the first record that differs between the files, whether or not it affects the models; the lower
    /// number, if the numbers differ. `nil` if all records are the same.
    public private(set) var recordsDiffer: Int?
    /// The record after which the models first differ; `nil` if they never do.
    public private(set) var modelsDiffer: (number: Int, stamp: Stamp)?
    /// The rows that differ after that record, section by section; 1000 at most.
    public private(set) var rows: [Row] = []
    /// The number of rows that differ, without a limit.
    public private(set) var rowCount = 0
    /// The number of records compared.
    public private(set) var records = 0

    private static let mostRows = 1000

    /// Plays both files until their models differ, or to the end.
    public init(_ first: String, _ second: String) throws(RecordingError) {
        let one = try Side(first)
        let other = try Side(second)
        while let number = [one.number, other.number].compactMap({ $0 }).min() {
            if one.number != other.number || !one.isSame(as: other) { recordsDiffer = recordsDiffer ?? number }
            let stamp = (one.number == number ? one.stamp : other.stamp) ?? Stamp(n: number, time: .zero, wall: 0)
            if one.number == number { try one.step() }
            if other.number == number { try other.step() }
            records += 1
            guard one.player.session.model.checksum != other.player.session.model.checksum else { continue }
            modelsDiffer = (number, stamp)
            compare(one.player.session.model, other.player.session.model)
            return
        }
    }

    private mutating func compare(_ first: SectionedCollection<Item>, _ second: SectionedCollection<Item>) {
        let keys = first.sectionKeys + second.sectionKeys.filter { first.sectionIndex(of: $0) == nil }
        for key in keys {
            let old = first.elements(in: key)
            let new = second.elements(in: key)
            if old == new { continue }
            let newPlaces = Dictionary(new.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { a, _ in a })
            let oldPlaces = Dictionary(old.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { a, _ in a })
            for (place, item) in old.enumerated() {
                guard let other = newPlaces[item.id] else {
                    add(key, item, .onlyInFirst)
                    continue
                }
                let fields = ItemFacts(new[other]).differences(from: ItemFacts(item)).map(\.key)
                if !fields.isEmpty {
                    add(key, item, .changed(fields: fields))
                } else if item != new[other] {
                    add(key, item, .changed(fields: ["sort key"]))
                } else if other != place, old.count == new.count {
                    add(key, item, .moved(first: place, second: other))
                }
            }
            for item in new where oldPlaces[item.id] == nil { add(key, item, .onlyInSecond) }
        }
    }

    private static func name(of id: Item.ID) -> String {
        "\(id.kind.rawValue) \(id.id)" + (id.qualifier.map { "/\($0)" } ?? "")
    }

    private mutating func add(_ key: Item.Section, _ item: Item, _ difference: Row.Difference) {
        rowCount += 1
        guard rows.count < Self.mostRows else { return }
        rows.append(
            Row(
                section: key.name + (key.parent.map { "/\($0)" } ?? ""), id: Self.name(of: item.id),
                label: ItemFacts(item).label, difference: difference))
    }
}

/// One of the two replays. All entries before the next numbered record are played.
private final class Side {
    private(set) var player: RecordPlayer
    private var reader: RecordingReader
    private var next: RecordingReader.Entry?

    init(_ path: String) throws(RecordingError) {
        let reader = try RecordingReader(opening: path)
        let configuration = try Configuration(of: reader.head, in: path)
        player = RecordPlayer(of: reader.head, configuration, keepsChecksum: true)
        self.reader = reader
        player.start()
        try look()
    }

    /// The stamp of the next record; `nil` after the last one.
    var stamp: Stamp? { if case .record(_, let stamp)? = next { stamp } else { nil } }

    /// The number of the next record; `nil` after the last one.
    var number: Int? { stamp?.n }

    /// Returns whether both sides have the same next record.
    func isSame(as other: Side) -> Bool {
        guard case .record(let mine, _)? = next, case .record(let others, _)? = other.next else { return false }
        if case .end = mine, case .end = others { return true }
        return mine == others
    }

    /// Plays the next record, and the unnumbered ones after it.
    func step() throws(RecordingError) {
        if let next { play(next) }
        try look()
    }

    private func look() throws(RecordingError) {
        next = nil
        while let entry = try reader.next() {
            if case .record(let record, _) = entry, !record.isUnnumbered {
                next = entry
                return
            }
            play(entry)
        }
    }

    private func play(_ entry: RecordingReader.Entry) {
        player.play(entry)
        player.reports.removeAll(keepingCapacity: true)
    }
}

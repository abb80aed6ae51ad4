import Testing
import WeirModel

/// A member of a club, with its country of residence.
struct Member: FaultableEntity {
    let id: Int
    var firstName: String
    var lastName: String
    var country: String
    var age = 30
    /// The heavy property, which a fault drops.
    var portrait: [UInt8]? = [1, 2, 3]
    var isFault = false

    init(_ id: Int, _ firstName: String, _ lastName: String, _ country: String, age: Int = 30) {
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.country = country
        self.age = age
    }

    var uniqueValue: Int { id }
    var fullName: String { firstName + " " + lastName }

    subscript(key: String) -> String? {
        switch key {
        case "country": country
        case "initial": String(lastName.prefix(1))
        default: nil
        }
    }

    /// A missing portrait in the update keeps the old one.
    mutating func update(with member: Member) {
        let portrait = member.portrait ?? self.portrait
        self = member
        self.portrait = portrait
    }

    mutating func fault() {
        portrait = nil
        isFault = true
    }

    mutating func fire() {
        portrait = [1, 2, 3]
        isFault = false
    }

    /// Compares what a list draws, which excludes the portrait.
    static func == (a: Member, b: Member) -> Bool {
        a.id == b.id && a.fullName == b.fullName && a.country == b.country && a.age == b.age
    }

    func feed(_ digest: inout ElementDigest) {
        digest.feed(id)
        for text in [firstName, lastName, country] { digest.feed(text) }
        digest.feed(age)
    }

    static let club = [
        Member(1, "Emma", "McGinty", "China"), Member(2, "Heloise", "Donnett", "Russia"),
        Member(3, "Sadye", "Allston", "Ukraine"), Member(4, "Jeri", "Hale", "Mauritius"),
        Member(5, "Osbourne", "Lattos", "Russia"), Member(6, "Davis", "Franek", "Nigeria"),
        Member(7, "Barty", "Holbarrow", "Senegal"), Member(8, "Gracie", "Benediktovich", "Ukraine"),
        Member(9, "Trula", "Salvidge", "China"), Member(10, "Alan", "Ovell", "Poland"),
    ]

    static let newcomer = Member(232, "Jhana", "Appleseed", "USA")

    /// Members outside the club, with the given ids.
    static func page(_ ids: Range<Int>) -> [Member] {
        let countries = ["China", "Peru", "Russia", "Togo"]
        return ids.map { Member($0, "First\($0 * 7 % 10)a", "Last\($0)", countries[$0 % countries.count]) }
    }
}

/// The eight settings in which ModelAssistant's cases run: with or without sections, filter and sorting.
struct Setting: Sendable, CustomTestStringConvertible {
    var isSectioned: Bool
    var isFiltered: Bool
    var isSorted: Bool

    static let all: [Setting] = [false, true].flatMap { sectioned in
        [false, true].flatMap { filtered in
            [false, true].map { Setting(isSectioned: sectioned, isFiltered: filtered, isSorted: $0) }
        }
    }

    var testDescription: String {
        [isSectioned ? "by country" : "flat", isFiltered ? "filtered" : "", isSorted ? "sorted" : ""]
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }

    func passes(_ member: Member) -> Bool { !isFiltered || member.fullName.contains("a") }

    var order: EntityOrder<Member> { isSorted ? .ascending(\.firstName) : .manual }

    var filter: (@Sendable (Member) -> Bool)? {
        guard isFiltered else { return nil }
        return { $0.fullName.contains("a") }
    }

    var model: EntityModel<Member> {
        EntityModel(
            sectionKey: isSectioned ? "country" : nil, sortedBy: order, filter: filter, keepsChecksum: true)
    }

    /// A model that contains the club, and a table that shows it.
    func stage(_ members: [Member] = Member.club) throws -> ModelStage {
        let stage = ModelStage(model)
        try stage.model.fetch(members)
        stage.table.reload(from: stage.model)
        return stage
    }
}

/// An observed model and its table.
final class ModelStage {
    let model: ObservedModel<Member>
    let table = TestTable<Member>()

    init(_ model: EntityModel<Member>) {
        self.model = ObservedModel(model)
        self.model.add(table)
        table.reload(from: self.model)
    }

    /// Fails the test unless the table, which only gets the callbacks, shows the model's contents.
    func checkTable(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(table.problems.isEmpty, comment, sourceLocation: sourceLocation)
        #expect(table.isIdle, comment, sourceLocation: sourceLocation)
        let shown = model.sections.map { TestTable<Member>.Section(name: $0.name, rows: $0.entities) }
        #expect(table.sections == shown, comment, sourceLocation: sourceLocation)
    }

    var lastPath: SectionPath {
        let section = model.numberOfSections - 1
        return SectionPath(section: section, item: model.numberOfEntities(at: section) - 1)
    }
}

func path(_ section: Int, _ item: Int) -> SectionPath { SectionPath(section: section, item: item) }

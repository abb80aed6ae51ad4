import Testing
@testable import WeirModel

/// Features that ModelAssistant promised and did not deliver.
@Suite struct MergingTests {
    @Test(arguments: Setting.all)
    func `An entity that is inserted again is merged and reported as an update`(setting: Setting) throws {
        let stage = try setting.stage()
        let old = try #require(stage.model[path(0, 0)])
        var newer = old
        newer.age = 31
        newer.portrait = nil
        try stage.model.insert(newer)
        let found = try #require(stage.model.entity(withUniqueValue: old.id))
        #expect(found.age == 31)
        #expect(found.portrait == [1, 2, 3], "the merge keeps what was not sent")
        #expect(stage.table.calls == ["row update"])
        stage.checkTable()
    }

    @Test func `An entity with a new section name moves there, and leaves no copy`() throws {
        let stage = try Setting(isSectioned: true, isFiltered: false, isSorted: false).stage()
        var emma = Member.club[0]
        emma.country = "Ukraine"
        let batch = try #require(try stage.model.insert(emma))
        #expect(batch.moves.count == 1)
        #expect(stage.model.numberOfEntities == 10)
        #expect(stage.model[try #require(stage.model.path(for: emma)).section]?.name == "Ukraine")
        #expect(stage.table.calls == ["row move"])
        stage.checkTable()
        try stage.model.update(emma) { $0.country = "Malta" }
        #expect(stage.table.calls == ["row delete", "section insert"])
        stage.checkTable()
    }

    @Test func `An update that changes the sort key moves the row`() throws {
        let stage = try Setting(isSectioned: false, isFiltered: false, isSorted: true).stage()
        try stage.model.update(at: path(0, 0)) { $0.firstName = "Zoe" }
        #expect(stage.model.entities.last?.firstName == "Zoe")
        #expect(stage.table.calls == ["row move"])
        stage.checkTable()
    }

    @Test func `An update that fails the filter removes the row, and one that passes restores it`() throws {
        let stage = try Setting(isSectioned: true, isFiltered: true, isSorted: false).stage()
        let count = stage.model.numberOfEntities
        try stage.model.update(withUniqueValue: 3) { ($0.firstName, $0.lastName) = ("Edy", "Ellston") }
        #expect(stage.model.numberOfEntities == count - 1)
        #expect(stage.model.pathForEntity(withUniqueValue: 3) == nil)
        #expect(stage.table.calls == ["row delete"])
        stage.checkTable()
        try stage.model.update(withUniqueValue: 3) { $0.firstName = "Sadye" }
        #expect(stage.model.numberOfEntities == count)
        #expect(stage.table.calls == ["row insert"])
        stage.checkTable()
    }

    @Test func `An update must not change the unique value`() throws {
        struct Tag: ModelEntity {
            var uniqueValue: Int
        }
        var model = EntityModel<Tag>()
        try model.insert(Tag(uniqueValue: 1))
        #expect(throws: ModelError.changedID) { try model.update(at: path(0, 0)) { $0.uniqueValue = 2 } }
        #expect(model.entities == [Tag(uniqueValue: 1)])
    }

    @Test func `Two entities with one id are an error in a fetch and a difference, and merge in an insert`() throws {
        var model = EntityModel<Member>()
        let twice = [Member.club[0], Member.club[1], Member.club[0]]
        #expect(throws: ModelError.duplicateID(at: 2)) { try model.fetch(twice) }
        #expect(throws: ModelError.duplicateID(at: 2)) { try model.apply(difference: twice) }
        #expect(model.isEmpty)
        try model.insert(twice)
        #expect(model.numberOfEntities == 2)
    }

    @Test func `A key without an order is refused, and the model stays unchanged`() throws {
        struct Sample: ModelEntity {
            var uniqueValue: Int
            var value: Double
        }
        var model = EntityModel<Sample>(sectionKey: nil, sortedBy: .ascending(\.value))
        try model.fetch([Sample(uniqueValue: 1, value: 1), Sample(uniqueValue: 2, value: -.infinity)])
        let before = model.entities
        #expect(throws: ModelError.unorderedKey) {
            try model.insert([Sample(uniqueValue: 3, value: 0), Sample(uniqueValue: 4, value: .nan)])
        }
        #expect(throws: ModelError.unorderedKey) { try model.update(at: path(0, 0)) { $0.value = .nan } }
        #expect(throws: ModelError.unorderedKey) {
            try model.sortEntities(by: .descending { $0.value == 1 ? .nan : $0.value })
        }
        #expect(model.entities == before)
        #expect(model.numberOfFetchedEntities == 2)
        #expect(try model.update(at: path(0, 0)) { $0.value = 2 }?.moves.count == 1, "the order is as before")
    }
}

@Suite struct DifferenceTests {
    @Test(arguments: Setting.all)
    func `A difference only in contents is an update`(setting: Setting) throws {
        let stage = try setting.stage()
        var members = Member.club
        for index in members.indices { members[index].age = 77 }
        let batch = try #require(try stage.model.apply(difference: members))
        #expect(batch.updates.count == stage.model.numberOfEntities)
        #expect(batch.moves.isEmpty && batch.insertions.isEmpty && batch.deletions.isEmpty)
        #expect(stage.table.calls == ["row update"])
        stage.checkTable()
        #expect(try stage.model.apply(difference: members) == nil)
    }

    @Test(arguments: Setting.all)
    func `A difference removes missing entities, inserts new ones, and keeps the array's order if unsorted`(
        setting: Setting
    ) throws {
        let stage = try setting.stage()
        let target = (Member.page(20..<24) + Member.club.dropFirst(2)).reversed().map { $0 }
        try stage.model.apply(difference: target)
        #expect(Set(stage.model.entities.map(\.id)) == Set(target.filter(setting.passes).map(\.id)))
        #expect(stage.model.numberOfFetchedEntities == target.count)
        for section in stage.model.sections where !setting.isSorted {
            let expected = target.filter { setting.passes($0) && (!setting.isSectioned || $0.country == section.name) }
            #expect(section.entities == expected)
        }
        #expect(stage.table.changes == 1)
        stage.checkTable()
    }

    @Test func `One entity at another position in the array is one move`() throws {
        var model = EntityModel<Member>()
        try model.fetch(Member.page(0..<100))
        var members = Member.page(0..<100)
        members.insert(members.remove(at: 80), at: 3)
        let batch = try #require(try model.apply(difference: members))
        #expect(batch.moves.map(\.from) == [path(0, 80)])
        #expect(batch.moves.map(\.to) == [path(0, 3)])
        #expect(batch.updates.isEmpty)
        #expect(model.entities == members)
    }

    @Test func `A difference can use a custom comparison`() throws {
        var model = EntityModel<Member>()
        try model.fetch(Member.club)
        let older = Member.club.map { member in
            var member = member
            member.age += 1
            return member
        }
        #expect(try model.applyingDifference(from: older) { $0.fullName == $1.fullName } == nil)
        #expect(model.entities.first?.age == 30)
    }
}

@Suite struct ManualOrderTests {
    private struct Item: ModelEntity {
        var uniqueValue: Int
        var section = "a"
        subscript(key: String) -> String? { section }
    }

    private func items(_ ids: some Sequence<Int>) -> [Item] { ids.map { Item(uniqueValue: $0) } }

    /// Each row is inserted between the same two: the labels there are used up after twenty, and
    /// some neighbours are renumbered.
    @Test(arguments: [0, 1, 500, 999, 1000])
    func `Thousands of rows can be inserted at one position`(place: Int) throws {
        var model = EntityModel<Item>()
        var expected = Array(0..<1000)
        try model.fetch(items(expected))
        var records = 0
        for id in 1000..<3000 {
            expected.insert(id, at: place)
            let batch = try #require(try model.insert(Item(uniqueValue: id), at: path(0, place)))
            records += batch.insertions.count + batch.updates.count
            #expect(batch.moves.isEmpty)
        }
        #expect(model.entities.map(\.uniqueValue) == expected)
        #expect(records < 2000 * 20, "\(records) records for 2000 rows")
    }

    @Test func `Rows whose neighbours were renumbered are unchanged and not reported`() throws {
        let stage = ManualStage()
        for id in 0..<400 {
            try stage.model.insert(Item(uniqueValue: id), at: path(0, min(id, 1)))
            if id > 0 { #expect(stage.table.calls == ["row insert"]) }
        }
        #expect(stage.table.sections.first?.rows == stage.model.entities)
        #expect(stage.table.problems.isEmpty)
    }

    private struct ManualStage {
        let model = ObservedModel(EntityModel<Item>())
        let table = TestTable<Item>()
        init() { model.add(table) }
    }

    @Test func `A section can be sorted once, and new rows still come last`() throws {
        var model = EntityModel<Item>()
        try model.fetch(items([3, 1, 2]))
        let batch = try #require(try model.sortEntities(atSection: 0, by: .ascending(\.uniqueValue)))
        #expect(model.entities.map(\.uniqueValue) == [1, 2, 3])
        #expect(batch.moves.count == 1)
        try model.insert(Item(uniqueValue: 0))
        #expect(model.entities.map(\.uniqueValue) == [1, 2, 3, 0])
        try model.sortEntities(by: .descending(\.uniqueValue))
        #expect(model.entities.map(\.uniqueValue) == [3, 2, 1, 0])
        #expect(try model.sortEntities(by: .manual)?.moves.isEmpty ?? true, "they stay as they stand")
        try model.insert(Item(uniqueValue: 7))
        #expect(model.entities.map(\.uniqueValue) == [3, 2, 1, 0, 7])
    }

    @Test func `A row moved into another section stays there until its entity names a different one`() throws {
        var model = EntityModel<Item>(sectionKey: "any")
        try model.fetch([Item(uniqueValue: 1), Item(uniqueValue: 2), Item(uniqueValue: 3, section: "b")])
        try model.move(at: path(0, 0), to: path(1, 0))
        #expect(model.section(at: 1)?.entities.map(\.uniqueValue) == [1, 3])
        try model.insert(Item(uniqueValue: 1))
        #expect(model.section(at: 1)?.entities.map(\.uniqueValue) == [1, 3])
        try model.update(withUniqueValue: 1) { $0.section = "c" }
        #expect(model.sections.map(\.name) == ["a", "b", "c"])
        try model.move(at: path(2, 0), to: path(0, 1))
        #expect(model.sections.map(\.name) == ["a", "b"], "a section goes with its last row")
        try model.groupEntities(bySectionKey: "any")
        #expect(model.sections.map(\.name) == ["a", "b", "c"])
    }

    /// Labels are finite; rows after the last label are ordered by id.
    @Test func `Labels at the end of the integer range break nothing`() throws {
        var model = EntityModel<Item>()
        model.nextLabel = .max - OrderLabels.stride
        try model.fetch(items([5, 4, 3, 2, 1]))
        #expect(model.entities.map(\.uniqueValue) == [5, 1, 2, 3, 4])
        try model.insert(Item(uniqueValue: 9), at: path(0, 2))
        #expect(model.entities.map(\.uniqueValue) == [5, 1, 9, 2, 3, 4])
    }
}

@Suite struct ComparisonOrderTests {
    @Test func `An order by comparison is stable`() throws {
        var model = EntityModel<Member>(sectionKey: nil, sortedBy: .comparing { $0.age < $1.age })
        var members = Member.page(0..<50)
        for index in members.indices { members[index].age = members[index].id % 3 }
        try model.fetch(members)
        #expect(model.entities == members.sorted { $0.age < $1.age })
        let batch = try #require(try model.update(at: path(0, 20)) { $0.lastName = "X" })
        #expect(batch.moves.isEmpty, "its place among its equals is as good as any")
    }

    @Test func `A row that is hidden while its neighbours are renumbered is not shown again`() throws {
        var model = EntityModel<Member>(
            sectionKey: nil, sortedBy: .comparing { $0.age < $1.age }, filter: { $0.country != "hidden" })
        try model.insert(Member(1000, "A", "A", "Chad", age: -1000))
        for id in 1...200 {
            try model.insert([
                Member(id, "A", "A", "Chad", age: -id), Member(id - 5, "A", "A", "hidden", age: 5 - id),
            ])
            #expect(model.numberOfEntities == min(id, 5) + 1)
            #expect(model.pathForEntity(withUniqueValue: id - 5) == nil)
        }
    }

    @Test func `A comparison that is not an ordering yields only an odd order`() throws {
        let wrong: [EntityOrder<Member>] = [
            .comparing { _, _ in true }, .comparing { $0.age <= $1.age }, .comparing { ($0.id + $1.age) % 3 == 0 },
        ]
        for order in wrong {
            let stage = ModelStage(EntityModel(sectionKey: "country", sortedBy: order))
            for id in 0..<60 {
                try stage.model.insert(Member.page(id..<id + 3))
                try stage.model.update(at: path(0, 0)) { $0.age = id }
                if id % 4 == 0 { try stage.model.remove(withUniqueValue: id) }
            }
            #expect(stage.model.numberOfEntities == 60 + 2 - 15)
            stage.checkTable()
        }
    }
}

@Suite struct SectionOrderTests {
    @Test func `Sections ordered by size move when their size changes, in the same batch`() throws {
        var model = EntityModel<Member>(
            sectionKey: "country", sortedBy: .ascending(\.id), sectionsSortedBy: .descending(\.numberOfEntities))
        try model.fetch(Member.club)
        #expect(model.sections.map(\.numberOfEntities) == [2, 2, 2, 1, 1, 1, 1])
        let poland = try #require(model.indexOfSection(withSectionName: "Poland"))
        let batch = try #require(
            try model.insert([Member(70, "A", "B", "Poland"), Member(71, "A", "B", "Poland")]))
        #expect(model[0]?.name == "Poland")
        #expect(batch.sectionMoves.map(\.from) == [poland])
        #expect(batch.sectionMoves.map(\.to) == [0])
        #expect(batch.insertions.map(\.path) == [path(0, 1), path(0, 2)])
    }

    @Test func `A section that reappears is a new one and the last`() throws {
        var model = EntityModel<Member>(sectionKey: "country")
        try model.fetch(Member.club)
        #expect(model[0]?.name == "China")
        try model.removeSection(at: 0)
        try model.insert(Member.club[0])
        #expect(model.sections.last?.name == "China")
        model.sortSections(by: .name)
        try model.removeSection(at: 0)
        try model.insert(Member.club[0])
        #expect(model.sections.map(\.name) == model.sections.map(\.name).sorted())
    }
}

@Suite struct PerformTests {
    @Test(arguments: Setting.all)
    func `Any number of operations are one batch`(setting: Setting) throws {
        let stage = try setting.stage()
        try stage.model.perform { model throws(ModelError) in
            #expect(try model.insert(Member.page(20..<30)) == nil)
            try model.remove(at: path(0, 0))
            try model.move(at: path(0, 0), to: path(0, 0))
            try model.update(withUniqueValue: 25) { $0.age = 1 }
            try model.remove(withUniqueValue: 26)
            try model.sortEntities(by: .descending(\.firstName))
            model.sortSections(by: .descending(\.name))
        }
        #expect(stage.table.changes == 1)
        stage.checkTable()
    }

    @Test func `An operation undone within a transaction is not in the batch`() throws {
        var model = EntityModel<Member>(sectionKey: "country")
        try model.fetch(Member.club)
        let batch = try model.perform { model throws(ModelError) in
            try model.insert(Member.newcomer)
            try model.update(at: path(0, 0)) { $0.age = 5 }
            try model.update(at: path(0, 0)) { $0.age = 30 }
            try model.remove(Member.newcomer)
        }
        #expect(batch == nil)
    }

    @Test(arguments: Setting.all)
    func `A transaction that throws changes nothing`(setting: Setting) throws {
        let stage = try setting.stage()
        let before = stage.model.snapshot
        #expect(throws: ModelError.unknownID) {
            try stage.model.perform { model throws(ModelError) in
                try model.insert(Member.page(20..<30))
                try model.filterEntities(by: nil)
                try model.sortEntities(by: .descending(\.age))
                _ = try model.perform { model throws(ModelError) in try model.remove(at: path(0, 0)) }
                try model.remove(Member.newcomer)
            }
        }
        #expect(stage.model.entities == before.entities)
        #expect(stage.model.numberOfFetchedEntities == 10)
        #expect(stage.table.changes == 0)
        try stage.model.insert(Member.newcomer)
        stage.checkTable()
    }
}

@Suite struct FaultTests {
    @Test func `Heavy properties can be dropped and restored without changing rows or notifying observers`() throws {
        let stage = try Setting(isSectioned: true, isFiltered: false, isSorted: true).stage()
        let before = stage.model.entities
        let batch = try #require(try stage.model.fault(at: 0, in: 0..<2))
        #expect(batch.updates.count == 2, "it is a change of the state all the same")
        #expect(stage.model[0]?.entities.allSatisfy { $0.isFault && $0.portrait == nil } == true)
        #expect(try stage.model.fault(at: 0, in: 0..<1) == nil)
        #expect(stage.model[path(1, 0)]?.isFault == false)
        try stage.model.fire(at: 0, in: 1..<2)
        #expect(stage.model[path(0, 0)]?.portrait == nil)
        #expect(stage.model[path(0, 1)]?.portrait == [1, 2, 3])
        #expect(stage.model.entities == before)
        #expect(stage.table.changes == 0)
        #expect(throws: ModelError.noElement(path(0, 2))) { try stage.model.fire(at: 0, in: 0..<3) }
        #expect(stage.model[path(0, 0)]?.isFault == true, "nothing was fired")
    }
}

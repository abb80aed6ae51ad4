import Testing
import WeirModel

/// ModelAssistant's own test cases in all its settings, with the guarantees of its documentation. `stage.checkTable()`
/// replaces its table of counts: will and did callbacks are balanced, and the rows follow from the callbacks alone.
@Suite struct ModelAssistantCases {
    // MARK: - Looking up

    @Test(arguments: Setting.all)
    func `An entity is found at one path by its unique value and by any copy`(setting: Setting) throws {
        let stage = try setting.stage()
        for member in Member.club where setting.passes(member) {
            let path = try #require(stage.model.pathForEntity(withUniqueValue: member.id))
            #expect(stage.model.path(for: member) == path)
            #expect(stage.model[path] == member)
            var changed = member
            changed.lastName = "Other"
            #expect(stage.model.path(for: changed) == path)
        }
        #expect(stage.model.pathForEntity(withUniqueValue: 99) == nil)
        #expect(stage.model.entity(withUniqueValue: 99) == nil)
    }

    @Test(arguments: Setting.all)
    func `An entity that fails the filter is known but has no path`(setting: Setting) throws {
        let stage = try setting.stage()
        for member in Member.club where !setting.passes(member) {
            #expect(stage.model.entity(withUniqueValue: member.id) == member)
            #expect(stage.model.path(for: member) == nil)
        }
    }

    @Test(arguments: Setting.all)
    func `After a fetch the sections contain the entities of the array, filtered and sorted`(
        setting: Setting
    ) throws {
        let stage = try setting.stage()
        var members = Member.club.filter(setting.passes)
        if setting.isSorted { members.sort { $0.firstName < $1.firstName } }
        var names: [String] = []
        for member in Member.club where setting.passes(member) {
            let name = setting.isSectioned ? member.country : ""
            if !names.contains(name) { names.append(name) }
        }
        #expect(stage.model.sections.map(\.name) == names)
        for (index, name) in names.enumerated() {
            let section = try #require(stage.model[index])
            #expect(section.entities == members.filter { !setting.isSectioned || $0.country == name })
            #expect(section.numberOfEntities == section.entities.count)
            #expect(stage.model.indexOfSection(withSectionName: name) == index)
            #expect(stage.model.index(of: section) == index)
        }
        #expect(stage.model[names.count] == nil)
        #expect(stage.model.indexOfSection(withSectionName: "Nowhere") == nil)
    }

    @Test(arguments: Setting.all)
    func `Counts exist for the entities that pass the filter and for all known ones`(setting: Setting) throws {
        let stage = try setting.stage()
        #expect(stage.model.numberOfEntities == Member.club.filter(setting.passes).count)
        #expect(stage.model.numberOfFetchedEntities == Member.club.count)
        let counts = (0..<stage.model.numberOfSections).map { stage.model.numberOfEntities(at: $0) }
        #expect(counts.reduce(0, +) == stage.model.numberOfEntities)
        #expect(stage.model.numberOfEntities(at: 99) == 0)
        #expect(!stage.model.isEmpty)
    }

    @Test func `Entities are compared by contents, sections by name`() throws {
        var other = Member.club[0]
        other.firstName = "Emilia"
        #expect(other != Member.club[0])
        let stage = try Setting(isSectioned: true, isFiltered: false, isSorted: false).stage()
        let before = try #require(stage.model[0])
        try stage.model.insert(Member(50, "Fang", "Wu", "China"))
        #expect(stage.model[0] == before)
        #expect(before.numberOfEntities + 1 == stage.model[0]?.numberOfEntities)
    }

    @Test(arguments: Setting.all)
    func `All entities are available in any order, and those of a section through a filter`(setting: Setting) throws {
        let stage = try setting.stage()
        let passing = Member.club.filter(setting.passes)
        #expect(stage.model.entities(sortedBy: .ascending(\.id)) == passing)
        #expect(stage.model.entities(sortedBy: .descending(\.id)) == passing.reversed())
        #expect(Set(stage.model.entities.map(\.id)) == Set(passing.map(\.id)))
        let wanted = stage.model.filteredEntities { $0.id < 5 }
        #expect(wanted.map(\.id).sorted() == passing.map(\.id).filter { $0 < 5 })
        for section in 0..<stage.model.numberOfSections {
            let rows = try #require(stage.model[section]).entities
            #expect(stage.model.filteredEntities(atSection: section) { $0.id > 4 } == rows.filter { $0.id > 4 })
        }
        #expect(stage.model.filteredEntities(atSection: 99) { _ in true }.isEmpty)
    }

    // MARK: - Sorting

    @Test(arguments: Setting.all)
    func `Sorting the entities is one change, which moves as few rows as possible`(setting: Setting) throws {
        let stage = try setting.stage()
        let batch = try stage.model.sortEntities(by: .ascending(\.lastName))
        for section in stage.model.sections {
            #expect(section.entities == section.entities.sorted { $0.lastName < $1.lastName })
        }
        #expect(batch != nil)
        #expect(batch?.deletions.isEmpty == true && batch?.insertions.isEmpty == true)
        stage.checkTable()
        #expect(stage.table.changes <= 1)
        #expect(try stage.model.sortEntities(by: .ascending(\.lastName)) == nil)
    }

    @Test(arguments: Setting.all)
    func `Sorting the sections is one change that moves only sections`(setting: Setting) throws {
        let stage = try setting.stage()
        let batch = stage.model.sortSections(by: .descending(\.name))
        let names = stage.model.sections.map(\.name)
        #expect(names == names.sorted(by: >))
        #expect(batch.map { $0.moves.isEmpty && $0.updates.isEmpty && $0.insertions.isEmpty } ?? true)
        stage.checkTable()
        #expect(stage.table.changes == (setting.isSectioned ? 1 : 0))
        stage.model.sortSections(by: .name)
        #expect(stage.model.sections.map(\.name) == names.sorted())
        stage.checkTable()
    }

    // MARK: - Inserting

    @Test(arguments: Setting.all)
    func `Inserting existing entities changes and reports nothing`(setting: Setting) throws {
        let stage = try setting.stage()
        let before = stage.model.entities
        #expect(try stage.model.insert(Member.club) == nil)
        #expect(stage.model.entities == before)
        #expect(stage.model.numberOfFetchedEntities == Member.club.count)
        #expect(stage.table.changes == 0)
    }

    @Test(arguments: Setting.all)
    func `Inserting new entities adds them in one change`(setting: Setting) throws {
        let stage = try setting.stage()
        let others = Member.page(20..<40)
        let count = stage.model.numberOfEntities
        let batch = try #require(try stage.model.insert(others))
        #expect(stage.model.numberOfEntities == count + others.filter(setting.passes).count)
        #expect(stage.model.numberOfFetchedEntities == Member.club.count + others.count)
        #expect(batch.insertions.count == others.filter(setting.passes).count)
        #expect(stage.table.changes == 1)
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `An entity inserted first is the first`(setting: Setting) throws {
        let stage = try setting.stage()
        try stage.model.insert(Member.newcomer, at: path(0, 0))
        let found = try #require(stage.model.path(for: Member.newcomer))
        #expect(found.section == 0)
        if !setting.isSorted { #expect(found == path(0, 0)) }
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `An entity inserted last is the last`(setting: Setting) throws {
        let stage = try setting.stage()
        let section = stage.model.numberOfSections - 1
        let end = path(section, stage.model.numberOfEntities(at: section))
        try stage.model.insert(Member.newcomer, at: end)
        if !setting.isSorted { #expect(stage.model.path(for: Member.newcomer) == end) }
        #expect(stage.model.path(for: Member.newcomer)?.section == section)
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `An entity inserted after the last section goes to its own, possibly new section`(setting: Setting) throws {
        let stage = try setting.stage()
        let target = path(stage.model.numberOfSections, 0)
        guard setting.isSectioned else {
            #expect(throws: ModelError.noSection(1)) { try stage.model.insert(Member.newcomer, at: target) }
            return
        }
        try stage.model.insert(Member.newcomer, at: target)
        #expect(stage.model.path(for: Member.newcomer) == target)
        #expect(stage.model.section(at: target.section)?.name == "USA")
        let other = Member(51, "Anna", "Bo", "Russia")
        let next = path(stage.model.numberOfSections, 0)
        #expect(throws: ModelError.noSection(next.section)) { try stage.model.insert(other, at: next) }
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `An entity inserted between others is at that position`(setting: Setting) throws {
        let stage = try setting.stage()
        for section in 0..<stage.model.numberOfSections {
            for item in 0...stage.model.numberOfEntities(at: section) {
                let member = Member(100 + section * 20 + item, "Anna", "Bo", "Chad")
                try stage.model.insert(member, at: path(section, item))
                let found = try #require(stage.model.path(for: member))
                #expect(found.section == section)
                if !setting.isSorted { #expect(found == path(section, item)) }
                stage.checkTable()
            }
        }
    }

    @Test(arguments: Setting.all)
    func `An invalid path is an error and changes nothing`(setting: Setting) throws {
        let stage = try setting.stage()
        let before = stage.model.entities
        let end = stage.model.numberOfEntities(at: 0)
        for wrong in [path(0, end + 1), path(0, -1)] {
            #expect(throws: ModelError.noElement(wrong)) { try stage.model.insert(Member.newcomer, at: wrong) }
        }
        for section in [-1, stage.model.numberOfSections + 1] {
            let wrong = path(section, 0)
            #expect(throws: ModelError.noSection(section)) { try stage.model.insert(Member.newcomer, at: wrong) }
            #expect(throws: ModelError.noElement(wrong)) { try stage.model.remove(at: wrong) }
            #expect(throws: ModelError.noElement(wrong)) { try stage.model.move(at: wrong, to: path(0, 0)) }
            #expect(throws: ModelError.noSection(section)) { try stage.model.move(at: path(0, 0), to: wrong) }
            #expect(throws: ModelError.noElement(wrong)) { try stage.model.update(at: wrong) { $0.age = 1 } }
            #expect(throws: ModelError.noSection(section)) { try stage.model.removeSection(at: section) }
            #expect(throws: ModelError.noSection(section)) { try stage.model.fault(at: section, in: 0..<1) }
            #expect(stage.model.entity(at: wrong) == nil)
            #expect(stage.model.section(at: section) == nil)
        }
        #expect(throws: ModelError.noElement(path(0, 99))) { try stage.model.remove(at: [path(0, 0), path(0, 99)]) }
        #expect(stage.model.entities == before)
        #expect(stage.table.changes == 0)
    }

    // MARK: - Moving

    @Test(arguments: Setting.all)
    func `An entity moved from first to last is the last of the last section`(setting: Setting) throws {
        let stage = try setting.stage()
        let member = try #require(stage.model[path(0, 0)])
        let last = stage.model.numberOfSections - 1
        let target = path(last, stage.model.numberOfEntities(at: last) - (last == 0 ? 1 : 0))
        let name = stage.model[last]?.name
        try stage.model.move(at: path(0, 0), to: target)
        let found = try #require(stage.model.path(for: member))
        #expect(stage.model[found.section]?.name == name)
        #expect(found.section == stage.model.numberOfSections - 1)
        if !setting.isSorted { #expect(found == stage.lastPath) }
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `A user-driven move is not reported, and the next change fits the table after it`(setting: Setting) throws {
        let stage = try setting.stage()
        let member = try #require(stage.model[path(0, 0)])
        let last = stage.model.numberOfSections - 1
        try stage.model.move(at: path(0, 0), to: path(last, 0), isUserDriven: true)
        #expect(stage.table.changes == 0)
        stage.table.reload(from: stage.model)
        try stage.model.update(member) { $0.lastName = "Aaa" }
        #expect(stage.table.changes == 1)
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `Every move of every row leads to the correct position`(setting: Setting) throws {
        for section in 0..<3 where setting.isSectioned || section == 0 {
            for item in 0..<4 {
                let stage = try setting.stage(Member.club + Member.page(20..<32))
                let from = path(section, min(item, stage.model.numberOfEntities(at: section) - 1))
                let member = try #require(stage.model[from])
                for target in 0..<stage.model.numberOfSections {
                    guard let now = stage.model.path(for: member) else { continue }
                    let name = stage.model[target]?.name
                    let others = stage.model.numberOfEntities(at: target) - (now.section == target ? 1 : 0)
                    if others == 0 { continue }
                    try stage.model.move(at: now, to: path(target, others / 2))
                    let found = try #require(stage.model.path(for: member))
                    #expect(stage.model[found.section]?.name == name)
                    if !setting.isSorted { #expect(found.item == others / 2) }
                    stage.checkTable()
                }
            }
        }
    }

    // MARK: - Updating

    @Test(arguments: Setting.all)
    func `An update at a path changes the entity and is reported with its old position`(setting: Setting) throws {
        let stage = try setting.stage()
        for section in 0..<stage.model.numberOfSections {
            let old = try #require(stage.model[path(section, 0)])
            try stage.model.update(at: path(section, 0)) { $0.age += 1 }
            #expect(stage.model[path(section, 0)]?.age == old.age + 1)
            #expect(stage.table.calls == ["row update"])
            stage.checkTable()
        }
    }

    @Test(arguments: Setting.all)
    func `An update of an entity finds it wherever it has moved`(setting: Setting) throws {
        let stage = try setting.stage()
        let member = try #require(stage.model[stage.lastPath])
        try stage.model.update(member) { $0.age = 1 }
        try stage.model.update(member) { $0.lastName += "a" }
        let found = try #require(stage.model.entity(withUniqueValue: member.id))
        #expect(found.age == 1)
        #expect(found.lastName == member.lastName + "a")
        #expect(throws: ModelError.unknownID) { try stage.model.update(Member.newcomer) { $0.age = 1 } }
        stage.checkTable()
    }

    // MARK: - Removing

    @Test(arguments: Setting.all)
    func `An entity removed by path is gone`(setting: Setting) throws {
        let stage = try setting.stage()
        let member = try #require(stage.model[path(0, 0)])
        let batch = try #require(try stage.model.remove(at: path(0, 0)))
        #expect(batch.deletions.map(\.element.entity) == [member])
        #expect(stage.model.path(for: member) == nil)
        #expect(stage.model.numberOfFetchedEntities == Member.club.count - 1)
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `A section disappears with its last entity`(setting: Setting) throws {
        let stage = try setting.stage()
        let section = try #require(stage.model[0])
        for left in stride(from: section.numberOfEntities, to: 0, by: -1) {
            #expect(stage.model[0]?.numberOfEntities == left)
            try stage.model.remove(at: path(0, 0))
            stage.checkTable()
        }
        #expect(stage.table.calls == ["section delete"])
        #expect(stage.model.index(of: section) == nil)
        #expect(section.numberOfEntities == section.entities.count, "what is kept stays as it was")
    }

    @Test(arguments: Setting.all)
    func `An entity that is removed is gone, and removing an unknown one is an error`(setting: Setting) throws {
        let stage = try setting.stage()
        for member in Member.club {
            try stage.model.remove(member)
            #expect(stage.model.entity(withUniqueValue: member.id) == nil)
            #expect(throws: ModelError.unknownID) { try stage.model.remove(member) }
            stage.checkTable()
        }
        #expect(stage.model.isEmpty)
        #expect(stage.model.numberOfSections == 0)
    }

    @Test(arguments: Setting.all)
    func `Several entities are removed in one change, by path or by entity`(setting: Setting) throws {
        let stage = try setting.stage()
        let last = stage.lastPath
        let members = [path(0, 0), last].compactMap { stage.model[$0] }
        try stage.model.remove(at: [path(0, 0), last, path(0, 0)])
        #expect(stage.table.changes == 1)
        for member in members { #expect(stage.model.path(for: member) == nil) }
        stage.checkTable()
        let rest = stage.model.entities
        #expect(throws: ModelError.unknownID) { try stage.model.remove(rest + [Member.newcomer]) }
        #expect(stage.model.entities == rest)
        try stage.model.remove(rest)
        #expect(stage.model.isEmpty)
        #expect(stage.table.changes == 2)
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `Removing a section removes its entities`(setting: Setting) throws {
        let stage = try setting.stage()
        let section = try #require(stage.model[0])
        try stage.model.removeSection(at: 0)
        for member in section.entities { #expect(stage.model.entity(withUniqueValue: member.id) == nil) }
        #expect(stage.table.calls == ["section delete"])
        stage.checkTable()
        try stage.model.removeSections(at: Array(0..<stage.model.numberOfSections))
        #expect(stage.model.isEmpty)
        stage.checkTable()
    }

    @Test(arguments: Setting.all)
    func `Removing all entities is reported`(setting: Setting) throws {
        let stage = try setting.stage()
        stage.model.removeAll()
        #expect(stage.model.isEmpty)
        #expect(stage.model.numberOfSections == 0)
        #expect(stage.model.numberOfFetchedEntities == 0)
        #expect(stage.table.calls == ["section delete"])
        stage.checkTable()
        #expect(stage.model.removeAll() == nil)
        #expect(stage.table.changes == 1)
    }
}

import Testing
import WeirModel

@Suite struct SectionTitleTests {
    private func model(_ members: [Member]) throws -> EntityModel<Member> {
        var model = EntityModel<Member>(
            sectionKey: "country", sortedBy: .ascending(\.firstName), sectionsSortedBy: .name)
        try model.fetch(members)
        return model
    }

    @Test func `A title is the upper-case first character of the name, and an empty name has none`() throws {
        let model = try model(Member.club)
        #expect(model.sectionIndexTitle(forSectionName: "russia") == "R")
        #expect(model.sectionIndexTitle(forSectionName: "") == nil)
        #expect(model.sectionIndexTitle(forSectionName: "ß") == "SS")
        #expect(model.sections.map(\.indexTitle) == ["C", "M", "N", "P", "R", "S", "U"])
    }

    @Test func `Each title occurs once, and leads to the first of its sections`() throws {
        let model = try model(Member.club + [Member(60, "Idris", "Deby", "Chad"), Member(61, "Pia", "Ron", "Palau")])
        #expect(model.sectionIndexTitles == ["C", "M", "N", "P", "R", "S", "U"])
        for (index, title) in model.sectionIndexTitles.enumerated() {
            let section = try model.section(forSectionIndexTitle: title, at: index)
            #expect(model[section]?.indexTitle == title)
            #expect(section == 0 || model[section - 1]?.indexTitle != title)
        }
    }

    @Test func `A title with a wrong index is an error`() throws {
        let model = try model(Member.club)
        #expect(throws: ModelError.noSection(1)) { try model.section(forSectionIndexTitle: "C", at: 1) }
        #expect(throws: ModelError.noSection(99)) { try model.section(forSectionIndexTitle: "C", at: 99) }
        #expect(throws: ModelError.noSection(-1)) { try model.section(forSectionIndexTitle: "X", at: -1) }
    }

    @Test func `Titles can be customised`() throws {
        var model = try model(Member.club)
        model.sectionIndexTitle = { $0.count > 5 ? "long" : nil }
        #expect(model.sectionIndexTitles == ["long"])
        #expect(try model.section(forSectionIndexTitle: "long", at: 0) == 1)
    }
}

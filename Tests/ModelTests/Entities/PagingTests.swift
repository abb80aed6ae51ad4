import Testing
import WeirModel

@Suite struct PagingTests {
    @Test(arguments: Setting.all)
    func `The next page is the one after the last full one`(setting: Setting) throws {
        var model = setting.model
        model.fetchBatchSize = 5
        #expect(model.lastFetchIndex == nil)
        #expect(model.nextFetchIndex == 0)
        let pages = [Member.page(0..<5), Member.page(5..<10), Member.page(10..<15), Member.page(15..<17)]
        for (index, page) in pages.enumerated() {
            #expect(model.nextFetchIndex == index)
            try model.insert(page)
            #expect(model.lastFetchIndex == index)
            #expect(model.numberOfFetchedEntities == page.count + index * 5)
        }
        #expect(model.nextFetchIndex == 3, "a page that is not full is fetched again")
        try model.insert(Member.page(15..<17))
        #expect(model.nextFetchIndex == 3)
        try model.insert(Member.page(15..<20))
        #expect(model.nextFetchIndex == 4)
    }

    /// Every way to lose entities must be counted.
    @Test(arguments: Setting.all)
    func `Pages are counted by the known entities, however some were removed`(setting: Setting) throws {
        var model = setting.model
        model.fetchBatchSize = 4
        let members = Member.page(0..<40)
        try model.fetch(members)
        func check() {
            #expect(
                model.numberOfFetchedEntities == members.filter { model.entity(withUniqueValue: $0.id) != nil }.count)
            #expect(model.nextFetchIndex == model.numberOfFetchedEntities / 4)
            #expect(model.lastFetchIndex == (model.numberOfFetchedEntities + 3) / 4 - 1)
        }
        check()
        try model.remove(at: path(0, 0))
        check()
        try model.remove(at: [path(0, 0), path(0, 1)])
        check()
        try model.remove(Array(model.entities.prefix(3)))
        check()
        try model.apply(difference: Array(members[10...]))
        #expect(model.numberOfFetchedEntities == 30)
        check()
        try model.removeSection(at: 0)
        if !model.isEmpty { check() }
        model.removeAll()
        #expect(model.nextFetchIndex == 0)
        #expect(model.lastFetchIndex == nil)
    }

    @Test func `Without a page size there are no pages`() throws {
        var model = EntityModel<Member>()
        model.fetchBatchSize = 0
        try model.fetch(Member.club)
        #expect(model.nextFetchIndex == 0)
        #expect(model.lastFetchIndex == nil)
    }
}

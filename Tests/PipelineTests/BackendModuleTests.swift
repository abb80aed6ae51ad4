import Testing

@testable import WeirPipeline

@Suite struct `The registry of backends` {
    @Test(arguments: BackendModule.all.map(\.name))
    func `every backend produces exactly the event kinds that its guide explains, each once`(_ name: String) throws {
        let module = try #require(BackendModule.all.first { $0.name == name })
        #expect(Set(module.eventKinds).count == module.eventKinds.count)
        guard let guide = module.guide else { return }
        #expect(Set(guide.kinds().map(\.kind)) == Set(module.eventKinds))
    }

    @Test func `every backend and every row type has a unique name`() {
        #expect(Set(BackendModule.all.map(\.name)).count == BackendModule.all.count)
        #expect(BackendModule.entityTypes.count == 2 + BackendModule.all.map(\.entities.count).reduce(0, +))
        for module in BackendModule.all {
            for type in module.entities { #expect(type.typeName.hasPrefix(module.name + ".")) }
        }
    }

    @Test func `a configuration finds everything it needs from a backend by name`() {
        for kind in Configuration.BackendKind.allCases {
            #expect(Configuration.BackendKind(rawValue: kind.rawValue) == kind)
            #expect(kind.usualPath.hasPrefix("/"))
        }
        #expect(Configuration.BackendKind(rawValue: "slack") == nil)
        #expect(Configuration.BackendKind.groupme.serviceHost(for: "push.groupme.com") == "api.groupme.com")
        #expect(Configuration.BackendKind.twake.serviceHost(for: "push.groupme.com") == "push.groupme.com")
    }
}

import Testing
import TestSupport
import WeirEvents
import WeirModel
import WeirPipeline
import WeirStore

@Suite struct RoundTripTests {
    @Test func `kept data is remembered when the store is opened again`() throws {
        let items = [
            Sample.badge("message-1", of: "channel-1"), Sample.channel("channel-1"),
            Sample.message(1, "one\n\u{1B}[31m\""),
            Sample.message(2, ""),
        ]
        let (model, _) = try Sample.model(items)
        let path = try withStore { store, path in
            #expect(store.opening == .created)
            store.keep(
                [
                    .model(model.snapshot), .room(name: "/b", source: "list"), .room(name: "/a", source: "ctl"),
                    .checkpoint(resource: "GET /channels", at: 77), .note(.globals, "workspace"),
                    .note(.draft(channel: "channel-1", thread: nil), "half a sen"),
                    .note(.draft(channel: "channel-1", thread: "message-1"), "tence"),
                    .note(.readMarker(channel: "channel-1"), "1234"), .enqueue(id: "first", entry: Array("{}".utf8)),
                    .enqueue(id: "second", entry: []),
                ], of: Sample.scope, at: 99)
            return path
        }
        let remembered = try #require(try reopened(path))
        #expect(remembered.scope == Sample.scope)
        #expect(remembered.lastUsed == 99)
        #expect(remembered.rows == 4)
        #expect(remembered.items == items)
        #expect(remembered.rooms.map(\.name) == ["/b", "/a"])
        #expect(remembered.rooms.map(\.source) == ["list", "ctl"])
        #expect(remembered.checkpoints.map(\.resource) == ["GET /channels"])
        #expect(remembered.checkpoints.map(\.at) == [77])
        #expect(
            remembered.notes == [
                .globals: "workspace", .draft(channel: "channel-1", thread: nil): "half a sen",
                .draft(channel: "channel-1", thread: "message-1"): "tence", .readMarker(channel: "channel-1"): "1234",
            ])
        #expect(remembered.outbox.map(\.id) == ["first", "second"])
        #expect(remembered.outbox.map(\.entry) == [Array("{}".utf8), []])
    }

    @Test func `batches yield the same rows as the model they changed`() throws {
        var (model, batch) = try Sample.model((1...50).map { Sample.message($0) })
        let path = try withStore { store, path in
            store.keep([.batch(batch)], of: Sample.scope, at: 1)
            for round in 1...40 {
                model.remove(Sample.message(round).id)
                try model.upsert(Sample.message(round + 1, "edited"))
                try model.upsert(Sample.message(round + 2, "moved", channel: "channel-2"))
                try model.upsert(Sample.message(round + 100))
                if let batch = model.commit() { store.keep([.batch(batch)], of: Sample.scope, at: 1) }
            }
            return path
        }
        var restored = SectionedCollection<Item>()
        for item in try #require(try reopened(path)).items { try restored.upsert(item) }
        _ = restored.commit()
        #expect(restored.sectionKeys == model.sectionKeys)
        for section in model.sectionKeys { #expect(restored.elements(in: section) == model.elements(in: section)) }
    }

    @Test func `a whole model replaces the kept data of its scope, and of no other`() throws {
        let path = try withStore { store, path in
            for view in ["", "other"] {
                let (model, _) = try Sample.model((1...3).map { Sample.message($0) })
                store.keep([.model(model.snapshot)], of: StoreScope(Sample.account, view: view), at: 1)
            }
            let (model, _) = try Sample.model([Sample.message(3, "new"), Sample.message(4)])
            store.keep([.model(model.snapshot)], of: Sample.scope, at: 1)
            return path
        }
        #expect(try reopened(path)?.items == [Sample.message(3, "new"), Sample.message(4)])
        #expect(try reopened(path, view: "other")?.items == (1...3).map { Sample.message($0) })
    }

    @Test func `the last used account is remembered when none is named`() throws {
        let path = try withStore { store, path in
            for (user, now) in [("user-1", 5), ("user-2", 9), ("user-3", 7)] {
                let (model, _) = try Sample.model([Sample.channel(user)])
                let scope = StoreScope(StoreAccount(server: Sample.server, user: user))
                store.keep([.model(model.snapshot)], of: scope, at: Int64(now))
            }
            #expect(try store.accounts().map(\.user) == ["user-2", "user-3", "user-1"])
            return path
        }
        #expect(try reopened(path)?.items == [Sample.channel("user-2")])
        #expect(try reopened(path, user: "user-1")?.items == [Sample.channel("user-1")])
        #expect(try reopened(path, user: "user-4") == nil)
    }

    @Test func `a large model is read in parts within the record limit`() throws {
        let text = String(repeating: "many words ", count: 2000)
        let (model, _) = try Sample.model((1...300).map { Sample.message($0, text) })
        let path = try withStore { store, path in
            store.keep([.model(model.snapshot)], of: Sample.scope, at: 1)
            return path
        }
        let remembered = try #require(try reopened(path))
        #expect(remembered.rows == 300)
        #expect(remembered.memories.count > 4)
        #expect(remembered.memories.allSatisfy { $0.rows.count < 2 << 20 && $0.user == "user-1" })
        #expect(Set(remembered.items.map(\.id)).count == 300)
    }

    @Test func `an outbox keeps its order, replaced entries keep their place, and completed ones are removed`() throws {
        let path = try withStore { store, path in
            for number in 1...4 {
                try store.commit([.enqueue(id: "\(number)", entry: [UInt8(number)])], of: Sample.scope, at: 1)
            }
            try store.commit([.enqueue(id: "2", entry: [22]), .dequeue(id: "1")], of: Sample.scope, at: 1)
            try store.commit([.dequeue(id: "4"), .enqueue(id: "4", entry: [44])], of: Sample.scope, at: 1)
            return path
        }
        let outbox = try #require(try reopened(path)).outbox
        #expect(outbox.map(\.id) == ["2", "3", "4"])
        #expect(outbox.map(\.entry) == [[22], [3], [44]])
    }

    @Test func `a closed store reports that it is closed`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        let store = try Store(opening: path, now: 0)
        store.close()
        #expect(throws: StoreError.closed(path: path)) { try store.accounts() }
        #expect(throws: StoreError.closed(path: path)) { try store.commit([], of: Sample.scope, at: 0) }
        store.close()
    }
}

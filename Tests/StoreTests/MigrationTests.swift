import Glibc
import Network
import Store
import TestSupport
import Testing

@Suite struct MigrationTests {
    /// A copy of a stored file of an older version.
    private func stored(_ version: Int) throws -> String {
        let path = try temporaryFolder() + "/store.sqlite"
        let bytes = try readFile(packageFolder + "/samples/stores/version-\(version).sqlite")
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return path
    }

    @Test func `version 1, without an outbox and things, becomes the present one and keeps what it has`() throws {
        let path = try stored(1)
        let store = try Store(opening: path, now: 5)
        defer { store.close() }
        #expect(store.opening == .migrated(from: 1))
        let remembered = try #require(try store.remembered(of: Sample.server))
        #expect(remembered.scope == Sample.scope)
        #expect(remembered.lastUsed == 99)
        #expect(remembered.items == [Sample.channel("channel-1"), Sample.message(1, "one"), Sample.message(2, "two")])
        #expect(remembered.rooms.map(\.name) == ["/b", "/a"])
        #expect(remembered.checkpoints.map(\.resource) == ["GET /channels"])
        #expect(remembered.notes == [.selected(.workspace): "workspace"])
        #expect(remembered.outbox.isEmpty)
        try store.commit([.enqueue(id: "1", entry: [1])], of: Sample.scope, at: 6)
        let answers = Mailbox<[UInt8]>()
        store.get(StoreThing(.file, "f"), of: Sample.account, at: 6) {
            $0(.success([4]))
        } completion: {
            answers.put((try? $0.get()) ?? [])
        }
        #expect(try answers.first() == [4])
    }

    @Test func `version 2 loses what nothing used, and nothing else`() throws {
        let store = try Store(opening: try stored(2), now: 5)
        defer { store.close() }
        #expect(store.opening == .migrated(from: 2))
        let remembered = try #require(try store.remembered(of: Sample.server))
        #expect(
            remembered.notes == [
                .selected(.workspace): "workspace", .draft(channel: "c", thread: nil): "words",
            ])
        #expect(remembered.outbox.map(\.id) == ["o1"])
        #expect(try store.kept(StoreThing(.file, "f"), of: Sample.account) == [3])
    }

    @Test func `a migrated store is of the present version from then on`() throws {
        let path = try stored(1)
        try Store(opening: path, now: 5).close()
        let store = try Store(opening: path, now: 6)
        defer { store.close() }
        #expect(store.opening == .found)
    }

    @Test func `two processes that migrate at the same time do so once`() throws {
        let path = try stored(1)
        let openings = Mailbox<Store.Opening>()
        for thread in 0..<4 {
            runOnThread(named: "opener-\(thread)") {
                do {
                    let store = try Store(opening: path, now: 5)
                    openings.put(store.opening)
                    store.close()
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        openings.wait { $0.count == 4 }
        #expect(openings.all.filter { $0 == .migrated(from: 1) }.count == 1)
    }
}

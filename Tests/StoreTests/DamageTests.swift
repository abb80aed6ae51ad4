import Glibc
import Testing
import TestSupport
import WeirModel
import WeirStore

@Suite struct DamageTests {
    /// Creates a store with many rows, closes it, and returns its path.
    private func filled() throws -> String {
        try withStore { store, path in
            let (model, _) = try Sample.model((1...2000).map { Sample.message($0) })
            store.keep([.model(model.snapshot)], of: Sample.scope, at: 1)
            return path
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// Opens the damaged file and expects a new, empty store with the old file unchanged next to it.
    private func expectRebuilt(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let damaged = try readFile(path)
        let aside = path + ".damaged-1700000000"
        let store = try Store(opening: path, now: 1_700_000_000_123)
        guard case .rebuilt(aside, let why) = store.opening else {
            Issue.record("\(store.opening)", sourceLocation: sourceLocation)
            return store.close()
        }
        #expect(!why.isEmpty, sourceLocation: sourceLocation)
        #expect(try store.remembered(of: Sample.server) == nil, sourceLocation: sourceLocation)
        try store.commit([.note(.globals, "c")], of: Sample.scope, at: 1)
        store.close()
        #expect(try readFile(aside) == damaged, sourceLocation: sourceLocation)
        #expect(mode(path) == 0o600, sourceLocation: sourceLocation)
        #expect(try reopened(path)?.notes == [.globals: "c"], sourceLocation: sourceLocation)
    }

    @Test func `a file that is not a database is set aside`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        try writeFile(path, String(repeating: "This is a letter, and not a database. ", count: 100))
        try expectRebuilt(path)
    }

    @Test func `a truncated file is set aside`() throws {
        let path = try filled()
        let bytes = try readFile(path)
        try write(Array(bytes.prefix(bytes.count / 2)), to: path)
        try expectRebuilt(path)
    }

    @Test func `a file with pages overwritten is set aside`() throws {
        let path = try filled()
        var bytes = try readFile(path)
        for index in bytes.count / 3..<bytes.count / 2 { bytes[index] = ~bytes[index] }
        try write(bytes, to: path)
        try expectRebuilt(path)
    }

    /// Only the server can detect a flipped bit in a text, since the rows are checked against
    /// it; but nothing may trap or hang.
    @Test(arguments: 0..<60) func `the store opens whichever byte is flipped`(round: Int) throws {
        let path = try withStore { store, path in
            let (model, _) = try Sample.model((1...20).map { Sample.message($0) })
            store.keep([.model(model.snapshot)], of: Sample.scope, at: 1)
            return path
        }
        var bytes = try readFile(path)
        // Sixty places across the file, including the header's hundred bytes.
        let place = round < 20 ? round * 5 : bytes.count * (round - 19) / 42
        bytes[place] ^= 0xff
        try write(bytes, to: path)
        let store: Store
        do throws(StoreError) {
            store = try Store(opening: path, now: 1000)
        } catch .foreign, .newer, .database {
            // The bytes that identify the store, or those that make the file writable, were flipped.
            return
        }
        defer { store.close() }
        do throws(StoreError) {
            _ = try store.remembered(of: Sample.server)
            try store.commit([.batch(.init())], of: Sample.scope, at: 1)
        } catch .damaged, .database {}
    }

    @Test func `a second damaged file gets a different name`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        for expected in ["-1", "-1-2", "-1-3"] {
            try writeFile(path, String(repeating: "no database at all ", count: 100))
            let store = try Store(opening: path, now: 1000)
            defer { store.close() }
            guard case .rebuilt(let aside, _) = store.opening else {
                Issue.record("\(store.opening)")
                return
            }
            #expect(aside == path + ".damaged" + expected)
        }
    }
}

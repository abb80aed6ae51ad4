import Glibc
import Testing
import TestSupport
import WeirStore
import WeirThreads
import WeirWire

@Suite struct FileTests {
    @Test func `only the user can access the file and its folder`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/state/weir/store.sqlite"
        let store = try Store(opening: path, now: 0)
        defer { store.close() }
        try store.commit([.note(.globals, "c")], of: Sample.scope, at: 0)
        #expect(mode(folder + "/state") == 0o700)
        #expect(mode(folder + "/state/weir") == 0o700)
        for file in ["", "-wal", "-shm"] { #expect(mode(path + file) == 0o600, "\(file)") }
    }

    @Test func `a caller with too many unwritten bytes must wait until they are written`() throws {
        let store = try Store(opening: try temporaryFolder() + "/store.sqlite", now: 0)
        defer { store.close() }
        let drained = Mailbox<Bool>()
        store.tell(onDrained: { drained.put(true) }, onTrouble: { _ in })
        let batch = try Sample.model([Sample.message(1)]).batch
        let isDeep = store.keep([.batch(batch)], of: Sample.scope, at: 1, bytes: Limits.waiting)
        #expect(isDeep)
        drained.wait { !$0.isEmpty }
        let isDeepAgain = store.keep([.batch(batch)], of: Sample.scope, at: 1, bytes: 1)
        #expect(!isDeepAgain)
    }

    @Test func `a file that others could read becomes private`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        try Store(opening: path, now: 0).close()
        chmod(path, 0o644)
        try Store(opening: path, now: 0).close()
        #expect(mode(path) == 0o600)
    }

    @Test func `a symbolic link instead of the file or its folder is refused`() throws {
        let folder = try temporaryFolder()
        try Store(opening: folder + "/real/store.sqlite", now: 0).close()
        symlink(folder + "/real/store.sqlite", folder + "/link.sqlite")
        symlink(folder + "/real", folder + "/linked")
        #expect(throws: StoreError.unsafe(path: folder + "/link.sqlite", why: "not a regular file")) {
            try Store(opening: folder + "/link.sqlite", now: 0)
        }
        #expect(throws: StoreError.unsafe(path: folder + "/linked", why: "it is not a folder, or it is a link to one"))
        {
            try Store(opening: folder + "/linked/store.sqlite", now: 0)
        }
    }

    @Test func `a folder that others can write to is refused`() throws {
        let folder = try temporaryFolder()
        chmod(folder, 0o777)
        #expect(throws: StoreError.unsafe(path: folder, why: "others can write to it")) {
            try Store(opening: folder + "/store.sqlite", now: 0)
        }
        #expect(files(beside: folder + "/store.sqlite") == [])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file or a folder of another user is refused`() throws {
        let folder = try temporaryFolder()
        try Store(opening: folder + "/store.sqlite", now: 0).close()
        chown(folder + "/store.sqlite", 65534, 65534)
        #expect(throws: StoreError.unsafe(path: folder + "/store.sqlite", why: "it belongs to another user")) {
            try Store(opening: folder + "/store.sqlite", now: 0)
        }
        chown(folder, 65534, 65534)
        #expect(throws: StoreError.unsafe(path: folder, why: "it belongs to another user")) {
            try Store(opening: folder + "/store.sqlite", now: 0)
        }
    }

    @Test func `another program's database is refused and stays unchanged`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        try sql(path, "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('https://example.org')")
        chmod(path, 0o600)
        let before = try readFile(path)
        #expect(throws: StoreError.foreign(path: path)) { try Store(opening: path, now: 0) }
        #expect(try readFile(path) == before)
        #expect(files(beside: path) == ["store.sqlite"])
    }

    @Test func `a store of a newer version is refused and stays unchanged`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        try Store(opening: path, now: 0).close()
        try sql(path, "PRAGMA user_version = 4711")
        #expect(throws: StoreError.newer(path: path, version: 4711)) { try Store(opening: path, now: 0) }
        #expect(files(beside: path).filter { $0.contains("damaged") } == [])
    }

    @Test func `an error names the folder that cannot be created`() throws {
        let folder = try temporaryFolder()
        try writeFile(folder + "/file", "")
        #expect(
            throws: StoreError.system(operation: "create folder", path: folder + "/file/weir", code: ENOTDIR)
        ) { try Store(opening: folder + "/file/weir/store.sqlite", now: 0) }
    }

    @Test func `a full store reports it, and committed data stays`() throws {
        let (path, kept) = try withStore(maximumBytes: 400_000) { store, path in
            let text = String(repeating: "word ", count: 400)
            var kept = 0
            #expect(throws: StoreError.full(path: path)) {
                for number in 1...1000 {
                    let (_, batch) = try Sample.model([Sample.message(number, text)])
                    try store.commit([.batch(batch)], of: Sample.scope, at: 1)
                    kept = number
                }
            }
            // Data that needs no more room is still kept.
            let (_, batch) = try Sample.model([Sample.message(1, "short")])
            try store.commit([.batch(batch)], of: Sample.scope, at: 1)
            return (path, kept)
        }
        #expect(kept > 50)
        let remembered = try #require(try reopened(path))
        #expect(remembered.rows == kept)
        #expect(remembered.items.contains(Sample.message(1, "short")))
    }

    @Test func `data that cannot be kept is reported, and affects no other data`() throws {
        let path = try withStore(maximumBytes: 200_000) { store, path in
            let troubles = Mailbox<StoreError>()
            store.tell(onDrained: {}, onTrouble: { troubles.put($0) })
            let (_, large) = try Sample.model([Sample.message(2, String(repeating: "x", count: 1_000_000))])
            store.keep([.batch(try Sample.model([Sample.message(1)]).batch)], of: Sample.scope, at: 1)
            store.keep([.batch(large)], of: Sample.scope, at: 1)
            store.keep([.batch(try Sample.model([Sample.message(3)]).batch)], of: Sample.scope, at: 1)
            #expect(try troubles.first() == .full(path: path))
            return path
        }
        #expect(try reopened(path)?.items == [Sample.message(1), Sample.message(3)])
    }
}

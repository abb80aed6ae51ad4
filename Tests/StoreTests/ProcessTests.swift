import CWeirSQLite
import Glibc
import Testing
import TestSupport
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirThreads

/// The path of `store-writer`, in the folder of the test program.
private func pathOfWriter() throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    try #require(length > 0)
    let program = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let candidates = [program, CommandLine.arguments[0]].map {
        $0[..<($0.lastIndex(of: "/") ?? $0.startIndex)] + "/store-writer"
    }
    return String(try #require(candidates.first { access(String($0), X_OK) == 0 }, "no store-writer in \(candidates)"))
}

@Suite(.serialized) struct ProcessTests {
    @Test(arguments: [1, 7, 50, 300])
    func `a process killed while writing leaves everything committed, and nothing partial`(rows: Int) throws {
        let path = try temporaryFolder() + "/store.sqlite"
        let writer = try Peer([try pathOfWriter(), "write", path])
        var reported = 0
        while reported < rows, let line = writer.readLine() { reported = Int(line) ?? 0 }
        writer.stop()
        #expect(reported == rows)
        let store = try Store(opening: path, now: 0)
        defer { store.close() }
        #expect(store.opening == .found)
        let remembered = try #require(try store.remembered(of: "http://localhost"))
        let numbers = remembered.memories.flatMap(\.rows).split(separator: UInt8(ascii: "\n")).compactMap {
            Item(decoding: Array($0)[...]).map { Int($0.sortKey) }
        }
        #expect(numbers.count >= rows)
        #expect(numbers.sorted() == Array(1...numbers.count))
    }

    @Test func `two processes share a store`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        let store = try Store(opening: path, now: 0)
        defer { store.close() }
        let writer = try Peer([try pathOfWriter(), "write", path])
        defer { writer.stop() }
        var last: String?
        for number in 1...50 {
            last = writer.readLine()
            try store.commit(
                [.batch(try Sample.model([Sample.message(number)]).batch)], of: Sample.scope, at: Int64(number))
        }
        #expect(last == "50")
        #expect(try store.remembered(of: Sample.server)?.rows == 50)
        #expect(try #require(try store.remembered(of: "http://localhost")).rows >= 50)
        #expect(try run([try pathOfWriter(), "read", path]) != "0")
    }

    @Test func `processes that create the same store at the same time share it`() throws {
        let path = try temporaryFolder() + "/weir/store.sqlite"
        let openings = Mailbox<Store.Opening>()
        for number in 0..<8 {
            runOnThread(named: "opener-\(number)") {
                do {
                    let store = try Store(opening: path, now: 0)
                    try store.commit([.note(.readMarker(channel: "\(number)"), "1")], of: Sample.scope, at: 0)
                    store.close()
                    openings.put(store.opening)
                } catch {
                    Issue.record("\(error)")
                    openings.put(.found)
                }
            }
        }
        openings.wait { $0.count == 8 }
        #expect(openings.all.filter { $0 == .created }.count == 1)
        let store = try Store(opening: path, now: 0)
        defer { store.close() }
        #expect(try store.remembered(of: Sample.server)?.notes.count == 8)
    }

    @Test func `a file locked by another process is an error after a while, and works once unlocked`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        let store = try Store(opening: path, now: 0, patience: .milliseconds(50))
        defer { store.close() }
        var other: OpaquePointer?
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        defer { sqlite3_close(other) }
        try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        let write = StoreWrite.note(.globals, "c")
        #expect(throws: StoreError.busy(path: path)) { try store.commit([write], of: Sample.scope, at: 0) }
        try #require(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
        try store.commit([write], of: Sample.scope, at: 0)
        #expect(try store.remembered(of: Sample.server)?.notes == [.globals: "c"])
    }

    @Test func `one store at a time sends the outboxes, and the next one may after it is closed`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        let first = try Store(opening: path, now: 0)
        let second = try Store(opening: path, now: 0)
        defer { second.close() }
        #expect(first.takeOutbox())
        #expect(first.takeOutbox())
        #expect(!second.takeOutbox())
        #expect(mode(path + ".outbox") == 0o600)
        first.close()
        #expect(second.takeOutbox())
    }

    @Test func `reading the outbox waits for all earlier writes`() throws {
        try withStore { store, path in
            let told = Mailbox<StoreError?>()
            store.commit([.enqueue(id: "1", entry: [1])], of: Sample.scope, at: 0) { told.put($0) }
            store.commit([.enqueue(id: "2", entry: [2]), .dequeue(id: "1")], of: Sample.scope, at: 0) { told.put($0) }
            let read = Mailbox<[String]>()
            store.readOutbox(of: Sample.account) { read.put($0.map(\.id)) }
            let waiting = try read.first()
            #expect(waiting == ["2"])
            #expect(told.all == [nil, nil])
            let other = Mailbox<[String]>()
            store.readOutbox(of: StoreAccount(server: "http://other", user: "u")) { other.put($0.map(\.id)) }
            #expect(try other.first() == [])
        }
    }

    @Test func `a session continues after another process logs its account out, but keeps nothing`() throws {
        let path = try temporaryFolder() + "/store.sqlite"
        let session = try Store(opening: path, now: 0)
        defer { session.close() }
        try session.commit([.note(.globals, "c")], of: Sample.scope, at: 0)
        let logout = try Store(opening: path, now: 0)
        #expect(try logout.forget(Sample.account))
        logout.close()
        #expect(throws: StoreError.loggedOut(server: Sample.server, user: "user-1")) {
            try session.commit([.note(.globals, "d")], of: Sample.scope, at: 0)
        }
        #expect(try session.accounts() == [])
    }
}

import CWeirSQLite
import Glibc
import Testing
import TestSupport
import WeirModel
import WeirPipeline
import WeirStore

@testable import WeirEvents

/// Sample data for the tests.
enum Sample {
    static let server = "https://chat.example"
    static let account = StoreAccount(server: server, user: "user-1")
    static let scope = StoreScope(account)

    /// A message of a channel.
    static func message(_ number: Int, _ text: String = "hello", channel: String = "channel-1") -> Item {
        let id = EntityID("message-\(number)")
        let message = Twake.Message(
            id: id, thread: id, channel: EntityID(channel), user: EntityID("user-2"), senderName: "Ana \u{202E}",
            text: text,
            createdAt: Timestamp(milliseconds: Int64(1000 + number)),
            reactions: [.init(name: "👍", count: 1, users: [id])])
        return Item(
            id: Item.ID(.message, id), section: Item.Section("messages", EntityID(channel)),
            sortKey: Int64(1000 + number), entity: Item.Entity(message))
    }

    static func channel(_ name: String) -> Item {
        let channel = Twake.Channel(
            id: EntityID(name), company: EntityID("company"), workspace: EntityID("workspace"), name: name, icon: nil)
        return Item(
            id: Item.ID(.channel, EntityID(name)), section: Item.Section("channels", EntityID("workspace")), sortKey: 0,
            entity: Item.Entity(channel))
    }

    /// A badge of a channel; its id has a qualifier.
    static func badge(_ thread: String, of channel: String) -> Item {
        let badge = Twake.Badge(
            company: EntityID("company"), workspace: EntityID("workspace"), channel: EntityID(channel),
            thread: EntityID(thread), user: nil, message: nil)
        return Item(
            id: Item.ID(.badge, EntityID(thread), qualifier: EntityID(channel)),
            section: Item.Section("badges", EntityID("company")), sortKey: 0, entity: Item.Entity(badge))
    }

    /// A model of the rows, and the batch that created it.
    static func model(_ items: [Item]) throws -> (model: SectionedCollection<Item>, batch: Batch<Item>) {
        var model = SectionedCollection<Item>()
        for item in items { try model.upsert(item) }
        let batch = model.commit()
        return (model, try #require(batch))
    }
}

extension Remembered {
    /// The rows in the order of their ids; the test fails when one cannot be read.
    var items: [Item] {
        memories.flatMap(\.rows).split(separator: UInt8(ascii: "\n")).compactMap { line in
            let item = Item(decoding: Array(line)[...])
            if item == nil { Issue.record("cannot be read: \(String(decoding: line, as: UTF8.self))") }
            return item
        }
    }
}

/// Runs `body` with a store in a new folder, and its path.
func withStore<Result>(maximumBytes: Int = 1 << 30, _ body: (Store, String) throws -> Result) throws -> Result {
    let path = try temporaryFolder() + "/weir/store.sqlite"
    let store = try Store(opening: path, now: 1, maximumBytes: maximumBytes)
    defer { store.close() }
    return try body(store, path)
}

/// Reopens the store at `path` and returns the data it remembers.
func reopened(_ path: String, user: String? = nil, view: String = "") throws -> Remembered? {
    let store = try Store(opening: path, now: 2)
    defer { store.close() }
    return try store.remembered(of: Sample.server, user: user, view: view)
}

/// Runs statements on the file at `path` through a separate connection.
func sql(_ path: String, _ statements: String) throws {
    var connection: OpaquePointer?
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    defer { sqlite3_close(connection) }
    let code = sqlite3_exec(connection, statements, nil, nil, nil)
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(connection)))")
}

/// The names of the files in the folder of `path`, in order.
func files(beside path: String) -> [String] {
    names(in: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
}

/// The mode of a file, without its kind.
func mode(_ path: String) -> mode_t {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
}

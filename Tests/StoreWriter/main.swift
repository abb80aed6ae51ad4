import Glibc
import WeirEvents
import WeirModel
import WeirPipeline
import WeirStore

// store-writer write FILE: stores one row after the other, each in a transaction of its own, and prints its number once
// it is committed.
// store-writer read FILE: prints the number of stored rows.

/// Returns a message row with this number.
func row(_ number: Int) -> Item {
    let id = EntityID("message-\(number)")
    let message = Twake.Message(id: id, thread: id, channel: .text("channel"), text: String(repeating: "x", count: 500))
    return Item(
        id: Item.ID(.message, id), section: Item.Section("messages", .text("channel")), sortKey: Int64(number),
        entity: Item.Entity(message))
}

/// Prints a number without buffering.
func tell(_ number: Int) {
    let line = Array("\(number)\n".utf8)
    _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

let scope = StoreScope(StoreAccount(server: "http://localhost", user: "writer"))
let store = try Store(opening: CommandLine.arguments[2], now: 0)
if CommandLine.arguments[1] == "read" {
    tell(try store.remembered(of: scope.account.server)?.rows ?? 0)
} else {
    for number in 1...1_000_000 {
        var batch = Batch<Item>()
        batch.insertions = [.init(path: SectionPath(section: 0, item: number - 1), element: row(number))]
        try store.commit([.batch(batch)], of: scope, at: Int64(number))
        tell(number)
    }
}
store.close()

import Testing
import TestSupport
import WeirModel
import WeirStore

@Suite struct LogoutTests {
    /// Whether any of the store's files contains the text.
    private func contains(_ path: String, _ text: String) throws -> Bool {
        try files(beside: path).contains { name in
            let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
            return String(decoding: try readFile("\(folder)/\(name)"), as: Unicode.ASCII.self).contains(text)
        }
    }

    @Test func `logging out erases all data of the account, even from the disk, and keeps other accounts`() throws {
        try withStore { store, path in
            let other = StoreAccount(server: Sample.server, user: "user-2")
            for (account, word) in [(Sample.account, "SECRETPLAN"), (other, "PUBLICPLAN")] {
                let (model, _) = try Sample.model((1...100).map { Sample.message($0, word) })
                for view in ["", "workspace=w"] {
                    store.keep(
                        [
                            .model(model.snapshot), .room(name: word, source: "ctl"),
                            .checkpoint(resource: word, at: 1),
                            .note(.draft(channel: "c", thread: nil), word), .enqueue(id: "1", entry: Array(word.utf8)),
                        ], of: StoreScope(account, view: view), at: 1)
                }
                let got = Mailbox<[UInt8]>()
                store.get(StoreThing(.file, word), of: account, at: 1) {
                    $0(.success(Array(word.utf8)))
                } completion: {
                    got.put((try? $0.get()) ?? [])
                }
                #expect(try got.first() == Array(word.utf8))
            }
            #expect(try contains(path, "SECRETPLAN"))
            #expect(try store.forget(Sample.account))
            #expect(try !contains(path, "SECRETPLAN"))
            #expect(try contains(path, "PUBLICPLAN"))
            #expect(try store.accounts() == [other])
            #expect(try store.remembered(of: Sample.server, user: "user-1") == nil)
            #expect(try store.remembered(of: Sample.server)?.rows == 100)
            #expect(try !store.forget(Sample.account))
        }
    }

    @Test func `an account that logs in again starts empty`() throws {
        try withStore { store, path in
            try store.commit([.note(.globals, "c"), .enqueue(id: "1", entry: [1])], of: Sample.scope, at: 0)
            try store.forget(Sample.account)
            try store.commit([.note(.globals, "w")], of: Sample.scope, at: 0)
            let remembered = try #require(try store.remembered(of: Sample.server))
            #expect(remembered.notes == [.globals: "w"])
            #expect(remembered.outbox.isEmpty)
        }
    }
}

import Testing
import TestSupport
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirThreads

@Suite struct ThingTests {
    private typealias Answer = @Sendable (Result<[UInt8], StoreError>) -> Void

    @Test func `a thing requested many times at once is downloaded once`() throws {
        let path = try withStore { store, path in
            let downloads = Mailbox<Answer>()
            let answers = Mailbox<[UInt8]>()
            for asker in 0..<200 {
                runOnThread(named: "asker-\(asker)") {
                    store.get(StoreThing(.picture, "/ana.png"), of: Sample.account, at: 0) {
                        downloads.put($0)
                    } completion: {
                        answers.put((try? $0.get()) ?? [])
                    }
                }
            }
            // The last caller may come when the picture already exists; then it is read.
            try downloads.first()(.success([1, 2, 3]))
            answers.wait { $0.count == 200 }
            #expect(downloads.all.count == 1)
            #expect(answers.all.allSatisfy { $0 == [1, 2, 3] })
            return path
        }
        let again = try Store(opening: path, now: 0)
        defer { again.close() }
        let answers = Mailbox<[UInt8]>()
        again.get(StoreThing(.picture, "/ana.png"), of: Sample.account, at: 0) { answer in
            Issue.record("downloaded again")
            answer(.success([]))
        } completion: {
            answers.put((try? $0.get()) ?? [])
        }
        #expect(try answers.first() == [1, 2, 3])
    }

    @Test func `things of other kinds, keys and accounts are distinct`() throws {
        try withStore { store, _ in
            let other = StoreAccount(server: Sample.server, user: "user-2")
            let things: [(StoreThing, StoreAccount)] = [
                (StoreThing(.picture, "a"), Sample.account), (StoreThing(.file, "a"), Sample.account),
                (StoreThing(.file, "b"), Sample.account), (StoreThing(.picture, "a"), other),
            ]
            for round in 1...2 {
                let answers = Mailbox<[UInt8]>()
                for (index, (thing, account)) in things.enumerated() {
                    store.get(thing, of: account, at: 0) { answer in
                        if round == 2 { Issue.record("downloaded again") }
                        answer(.success([UInt8(index)]))
                    } completion: {
                        answers.put((try? $0.get()) ?? [])
                    }
                    answers.wait { $0.count == index + 1 }
                }
                #expect(answers.all == [[0], [1], [2], [3]])
            }
        }
    }

    @Test func `a failed download fails for all callers, and the next request tries again`() throws {
        try withStore { store, _ in
            let downloads = Mailbox<Answer>()
            let answers = Mailbox<Result<[UInt8], StoreError>>()
            for _ in 0..<3 {
                store.get(StoreThing(.file, "f"), of: Sample.account, at: 0) {
                    downloads.put($0)
                } completion: {
                    answers.put($0)
                }
            }
            try downloads.first()(.failure(.notDownloaded("404")))
            answers.wait { $0.count == 3 }
            #expect(answers.all == Array(repeating: .failure(.notDownloaded("404")), count: 3))
            store.get(StoreThing(.file, "f"), of: Sample.account, at: 0) {
                downloads.put($0)
            } completion: {
                answers.put($0)
            }
            downloads.wait { $0.count == 2 }
            downloads.all[1](.success([9]))
            #expect(answers.wait { $0.count == 4 }.last == .success([9]))
        }
    }

    @Test func `a thing that cannot be kept is still delivered`() throws {
        try withStore(maximumBytes: 300_000) { store, path in
            let troubles = Mailbox<StoreError>()
            store.tell(onDrained: {}, onTrouble: { troubles.put($0) })
            let bytes = [UInt8](repeating: 7, count: 1_000_000)
            let answers = Mailbox<[UInt8]>()
            store.get(StoreThing(.file, "large"), of: Sample.account, at: 0) {
                $0(.success(bytes))
            } completion: {
                answers.put((try? $0.get()) ?? [])
            }
            let given = try answers.first()
            #expect(given == bytes)
            #expect(try troubles.first() == .full(path: path))
        }
    }

    @Test func `a download that ends after a logout is delivered but not kept`() throws {
        try withStore { store, _ in
            let downloads = Mailbox<Answer>()
            let answers = Mailbox<[UInt8]>()
            store.get(StoreThing(.file, "f"), of: Sample.account, at: 0) {
                downloads.put($0)
            } completion: {
                answers.put((try? $0.get()) ?? [])
            }
            let download = try downloads.first()
            try store.forget(Sample.account)
            download(.success([1]))
            #expect(try answers.first() == [1])
            #expect(try store.accounts() == [])
        }
    }

    @Test func `another store of the same file waits for a download in progress and shares its result`() throws {
        try withStore { (store, path) throws in
            let other = try Store(opening: path, now: 0)
            defer { other.close() }
            let thing = StoreThing(.file, "f")
            let downloads = Mailbox<Answer>()
            let answers = Mailbox<[UInt8]>()
            store.get(thing, of: Sample.account, at: 0) {
                downloads.put($0)
            } completion: {
                answers.put((try? $0.get()) ?? [])
            }
            let download = try downloads.first()
            other.get(thing, of: Sample.account, at: 0) { answer in
                Issue.record("downloaded twice")
                answer(.success([]))
            } completion: {
                answers.put((try? $0.get()) ?? [])
            }
            download(.success([4, 2]))
            #expect(answers.wait { $0.count == 2 } == [[4, 2], [4, 2]])
        }
    }

    @Test func `old downloads are evicted, oldest first, to make room for data that cannot be downloaded`() throws {
        try withStore(maximumBytes: 4_000_000) { store, _ in
            for key in ["a", "b", "c"] {
                let answers = Mailbox<[UInt8]>()
                store.get(StoreThing(.file, key), of: Sample.account, at: 0) {
                    $0(.success([UInt8](repeating: 7, count: 400_000)))
                } completion: {
                    answers.put((try? $0.get()) ?? [])
                }
                let given = try answers.first()
                #expect(given.count == 400_000)
            }
            let kept = try ["a", "b", "c"].map { try store.kept(StoreThing(.file, $0), of: Sample.account)?.count }
            #expect(kept == [nil, 400_000, 400_000])
        }
    }
}

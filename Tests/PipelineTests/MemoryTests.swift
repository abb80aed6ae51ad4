import Testing
import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Rows of an earlier session fill the model at once, and the server's version of each row wins.
@Suite struct MemoryTests {
    private static let company = "c0000000-0000-4000-8000-000000000001"
    private static let workspace = "c0000000-0000-4000-8000-000000000002"
    private static let user = "c0000000-0000-4000-8000-000000000003"
    private static let badges = "/notifications?type=private&user=\(user)"

    /// A channel's row as kept by a session.
    private func channel(_ id: String, _ name: String) -> Item {
        Item.channel(
            Twake.Channel(
                id: EntityID(id), company: EntityID(Self.company), workspace: EntityID(Self.workspace), name: name,
                icon: nil))
    }

    private func memory(_ items: [Item], user: String = Self.user) -> Memory {
        var memory = Memory(user: user)
        for item in items {
            var writer = JSONWriter()
            item.encode(into: &writer)
            memory.append(row: writer.bytes)
        }
        return memory
    }

    private func names(_ transcript: Transcript) -> [String] {
        transcript.session.model.elements(in: .channels(EntityID(Self.workspace))).compactMap(\.channel?.name)
    }

    /// A session discovering its rooms, up to the answers about the account.
    private func started(_ memories: [Memory], user: String = Self.user) -> Transcript {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: Self.company, workspace: Self.workspace))
        for memory in memories { transcript.feed(.remembered(memory)) }
        transcript.authenticate()
        transcript.answer("server", "{}")
        transcript.answer("users/me", #"{"resource":{"id":"\#(user)"}}"#)
        return transcript
    }

    /// Confirms every join and answers every list with an empty one until no request is left.
    private func answerAll(_ transcript: inout Transcript, channels: String = "[]") {
        for _ in 0..<50 {
            let joining = transcript.session.subscriptions.entries.filter {
                if case .joining = $0.state { true } else { false }
            }
            for room in joining { transcript.receive(#"42["realtime:join:success",{"name":"\#(room.name)"}]"#) }
            guard let request = transcript.requests.first else {
                if joining.isEmpty { return }
                continue
            }
            let isChannels = request.target.contains("workspaces/\(Self.workspace)/channels?")
            let body = isChannels ? #"{"resources":\#(channels)}"# : #"{"resources":[]}"#
            transcript.answer(request.target, body)
        }
        Issue.record("there is no end to the requests")
    }

    @Test func `remembered rows are shown before a connection, as one batch for each part`() {
        var transcript = Transcript(Configuration(backend: .twake))
        transcript.feed(.remembered(memory([channel("a", "one"), channel("b", "two")])))
        transcript.feed(.remembered(memory([channel("c", "three")])))
        #expect(names(transcript) == ["one", "two", "three"])
        #expect(transcript.diffs.map(\.batch.insertions.count) == [2, 1])
        #expect(transcript.notices == [])
    }

    @Test func `rows the server no longer lists are removed, and listed rows stay unchanged`() {
        var transcript = started([memory([channel("a", "one"), channel("b", "two")])])
        answerAll(
            &transcript,
            channels: #"[{"id":"a","company_id":"\#(Self.company)","workspace_id":"\#(Self.workspace)","name":"one"}]"#)
        #expect(names(transcript) == ["one"])
        #expect(transcript.session.remembered.isEmpty)
        let touched = transcript.diffs.dropFirst().flatMap { $0.batch.insertions.map(\.element.id) }
        #expect(!touched.contains(.channel(EntityID("a"))))
    }

    @Test func `a section without a room is fetched, and removed when it cannot be fetched`() {
        let message = Twake.Message(
            id: EntityID("m"), thread: EntityID("gone"), channel: EntityID("a"), text: "a reply to nothing")
        let other = Twake.Message(id: EntityID("n"), thread: EntityID("n"), channel: EntityID("unknown"), text: "head")
        let items = [Item.message(message), Item.message(other)].compactMap { $0 }
        var transcript = started([memory(items)])
        answerAll(&transcript)
        #expect(transcript.session.model.count == 0)
        #expect(transcript.session.remembered.isEmpty)
    }

    @Test func `another user's rows are removed as soon as the server identifies the user`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: Self.company, workspace: Self.workspace))
        transcript.feed(.remembered(memory([channel("a", "one")], user: "somebody else")))
        transcript.authenticate()
        transcript.answer("server", "{}")
        #expect(names(transcript) == ["one"])
        transcript.answer("users/me", #"{"resource":{"id":"\#(Self.user)"}}"#)
        #expect(names(transcript) == [])
        #expect(transcript.notices == ["the stored rows belong to another user: somebody else"])
        // Later rows of that user are ignored, too.
        transcript.feed(.remembered(memory([channel("b", "two")], user: "somebody else")))
        #expect(names(transcript) == [])
    }

    @Test func `the server's version of a row wins over the remembered one`() {
        var transcript = started([memory([channel("a", "old name")])])
        answerAll(
            &transcript,
            channels:
                #"[{"id":"a","company_id":"\#(Self.company)","workspace_id":"\#(Self.workspace)","name":"new name"}]"#)
        #expect(names(transcript) == ["new name"])
        transcript.feed(.remembered(memory([channel("a", "old name")])))
        #expect(names(transcript) == ["new name"])
    }

    @Test func `unreadable rows are skipped and counted for the user`() {
        var transcript = Transcript(Configuration(backend: .twake))
        var damaged = memory([channel("a", "one"), channel("b", "two")])
        damaged.append(row: Array(#"{"id":["channel","c"],"section":["channels"],"sort":0,"type":"twake.chan"#.utf8))
        damaged.append(row: Array("\u{0}\u{1}".utf8))
        damaged.append(row: Array(#"{"id":["planet","c"]}"#.utf8))
        transcript.feed(.remembered(damaged))
        #expect(names(transcript) == ["one", "two"])
        #expect(transcript.notices == ["3 rows of the store are of no use any more and are fetched again"])
    }

    @Test func `facts are reported once: the user, and each resource as it is fetched`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: Self.company, workspace: Self.workspace))
        var facts: [Fact] = []
        transcript.authenticate()
        transcript.answer("server", "{}")
        transcript.answer("users/me", #"{"resource":{"id":"\#(Self.user)"}}"#)
        for case .remember(let fact) in transcript.effects { facts.append(fact) }
        #expect(facts.contains(.account(user: Self.user)))
        #expect(
            facts.contains { if case .checkpoint(let resource) = $0 { resource.hasPrefix("GET /") } else { false } })
    }
}

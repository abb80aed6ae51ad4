import Events
import JSONText
import Testing
import Wire

@testable import Pipeline

/// What is to be done in a company, workspace, channel or group that is not there: each action ends, and says what is not there.
@Suite struct ActionPlaceTests {
    typealias F = Frames

    /// One kind of server and what it answers.
    enum Server: CaseIterable {
        case proxy, core

        static let company = #"{"id":"C","name":"Harbour","logo":""}"#
        static let workspace = #"{"id":"W","company_id":"C","name":"Crew","logo":""}"#

        var service: [(part: String, status: Int, body: String)] {
            switch self {
            case .core:
                [
                    ("/general/v1/server", 200, "{}"), ("/users/me/companies", 200, F.list(Self.company)),
                    ("/users/me", 200, #"{"resource":{"id":"U1"}}"#),
                    ("/companies/C/workspaces/W/channels", 200, F.list(Transcript.channel())),
                    ("/companies/direct/", 200, F.list("")), ("/direct/channels", 200, F.list("")),
                    ("/companies/C/workspaces", 200, F.list(Self.workspace)),
                ]
            case .proxy:
                [
                    ("/general/v1/server", 404, #"{"statusCode":404}"#),
                    ("/mobile/user", 200, #"{"id":"U1","username":"u","email":"u@example.org"}"#),
                    ("/mobile/companies", 200, "[\(Self.company)]"),
                    ("/mobile/workspaces?company_id=C", 200, "[\(Self.workspace)]"),
                    ("/mobile/channels?company_id=C&workspace_id=W", 200, "[\(Transcript.proxyChannel())]"),
                    ("/mobile/direct?company_id=C", 200, "[]"),
                ]
            }
        }

        /// What it says of something that is not there.
        var absence: (status: Int, body: String) {
            self == .core ? (404, #"{"statusCode":404}"#) : (400, #"{"error":"Object not found"}"#)
        }
    }

    /// A session without a connection, as a command has it, in a place; it does one thing, and each request is answered at once.
    /// Gives what is reported of it, the last word at its end.
    private func reports(
        _ operation: Action.Operation, company: String? = nil, workspace: String? = nil, at server: Server,
        answering other: [(part: String, status: Int, body: String)] = []
    ) -> [String] {
        var configuration = Configuration(backend: .twake, company: company, workspace: workspace)
        configuration.connects = false
        var transcript = Transcript(configuration)
        transcript.act("A1", operation)
        var reports = transcript.actions
        let service = other + server.service
        while let request = transcript.requests.first {
            transcript.requests.removeFirst()
            let found = service.first { request.target.contains($0.part) }
            let (status, body) = found.map { ($0.status, $0.body) } ?? server.absence
            transcript.feed(
                .answered(
                    request: request.id, .response(status: status, body: ArraySlice(body.utf8), retryAfter: nil)))
            reports += transcript.actions
        }
        return reports
    }

    private static let reference = Action.MessageReference(channel: Transcript.channel, message: EntityID("M0"))
    /// Every operation.
    static let operations: [Action.Operation] = [
        .send(channel: Transcript.channel, thread: nil, text: "hi"),
        .send(channel: EntityID("#general"), thread: EntityID("T"), text: "hi"),
        .edit(reference, text: "ho"), .react(reference, names: ["👍"]), .delete(reference),
        .markRead(channel: Transcript.channel),
        .createChannel(.init(kind: .public, name: "New")),
        .createChannel(.init(kind: .direct, name: "", members: [EntityID("U2")])),
        .editChannel(channel: Transcript.channel, .init(name: "x")),
        .deleteChannel(channel: Transcript.channel),
        .addMember(channel: Transcript.channel, user: EntityID("U2")),
        .removeMember(channel: Transcript.channel, user: EntityID("U2")),
        .changeWorkspace(EntityID("W"), .delete),
        .createWorkspace(name: "Sales", members: []),
    ]

    @Test(arguments: Server.allCases, operations)
    func `every action in a company that is not there fails, and names it`(
        server: Server, operation: Action.Operation
    ) {
        #expect(
            reports(operation, company: "nope", at: server)
                == ["A1 queued", "A1 refused there is no company 'nope'; you are in Harbour (C)"])
    }

    // What is about workspaces themselves is done in none.
    @Test(arguments: Server.allCases, operations.dropLast(2))
    func `every action in a workspace that is not there fails, and names it`(
        server: Server, operation: Action.Operation
    ) {
        let why = "there is no workspace 'nope' in company Harbour (C); there are: Crew (W)"
        for company in [nil, "C"] {
            #expect(
                reports(operation, company: company, workspace: "nope", at: server)
                    == ["A1 queued", "A1 refused \(why)"])
        }
    }

    @Test(arguments: Server.allCases)
    func `every action about a channel that is not there fails, and names it`(server: Server) {
        let (nowhere, message) = (EntityID("NO"), EntityID("M0"))
        let reference = Action.MessageReference(channel: nowhere, message: message)
        let operations: [Action.Operation] = [
            .send(channel: nowhere, thread: nil, text: "hi"), .edit(reference, text: "ho"),
            .react(reference, names: []), .delete(reference), .markRead(channel: nowhere),
            .editChannel(channel: nowhere, .init(name: "x")), .deleteChannel(channel: nowhere),
            .addMember(channel: nowhere, user: EntityID("U2")), .removeMember(channel: nowhere, user: EntityID("U2")),
        ]
        for operation in operations {
            #expect(
                reports(operation, at: server)
                    == ["A1 queued", "A1 refused there is no channel NO among yours in the workspace"])
        }
    }

    @Test(arguments: Server.allCases)
    func `a place that was named and is there is looked for once, and then used`(server: Server) {
        let edit = Action.Operation.edit(Self.reference, text: "ho")
        let refusal = server == .core ? "A1 refused 404 HTTP status 404" : "A1 refused 400 Object not found"
        for (company, workspace) in [(nil, nil), ("C", nil), ("C", "W"), (nil, "W")] as [(String?, String?)] {
            #expect(
                reports(edit, company: company, workspace: workspace, at: server)
                    == ["A1 queued", "A1 sending 1", refusal])
        }
    }

    /// The list of companies is the server's; without one the server's own refusal of the request is what there is.
    @Test func `a server that lists no places judges the request itself`() {
        let missing = [
            (part: "/users/me/companies", status: 404, body: #"{"statusCode":404}"#),
            (part: "/companies/C/workspaces?", status: 404, body: #"{"statusCode":404}"#),
        ]
        let create = Action.Operation.createChannel(.init(kind: .public, name: "New"))
        #expect(
            reports(create, company: "nope", workspace: "W", at: .core, answering: missing)
                == ["A1 queued", "A1 sending 1", "A1 refused 404 HTTP status 404"])
        #expect(
            reports(create, company: "nope", at: .core, answering: missing)
                == ["A1 queued", "A1 refused you are in no workspace of the company; name one with --workspace"])
    }

    @Test func `a channel of which the server has no page of messages is written to all the same`() {
        let send = Action.Operation.send(channel: Transcript.channel, thread: nil, text: "hi")
        #expect(
            reports(send, at: .core) == ["A1 queued", "A1 sending 1", "A1 refused 404 HTTP status 404"])
    }

    @Test func `a page of something before the service is no word on the place, and whoever waits is told each time`() {
        var configuration = Configuration(backend: .twake, company: "C", workspace: "W")
        configuration.connects = false
        var transcript = Transcript(configuration)
        transcript.act("A1", Self.operations[0])
        transcript.answer("/general/v1/server", "{}")
        transcript.answer("/users/me", #"{"resource":{"id":"U1"}}"#)
        for _ in 1...3 {
            transcript.answer("/users/me/companies", status: 404, "<html>")
            #expect(transcript.actions == ["A1 delayed companies is answered with 404 by something before the service"])
            transcript.pass(.seconds(5))
        }
    }

    @Test func `a live session refuses an action in a workspace that is not there, too`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, company: "C", workspace: "nope"))
        transcript.authenticate()
        transcript.answer("/general/v1/server", "{}")
        transcript.answer("/users/me", #"{"resource":{"id":"U1"}}"#)
        transcript.send("A1", "hi")
        transcript.answer("/users/me/companies", F.list(Server.company))
        transcript.answer("/companies/C/workspaces", F.list(Server.workspace))
        #expect(
            transcript.actions == [
                "A1 refused there is no workspace 'nope' in company Harbour (C); there are: Crew (W)"
            ])
    }

    /// As a store keeps an action that was asked for in another workspace, and gives it back.
    private func kept(_ id: EntityID, in workspace: EntityID) throws -> OutboxEntry {
        let send = Action.Operation.send(channel: EntityID("#general"), thread: nil, text: "hi")
        var writer = JSONWriter()
        OutboxEntry(Action(id: id, send, asked: Timestamp(milliseconds: 1)))
            .encode(into: &writer, in: Action.Place(company: EntityID("C"), workspace: workspace))
        let entry = try #require(OutboxEntry(try JSONValue(parsing: writer.bytes[...])))
        #expect(entry.action.place == Action.Place(company: EntityID("C"), workspace: workspace))
        return entry
    }

    @Test func `what waits from another workspace goes to the channel of that name there`() throws {
        var configuration = Configuration(backend: .twake, company: "C", workspace: "W")
        configuration.connects = false
        var transcript = Transcript(configuration)
        transcript.feed(.restoreOutbox([try kept(EntityID("A1"), in: EntityID("W2"))]))
        let channel = Transcript.channel().replacing(#""id":"CH""#, with: #""id":"CH2""#)
            .replacing(#""workspace_id":"W""#, with: #""workspace_id":"W2""#)
        let workspaces = F.list([Server.workspace, Server.workspace.replacing(#""W""#, with: #""W2""#)])
        let service: [(part: String, status: Int, body: String)] =
            [
                ("/companies/C/workspaces/W2/channels", 200, F.list(channel)), ("/direct/channels", 200, F.list("")),
                ("/feed", 200, F.list("")), ("/companies/C/workspaces", 200, workspaces),
            ] + Server.core.service
        var bodies: [String] = []
        while let request = transcript.requests.first {
            transcript.requests.removeFirst()
            if request.method == "POST" {
                bodies.append(String(decoding: request.body, as: UTF8.self))
                continue
            }
            let found = service.first { request.target.contains($0.part) }
            let (status, body) = found.map { ($0.status, $0.body) } ?? Server.core.absence
            transcript.feed(
                .answered(
                    request: request.id, .response(status: status, body: ArraySlice(body.utf8), retryAfter: nil)))
        }
        #expect(bodies.count == 1, "\(transcript.actions)")
        #expect(bodies.first?.contains(#""id":"CH2","workspace_id":"W2""#) == true, "\(bodies)")
    }

    @Test func `a live session leaves what waits from another workspace alone, and it holds up nothing`() throws {
        var transcript = Transcript.acting()
        #expect(transcript.session.actionPlace == Action.Place(company: EntityID("C"), workspace: EntityID("W")))
        transcript.feed(.restoreOutbox([try kept(EntityID("A1"), in: EntityID("W2"))]))
        #expect(transcript.actions == ["A1 queued"])
        #expect(transcript.calls == [] && transcript.shown == ["first"])
        transcript.send("A2", "two", to: EntityID("#general"))
        #expect(transcript.actions == ["A2 queued", "A2 sending 1"])
        #expect(transcript.session.pendingActions.map(\.action.place?.workspace) == [EntityID("W2"), nil])
    }

    @Test func `of many places ten are named`() {
        let companies = (1...13).map { #"{"id":"C\#($0)","name":"N\#($0)","logo":""}"# }
        let last = reports(
            Self.operations[0], company: "nope", at: .core,
            answering: [("/users/me/companies", 200, F.list(companies))]
        ).last
        #expect(last?.hasSuffix("N9 (C9), N10 (C10) and 3 more") == true, "\(last ?? "")")
    }

    @Test func `of a user in no company that is said`() {
        #expect(
            reports(
                Self.operations[0], company: "nope", at: .core,
                answering: [("/users/me/companies", 200, F.list(""))]
            ).last == "A1 refused there is no company 'nope'; you are in none")
    }
}

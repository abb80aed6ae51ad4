import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for actions in a missing company, workspace, channel or group: each action ends, and its
/// error names the missing place.
@Suite struct ActionPlaceTests {
    typealias F = Frames

    /// A kind of server, with its answers.
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

        /// The answer about something that does not exist.
        var absence: (status: Int, body: String) {
            self == .core ? (404, #"{"statusCode":404}"#) : (400, #"{"error":"Object not found"}"#)
        }
    }

    /// Runs one action in a session without a connection, like a command does, and answers each request at once.
    /// Returns the reported states of the action, the final one last.
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
    /// One value of every operation.
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
    func `every action in a missing company fails and names the company`(
        server: Server, operation: Action.Operation
    ) {
        #expect(
            reports(operation, company: "nope", at: server)
                == ["A1 queued", "A1 refused no company 'nope'; candidates: Harbour (C)"])
    }

    // Actions on workspaces themselves belong to no workspace.
    @Test(arguments: Server.allCases, operations.dropLast(2))
    func `every action in a missing workspace fails and names the workspace`(
        server: Server, operation: Action.Operation
    ) {
        let why = "no workspace 'nope' in company Harbour (C); candidates: Crew (W)"
        for company in [nil, "C"] {
            #expect(
                reports(operation, company: company, workspace: "nope", at: server)
                    == ["A1 queued", "A1 refused \(why)"])
        }
    }

    @Test(arguments: Server.allCases)
    func `every action on a missing channel fails and names the channel`(server: Server) {
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
                    == ["A1 queued", "A1 refused none of your channels in the workspace is named NO"])
        }
    }

    @Test(arguments: Server.allCases)
    func `an existing place named by the user is looked up once and then used`(server: Server) {
        let edit = Action.Operation.edit(Self.reference, text: "ho")
        let refusal = server == .core ? "A1 refused 404 HTTP status 404" : "A1 refused 400 Object not found"
        for (company, workspace) in [(nil, nil), ("C", nil), ("C", "W"), (nil, "W")] as [(String?, String?)] {
            #expect(
                reports(edit, company: company, workspace: workspace, at: server)
                    == ["A1 queued", "A1 sending 1", refusal])
        }
    }

    /// Without a list of companies, only the server itself can refuse the request.
    @Test func `an action is sent anyway when the server cannot list companies or workspaces`() {
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
                == ["A1 queued", "A1 refused you belong to no workspace of the company; name one with --workspace"])
    }

    @Test func `a message is sent even to a channel whose message page the server does not have`() {
        let send = Action.Operation.send(channel: Transcript.channel, thread: nil, text: "hi")
        #expect(
            reports(send, at: .core) == ["A1 queued", "A1 sending 1", "A1 refused 404 HTTP status 404"])
    }

    @Test func `an error page from a proxy proves nothing about the place, and each retry is reported`() {
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

    @Test func `a live session refuses an action in a missing workspace, too`() {
        var transcript = Transcript(Configuration(backend: .twake, revision: .v4, company: "C", workspace: "nope"))
        transcript.authenticate()
        transcript.answer("/general/v1/server", "{}")
        transcript.answer("/users/me", #"{"resource":{"id":"U1"}}"#)
        transcript.send("A1", "hi")
        transcript.answer("/users/me/companies", F.list(Server.company))
        transcript.answer("/companies/C/workspaces", F.list(Server.workspace))
        #expect(
            transcript.actions == [
                "A1 refused no workspace 'nope' in company Harbour (C); candidates: Crew (W)"
            ])
    }

    /// An action requested in another workspace, as a store keeps and restores it.
    private func kept(_ id: EntityID, in workspace: EntityID) throws -> OutboxEntry {
        let send = Action.Operation.send(channel: EntityID("#general"), thread: nil, text: "hi")
        var writer = JSONWriter()
        OutboxEntry(Action(id: id, send, asked: Timestamp(milliseconds: 1)))
            .encode(into: &writer, in: Action.Place(company: EntityID("C"), workspace: workspace))
        let entry = try #require(OutboxEntry(try JSONValue(parsing: writer.bytes[...])))
        #expect(entry.action.place == Action.Place(company: EntityID("C"), workspace: workspace))
        return entry
    }

    @Test func `an action queued in another workspace goes to the channel with that name in that workspace`() throws {
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

    @Test func `a live session keeps actions from another workspace queued, and they block no other`() throws {
        var transcript = Transcript.acting()
        #expect(transcript.session.actionPlace == Action.Place(company: EntityID("C"), workspace: EntityID("W")))
        transcript.feed(.restoreOutbox([try kept(EntityID("A1"), in: EntityID("W2"))]))
        #expect(transcript.actions == ["A1 queued"])
        #expect(transcript.calls == [] && transcript.shown == ["first"])
        transcript.send("A2", "two", to: EntityID("#general"))
        #expect(transcript.actions == ["A2 queued", "A2 sending 1"])
        #expect(transcript.session.pendingActions.map(\.action.place?.workspace) == [EntityID("W2"), nil])
    }

    @Test func `an error names at most ten places`() {
        let companies = (1...13).map { #"{"id":"C\#($0)","name":"N\#($0)","logo":""}"# }
        let last = reports(
            Self.operations[0], company: "nope", at: .core,
            answering: [("/users/me/companies", 200, F.list(companies))]
        ).last
        #expect(last?.hasSuffix("N9 (C9), N10 (C10) and 3 more") == true, "\(last ?? "")")
    }

    @Test func `the error for a user without companies says that there are none`() {
        #expect(
            reports(
                Self.operations[0], company: "nope", at: .core,
                answering: [("/users/me/companies", 200, F.list(""))]
            ).last == "A1 refused no company 'nope'; you belong to none")
    }
}

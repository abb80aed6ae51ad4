import Testing
import WeirEvents
import WeirModel
import WeirWire

@testable import WeirPipeline

/// Tests for companies and workspaces.
@Suite struct PlaceTests {
    typealias F = Frames
    private let companies = Item.Section("companies")
    private let workspaces = Item.Section("workspaces", EntityID("C"))
    private let room = "/companies/C/workspaces"

    private func names(_ transcript: Transcript, _ section: Item.Section) -> [String] {
        transcript.session.model.elements(in: section).compactMap { $0.workspace?.name ?? $0.company?.name }
    }

    @Test func `the user's companies and the workspaces of the selected one are rows`() {
        let transcript = Transcript.discovered(following: [.places])
        #expect(names(transcript, companies) == ["Co", "Dee"])
        #expect(names(transcript, workspaces) == ["Work", "Extra"])
    }

    @Test func `places that are not followed are not rows`() {
        let transcript = Transcript.discovered(following: [])
        #expect(names(transcript, companies).isEmpty && names(transcript, workspaces).isEmpty)
    }

    @Test func `a renamed workspace gets its new name at once, and the list is fetched to confirm`() {
        var transcript = Transcript.discovered(following: [.places])
        for _ in 1...3 {
            transcript.receive(
                F.resource("saved", "workspace", room: room, #"{"id":"X","company_id":"C","name":"Extras"}"#))
        }
        #expect(names(transcript, workspaces) == ["Work", "Extras"])
        #expect(transcript.session.model[.workspace(EntityID("X"))]?.workspace?.membersCount == 6)
        transcript.pass(.milliseconds(300))
        #expect(transcript.asked == ["/internal/services/workspaces/v1/companies/C/workspaces"])
        transcript.quiet([("/C/workspaces", F.list(Transcript.workspace("X", "Extras!")))])
        #expect(names(transcript, workspaces) == ["Extras!"])
    }

    @Test func `a workspace missing from the list is removed with its channels, and another is selected`() {
        var transcript = Transcript.discovered(following: [.places])
        let channels = Item.Section("channels", EntityID("W"))
        #expect(transcript.session.model.elementCount(in: channels) > 0)
        transcript.receive(F.resource("saved", "workspace", room: room, #"{"id":"N","company_id":"C","name":"New"}"#))
        transcript.quiet([("/C/workspaces", F.list(Transcript.workspace("X", "Extra")))])
        #expect(names(transcript, workspaces) == ["Extra"])
        #expect(transcript.session.model.elementCount(in: channels) == 0)
        let joined = transcript.session.subscriptions.entries.map(\.name)
        #expect(joined.contains { $0.contains("/workspaces/X/") } && !joined.contains { $0.contains("/workspaces/W/") })
    }

    @Test func `an event may report a removed workspace, too`() {
        var transcript = Transcript.discovered(following: [.places])
        transcript.receive(
            F.resource("deleted", "workspace", room: room, #"{"id":"W","company_id":"C","name":"Work"}"#))
        #expect(names(transcript, workspaces) == ["Extra"])
        #expect(transcript.session.model.elementCount(in: Item.Section("channels", EntityID("W"))) == 0)
    }

    @Test func `the list decides whether an unknown workspace is the user's`() {
        var transcript = Transcript.discovered(following: [.places])
        transcript.receive(F.resource("saved", "workspace", room: room, Transcript.workspace("N", "New")))
        #expect(names(transcript, workspaces) == ["Work", "Extra"])
        transcript.quiet([("/C/workspaces", F.list(Transcript.workspace("N", "New")))])
        #expect(names(transcript, workspaces) == ["New"])
    }

    @Test func `a workspace of another company in this company's room changes nothing`() {
        var transcript = Transcript.discovered(following: [.places])
        transcript.receive(
            F.resource("saved", "workspace", room: room, #"{"id":"X","company_id":"D","name":"Theirs"}"#))
        #expect(names(transcript, workspaces) == ["Work", "Extra"])
        #expect(transcript.session.isSettled)
    }

    @Test func `a renamed company and the user's new role in it are applied and verified`() {
        var transcript = Transcript.discovered(following: [.places, .accounts])
        transcript.receive(F.resource("saved", "company", room: "/company/C", #"{"id":"C","name":"Corp"}"#))
        transcript.receive(
            F.resource("saved", "company_user", room: "/me/U1", #"{"user_id":"U1","group_id":"C","role":"admin"}"#))
        let row = transcript.session.model[.company(EntityID("C"))]?.company
        #expect(row?.name == "Corp" && row?.role == .admin)
        transcript.pass(.milliseconds(300))
        #expect(transcript.asked == ["/internal/services/users/v1/users/me/companies"])
    }

    @Test
    func
        `selecting another company replaces the workspaces and cancels requests about the old ones`()
    {
        var transcript = Transcript.discovered(following: .usual)
        transcript.receive(F.resource("saved", "workspace", room: room, Transcript.workspace("N", "New")))
        transcript.pass(.milliseconds(300))
        #expect(transcript.asked.contains("/internal/services/workspaces/v1/companies/C/workspaces"))
        transcript.feed(.select("/companies/D/workspaces"))
        #expect(names(transcript, workspaces).isEmpty)
        #expect(transcript.asked == ["/internal/services/workspaces/v1/companies/D/workspaces"])
        transcript.quiet()
        #expect(names(transcript, Item.Section("workspaces", EntityID("D"))) == ["Yard"])
        #expect(names(transcript, companies) == ["Co", "Dee"])
        let rooms = transcript.session.subscriptions.entries.map(\.name)
        #expect(!rooms.contains { $0.hasPrefix("/companies/C/") || $0 == "/company/C" || $0 == "/users/online/C" })
        #expect(rooms.contains("/companies/D/workspaces/Y/channels?type=public"))
    }

    @Test func `selecting another workspace of the same company keeps the company's rows and rooms`() {
        var transcript = Transcript.discovered(following: [.places])
        transcript.feed(.select("/companies/C/workspaces/X/channels?type=public"))
        transcript.quiet()
        #expect(names(transcript, workspaces) == ["Work", "Extra"])
        #expect(transcript.session.subscriptions.isWanted(room))
    }

    @Test func `era A, which sends no events about places, fetches both lists at the start and after a gap`() {
        var transcript = Transcript(
            Configuration(backend: .twake, revision: .v4, company: "C", workspace: "W", following: [.places]))
        let service: Transcript.Service = [
            ("/mobile/user", #"{"id":"U1","username":"u"}"#), ("/mobile/workspace/notifications", "[]"),
            ("/mobile/companies", #"[{"id":"C","name":"Co"}]"#),
            ("/mobile/workspaces?", #"[{"id":"W","name":"Work","company_id":"C"}]"#),
        ]
        transcript.authenticate()
        transcript.settle(service)
        #expect(names(transcript, companies) == ["Co"])
        #expect(names(transcript, workspaces) == ["Work"])
        transcript.cut()
        transcript.pass(.seconds(2))
        transcript.authenticate()
        transcript.settle([("/mobile/workspaces?", #"[{"id":"W","name":"Works","company_id":"C"}]"#)] + service)
        #expect(names(transcript, workspaces) == ["Works"])
    }
}

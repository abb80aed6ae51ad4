import Testing
import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for the account requests of each backend.
@Suite struct BackendAccountsTests {
    /// Twake's account calls for a server that answers the probe with `status`.
    private func twake(_ status: Int) throws -> AccountCalls {
        guard case .byEra(let probe, _)? = BackendModule.twake.accounts else {
            throw Missing()
        }
        #expect(probe == RESTCall(.get, "/internal/services/general/v1/server", carriesToken: false))
        return try #require(BackendModule.twake.accounts?.calls(status: status))
    }

    private struct Missing: Error {}

    private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    @Test func `newer Twake servers are detected by their answer, and older ones by a 404`() throws {
        #expect(try twake(200).era == "b" && twake(204).era == "b")
        #expect(try twake(404).era == "a" && twake(410).era == "a")
        for status in [301, 401, 403, 500, 503] {
            #expect(BackendModule.twake.accounts?.calls(status: status) == nil)
        }
    }

    @Test func `login to Twake follows its era, and so does logout`() throws {
        let (old, new) = (try #require(try twake(404).login), try #require(try twake(200).login))
        let older = old.login("ana", Secret("pass word"))
        #expect(older.method == .post && older.target == "/internal/mobile/authorize")
        #expect(
            text(older.body)
                == #"{"username":"ana","password":"pass word","device":"android","timezoneoffset":0,"fcm_token":""}"#)
        let newer = new.login("ana", Secret("pass word"))
        #expect(newer.method == .post && newer.target == "/internal/services/console/v1/login")
        #expect(text(newer.body) == #"{"email":"ana","password":"pass word"}"#)
        #expect(new.logout == nil)
        #expect(old.logout?.target == "/internal/mobile/logout")
        #expect(old.logout.map { text($0.body) } == #"{"fcm_token":""}"#)
    }

    @Test(
        "Tokens are read in the format of either era",
        arguments: [
            #"{"token":"T","refresh_token":"R","expiration":1,"refresh_expiration":2}"#,
            #"{"access_token":{"value":"T","refresh":"R","expiration":1,"refresh_expiration":2},"token":"other"}"#,
        ])
    func tokens(body: String) throws {
        for status in [200, 404] {
            let tokens = try #require(try twake(status).login?.tokens(Array(body.utf8)[...]))
            #expect(tokens.token.reveal() == "T" && tokens.refresh?.reveal() == "R")
            #expect(tokens.expiration == 1 && tokens.refreshExpiration == 2)
            #expect(try twake(status).login?.tokens(Array(#"{"access_token":{}}"#.utf8)[...]) == nil)
        }
    }

    @Test func `Twake files are located by company, and in the older era by workspace`() throws {
        let (old, new) = (try #require(try twake(404).downloads), try #require(try twake(200).downloads))
        let (company, workspace, user, file) = (EntityID("C"), EntityID("W"), EntityID("U"), EntityID("F/1"))
        #expect(old.places.map(\.name) == ["company", "workspace"])
        #expect(old.places[0].list([]).call.target == "/internal/mobile/companies")
        #expect(old.places[1].list([company]).call.target == "/internal/mobile/workspaces?company_id=C")
        #expect(
            old.file(file, [company, workspace]).target
                == "/ajax/drive/download?workspace_id=W&element_id=F%2F1&download=1")
        #expect(old.account(user).target == "/internal/mobile/user?id=U")
        #expect(new.places.map(\.name) == ["company"])
        #expect(new.places[0].list([]).call.target == "/internal/services/users/v1/users/me/companies")
        #expect(new.file(file, [company]).target == "/internal/services/files/v1/companies/C/files/F%2F1/download")
        #expect(new.account(user).target == "/internal/services/users/v1/users/U")
    }

    @Test func `people search in Twake follows its era`() throws {
        let (old, new) = (try #require(try twake(404).people), try #require(try twake(200).people))
        let (place, user) = ([EntityID("C"), EntityID("W")], EntityID("U"))
        #expect(
            old.search("Ana Lima", place[0]).call.target == "/internal/mobile/users/search?company_id=C&name=Ana%20Lima"
        )
        #expect(
            new.search("Ana Lima", place[0]).call.target
                == "/internal/services/users/v1/users?search=Ana%20Lima&search_company_id=C")
        #expect(old.members(place).call.target == "/internal/mobile/workspaces/members?company_id=C&workspace_id=W")
        #expect(
            new.members(place).call.target
                == "/internal/services/workspaces/v1/companies/C/workspaces/W/users?limit=1000")
        let row = #"{"user_id":"U","role":"moderator","user":{"id":"U","full_name":"Ana Lima","status":"out"}}"#
        let page = try new.members(place).read(Array(#"{"resources":[\#(row)],"next_page_token":"2"}"#.utf8)[...])
        #expect(
            page.next == "2" && page.rows.map(\.role) == ["moderator"] && page.rows.map(\.account.status) == ["out"])
        #expect(old.accounts([user], place).map(\.call) == [old.members(place).call])
        #expect(new.accounts([user], place).map(\.call.target) == ["/internal/services/users/v1/users?user_ids=U"])
        #expect(
            new.channels(place).map { $0.members(EntityID("CH")).call.target } == [
                "/internal/services/channels/v1/companies/C/workspaces/W/channels/CH/members?limit=1000",
                "/internal/services/channels/v1/companies/C/workspaces/direct/channels/CH/members?limit=1000",
            ])
    }

    @Test func `every backend with accounts can identify the user of a token`() throws {
        #expect(try twake(404).whoami?.target == "/internal/mobile/user")
        #expect(try twake(200).whoami?.target == "/internal/services/users/v1/users/me")
        guard case .alike(let calls)? = BackendModule.groupMe.accounts else { throw Missing() }
        #expect(calls.whoami?.target == "/v3/users/me" && calls.era == nil)
        #expect(calls.login == nil && calls.tokenPage == "https://dev.groupme.com", "a person has it from there")
        let body = #"{"response":{"id":20000001,"name":"Mia","image_url":"https://i.example/1"},"meta":{"code":200}}"#
        let account = try calls.account(Array(body.utf8)[...])
        #expect(account == BackendAccount(id: EntityID("20000001"), name: "Mia", picture: "https://i.example/1"))
        #expect(throws: DecodingFailure.self) { try calls.account(Array(#"{"meta":{"code":401}}"#.utf8)[...]) }
        #expect(BackendModule.untyped.accounts == nil)
    }

    @Test(
        "A refusal is reported in the server's words, wherever the answer contains them",
        arguments: [
            (#"{"message":"No."}"#, "No."), (#"{"error":"Gone"}"#, "Gone"),
            (#"{"message":"","error":"x"}"#, "HTTP status 400"),
            (#"{"meta":{"code":40001,"errors":["a","b"]},"response":null}"#, "a; b"), ("<html>", "HTTP status 400"),
            ("", "HTTP status 400"),
        ])
    func refusal(body: String, words: String) {
        #expect(RESTCall.refusal(status: 400, body: Array(body.utf8)[...]) == words)
    }
}

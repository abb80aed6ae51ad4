import Testing
import WeirJSON
import WeirWire

@testable import WeirDemoServer
@testable import WeirEvents

/// Checks the calls of era B (Twake TW-79 to TW-85), both the raw answers and their decoding by `WeirEvents`.
@Suite struct EraBTests {
    @Test func `the server reports that it is ready without a token`() throws {
        var stage = try RESTStage()
        let answer = stage.ask("GET", "/internal/services/general/v1/server", token: .some(nil))
        #expect(answer.status == 200)
        #expect(answer.json["status"]?.stringValue == "ready")
        #expect(answer.json["version"]?["minimal"]?["mobile"]?.stringValue == "2021.Q3.735")
    }

    @Test func `the user's own account has preferences and companies, and another's does not`() throws {
        var stage = try RESTStage()
        let mine = stage.ask("GET", "/internal/services/users/v1/users/me")
        let account = try Twake.account(from: mine.body)
        #expect(account.id == stage.user("ana") && account.name == "Ana Lima")
        #expect(mine.json["resource"]?["preference"] != nil)
        let other = stage.ask("GET", "/internal/services/users/v1/users/\(stage.user("ben"))")
        #expect(other.json["resource"]?["full_name"]?.stringValue == "Ben Okafor")
        #expect(other.json["resource"]?["preference"] == nil)
    }

    @Test func `companies and workspaces decode as places`() throws {
        var stage = try RESTStage()
        let companies = stage.ask("GET", "/internal/services/users/v1/users/me/companies")
        #expect(try Twake.places(from: companies.body) == [Twake.Place(id: stage.company, name: "Acme")])
        let workspaces = stage.ask("GET", "/internal/services/workspaces/v1/companies/\(stage.company)/workspaces")
        #expect(try Twake.places(from: workspaces.body) == [Twake.Place(id: stage.workspace, name: "WS1")])
        let users = stage.ask(
            "GET",
            "/internal/services/workspaces/v1/companies/\(stage.company)/workspaces/\(stage.workspace)/users?limit=2")
        #expect(users.json["resources"]?.arrayValue?.count == 2)
        #expect(users.json["next_page_token"]?.stringValue == "2")
    }

    @Test func `mine=1 returns the user's channels with the membership and the last message`() throws {
        var stage = try RESTStage()
        let answer = stage.ask("GET", "\(stage.channels)?mine=1&websockets=1")
        #expect(answer.json["resources"]?.texts("name") == ["General"])
        #expect(
            answer.json["websockets"]?.texts("room").first
                == "/companies/\(stage.company)/workspaces/\(stage.workspace)/channels?type=public")
        let channels = try Twake.channels(from: answer.body)
        #expect(channels.first?.lastMessage?.text == "first")
        #expect(channels.first?.hasUnread == true)
        #expect(channels.first?.members == [], "members are another request's")
        let all = stage.ask("GET", stage.channels)
        #expect(all.json["resources"]?.texts("name") == ["General", "Another"], "the private one stays hidden")
        #expect(all.json["resources"]?.arrayValue?.last?["last_message"] == .object([]))
    }

    @Test func `directs contain their members and, on request, the users`() throws {
        var stage = try RESTStage()
        let answer = stage.ask("GET", "\(stage.directs)?mine=1&include_users=1")
        let direct = try #require(try Twake.channels(from: answer.body).first)
        #expect(direct.visibility == .direct)
        #expect(direct.workspace == "direct")
        #expect(direct.members == [stage.user("ben"), stage.user("ana")])
        #expect(answer.json["resources"]?.arrayValue?.first?["users"]?.texts("username") == ["ben", "ana"])
    }

    @Test func `a single channel is returned without its last message and read marker`() throws {
        var stage = try RESTStage()
        let answer = stage.ask("GET", "\(stage.channels)/\(stage.channel("General"))")
        #expect(answer.json["resource"]?["last_message"] == nil)
        #expect(answer.json["resource"]?["user_member"]?["last_access"] == nil)
        #expect(answer.json["resource"]?["user_member"]?["notification_level"]?.stringValue == "all")
    }

    @Test func `the feed is ordered by last activity, counts the head, and pages by an inclusive message id`()
        throws
    {
        var stage = try RESTStage()
        let general = stage.channel("General")
        let answer = stage.ask("GET", stage.feed(general))
        #expect(answer.json["resources"]?.texts("text") == ["two", "one"], "one was answered last")
        #expect(answer.json["resources"]?.arrayValue?.last?["stats"]?["replies"] == .integer(2))
        #expect(answer.json["resources"]?.arrayValue?.last?["last_replies"]?.texts("text") == ["one", "first"])
        let last = stage.ask("GET", "\(stage.feed(general))?limit=1")
        let token = try #require(last.json["next_page_token"]?.stringValue)
        #expect(last.json["resources"]?.texts("text") == ["one"])
        let before = stage.ask(
            "GET", "\(stage.feed(general))?limit=2&page_token=\(token)&direction=history&replies_per_thread=0")
        #expect(before.json["resources"]?.texts("text") == ["two", "one"], "the bound comes again")
        #expect(before.json["next_page_token"] == nil)
        let future = stage.ask("GET", "\(stage.feed(general))?page_token=\(stage.id("two"))&direction=future&limit=1")
        #expect(future.json["resources"]?.texts("text") == ["two"])
        #expect(future.json["next_page_token"]?.stringValue == stage.id("two").description)
        let messages = try Twake.messages(from: answer.body)
        #expect(Set(messages.map(\.text)) == ["one", "two", "first"])
    }

    @Test func `a thread begins with its head, a single head has counters, and a single reply has none`() throws {
        var stage = try RESTStage()
        let thread = "\(stage.threads)/\(stage.id("one"))/messages"
        #expect(stage.ask("GET", thread).json["resources"]?.texts("text") == ["one", "first"])
        let head = stage.ask("GET", "\(thread)/\(stage.id("one"))?include_users=1")
        #expect(try Twake.message(from: head.body).replies == 1)
        #expect(head.json["resource"]?["users"]?.texts("username") == ["ben"])
        let reply = stage.ask("GET", "\(thread)/\(stage.id("first"))")
        #expect(try Twake.message(from: reply.body).replies == nil)
        #expect(stage.ask("GET", "\(thread)/\(stage.id("two"))").status == 404, "of another thread")
    }

    @Test func `new threads, replies, edits, reactions, pins and deletions are answered and published`() throws {
        var stage = try RESTStage()
        let general = stage.channel("General")
        let participants =
            #"[{"type":"channel","id":"\#(general)","workspace_id":"\#(stage.workspace)","company_id":"\#(stage.company)"}]"#
        let new = stage.ask(
            "POST", stage.threads,
            #"{"resource":{"participants":\#(participants)},"options":{"message":{"text":"three"}}}"#)
        #expect(new.status == 200)
        #expect(new.json["resource"]?["message"]?["text"]?.stringValue == "three")
        #expect(stage.frames.map(\.line).contains("created message \(stage.world.rooms.feed(stage.world.channels[0]))"))
        let messages = "\(stage.threads)/\(stage.id("three"))/messages"

        let reply = stage.ask("POST", messages, #"{"resource":{"text":"me too"}}"#)
        #expect(try Twake.message(from: reply.body).thread == stage.id("three"))
        let edit = stage.ask("POST", "\(messages)/\(stage.id("me too"))", #"{"resource":{"text":"me three"}}"#)
        #expect(try Twake.message(from: edit.body).editedAt != nil)
        let path = "\(messages)/\(stage.id("me three"))"
        let react = stage.ask("POST", "\(path)/reaction", #"{"reactions":["🎉"]}"#)
        #expect(
            try Twake.message(from: react.body).reactions == [
                Twake.Reaction(name: "🎉", count: 1, users: [stage.user("ana")])
            ])
        #expect(try Twake.message(from: stage.ask("POST", "\(path)/pin", #"{"pin":true}"#).body).isPinned)
        let delete = stage.ask("POST", "\(path)/delete", "{}")
        #expect(delete.json == .fields(["status": .string("success")]))
        #expect(stage.frames.last?.payload["data"]?["action"]?.stringValue == "remove")
        #expect(try Twake.message(from: stage.ask("GET", path).body).subtype == "deleted")
    }

    @Test func `a message is moved by a request with its previous thread`() throws {
        var stage = try RESTStage()
        let (one, two, first) = (stage.id("one"), stage.id("two"), stage.id("first"))
        _ = stage.ask("POST", "\(stage.threads)/\(two)/messages", #"{"resource":{"text":"mine"}}"#)
        let mine = stage.id("mine")
        let moved = stage.ask(
            "POST", "\(stage.threads)/\(one)/messages/\(mine)",
            #"{"resource":{"text":"mine"},"options":{"previous_thread":"\#(two)"}}"#)
        #expect(try Twake.message(from: moved.body).thread == one)
        #expect(stage.world.messages(ofThread: one).map(\.id) == [one, first, mine])
    }

    @Test func `channels are created, changed, read and deleted`() throws {
        var stage = try RESTStage()
        let made = stage.ask(
            "POST", stage.channels,
            #"{"options":{"members":["\#(stage.user("ben"))"]},"resource":{"name":"New","visibility":"private"}}"#)
        #expect(made.status == 201)
        let id = try Twake.channel(from: made.body).id
        #expect(stage.world.channel(id)?.memberships.map(\.user) == [stage.user("ana"), stage.user("ben")])
        #expect(stage.ask("POST", "\(stage.channels)/\(id)", #"{"resource":{"name":"Newer"}}"#).status == 201)
        let again = stage.ask("POST", "\(stage.channels)/\(id)", #"{"resource":{"name":"Newer"}}"#)
        #expect(
            again.json.raw.description == #"{"statusCode":400,"error":"Bad Request","message":"Nothing to update"}"#)
        #expect(stage.ask("POST", "\(stage.channels)/\(id)/read", #"{"value":true}"#).json == .bool(true))
        let members = stage.ask("GET", "\(stage.channels)/\(id)/members?limit=1000")
        #expect(
            try Twake.members(from: members.body, channel: id).map(\.user) == [stage.user("ana"), stage.user("ben")])
        let deleted = stage.ask("DELETE", "\(stage.channels)/\(id)")
        #expect(deleted.status == 204)
        #expect(deleted.body.isEmpty)
        #expect(stage.ask("GET", "\(stage.channels)/\(id)").status == 404)
    }

    @Test func `only a channel's owner and the workspace's moderator change its visibility, others the rest`() throws {
        var stage = try RESTStage()
        let general = "\(stage.channels)/\(stage.channel("General"))"
        let refused = stage.ask("POST", general, #"{"resource":{"visibility":"private"}}"#)
        #expect(refused.status == 400)
        #expect(refused.json["message"]?.stringValue == "Current user can not update requested fields")
        let rest = stage.ask("POST", general, #"{"resource":{"visibility":"private","icon":"🌊"}}"#)
        #expect(rest.status == 201 && rest.json["resource"]?["visibility"]?.stringValue == "public")
        let own = try Twake.channel(from: stage.ask("POST", stage.channels, #"{"resource":{"name":"Mine"}}"#).body).id
        let changed = stage.ask("POST", "\(stage.channels)/\(own)", #"{"resource":{"visibility":"private"}}"#)
        #expect(changed.status == 201 && changed.json["resource"]?["visibility"]?.stringValue == "private")
    }

    @Test func `only a workspace's moderator adds and removes users`() throws {
        var stage = try RESTStage()
        let all = "/internal/services/workspaces/v1/companies/\(stage.company)/workspaces"
        let (ben, cleo) = (stage.user("ben"), stage.user("cleo"))
        #expect(stage.ask("DELETE", "\(all)/\(stage.workspace)/users/\(ben)").status == 403)
        let own = stage.ask("POST", all, #"{"resource":{"name":"Mine"}}"#).json["resource"]?["id"]?.stringValue ?? ""
        let users = "\(all)/\(own)/users"
        #expect(stage.ask("DELETE", "\(users)/\(ben)").status == 204)
        #expect(stage.ask("DELETE", "\(users)/\(ben)").status == 404)
        #expect(stage.ask("DELETE", "\(users)/\(stage.user("ana"))").status == 403, "the moderator stays")
        #expect(stage.ask("DELETE", "\(users)/\(cleo)").status == 204)
        #expect(stage.ask("GET", users).json["resources"]?.texts("id") == [stage.user("ana").description])
        let added = stage.ask("POST", users, #"{"resource":{"user_id":"\#(ben)","role":"member"}}"#)
        #expect(added.status == 201 && added.json["resource"]?["role"]?.stringValue == "member")
        let invited = stage.ask(
            "POST", "\(users)/invite",
            #"{"invitations":[{"email":"cleo@example.org","role":"member"},{"email":"no@example.org"}]}"#)
        #expect(invited.json["resources"]?.texts("status") == ["ok", "error"])
        #expect(stage.ask("GET", users).json["resources"]?.arrayValue?.count == 3)
    }

    @Test func `members are added and removed, and an existing direct is found`() throws {
        var stage = try RESTStage()
        let open = stage.channel("Another")
        let added = stage.ask(
            "POST", "\(stage.channels)/\(open)/members",
            #"{"resource":{"user_id":"\#(stage.user("ana"))","type":"member"}}"#)
        #expect(added.status == 201)
        #expect(stage.ask("DELETE", "\(stage.channels)/\(open)/members/\(stage.user("ana"))").status == 204)
        let found = stage.ask(
            "POST", stage.directs, #"{"options":{"members":["\#(stage.user("ben"))"]},"resource":{}}"#)
        #expect(found.status == 201)
        #expect(try Twake.channel(from: found.body).id == stage.direct)
        #expect(stage.frames.map { $0.payload["type"]?.stringValue } == ["channels", "channels"])
    }

    @Test func `badges are unread threads, and a request for all companies returns the first one twice`() throws {
        var stage = try RESTStage()
        let path = "/internal/services/notifications/v1/badges?company_id=\(stage.company)"
        let badges = try Twake.badges(from: stage.ask("GET", path).body)
        #expect(badges.map(\.thread) == [stage.id("one"), stage.id("two"), stage.id("psst")])
        #expect(try Twake.badges(from: stage.ask("GET", "\(path)&all_companies=true").body).count == 4)
        _ = stage.ask("POST", "\(stage.channels)/\(stage.channel("General"))/read", "{}")
        #expect(stage.frames.count { $0.payload["type"]?.stringValue == "user_notification_badges" } == 2)
        #expect(try Twake.badges(from: stage.ask("GET", path).body).map(\.workspace) == ["direct"])
    }

    @Test func `a missing, wrong or expired token is answered with 401`() throws {
        var stage = try RESTStage()
        let refusal = #"{"statusCode":401,"error":"Unauthorized","message":"Bad credentials"}"#
        for token in [nil, "nonsense"] {
            let answer = stage.ask("GET", stage.channels, token: .some(token))
            #expect(answer.status == 401)
            #expect(String(decoding: answer.body, as: UTF8.self) == refusal)
        }
        stage.now = stage.now + .seconds(60)
        #expect(stage.ask("GET", stage.channels).status == 401)
        #expect(
            stage.ask("GET", "/internal/services/users/v1/companies/\(stage.company)", token: .some(nil)).status == 200,
            "public")
    }

    @Test func `a missing or invisible object is answered with 404`() throws {
        var stage = try RESTStage()
        let paths = [
            "/internal/services/nothing/v1/here", "/elsewhere", "\(stage.channels)/\(stage.channel("Leads"))",
            "\(stage.channels)/nonsense",
            stage.feed(stage.direct), "\(stage.threads)/none/messages", "/internal/services/users/v1/users/nobody",
        ]
        for path in paths { #expect(stage.ask("GET", path).status == 404, "\(path)") }
        let stranger = stage.ask("GET", "/internal/services/nothing?a=b")
        #expect(
            String(decoding: stranger.body, as: UTF8.self)
                == #"{"message":"Route GET:/internal/services/nothing?a=b not found","error":"Not Found","statusCode":404}"#
        )
    }

    @Test func `invalid requests are answered and change nothing`() throws {
        var stage = try RESTStage()
        let before = stage.world.truth(for: stage.backend.me)
        #expect(stage.ask("POST", stage.threads, "{").status == 400)
        #expect(stage.ask("POST", stage.threads, "[]").status == 400)
        #expect(stage.ask("GET", "\(stage.feed(stage.channel("General")))?page_token=none").status == 400)
        #expect(stage.ask("GET", "\(stage.feed(stage.channel("General")))?limit=-5&replies_per_thread=x").status == 200)
        #expect(
            stage.ask(
                "POST", "\(stage.threads)/\(stage.id("one"))/messages/\(stage.id("one"))",
                #"{"resource":{"text":"stolen"}}"#
            ).status == 500)
        #expect(
            stage.ask("POST", "\(stage.threads)/\(stage.id("one"))/messages", #"{"resource":{"text":7}}"#).status == 400
        )
        #expect(stage.ask("GET", "/internal/services/users/v1/users/%FF%zz%").status == 404)
        #expect(stage.world.truth(for: stage.backend.me) == before)
    }

    @Test func `a login returns a valid token`() throws {
        var stage = try RESTStage()
        let answer = stage.ask(
            "POST", "/internal/services/console/v1/login", #"{"email":"ben@example.org","password":"weir"}"#,
            token: .some(nil))
        let token = try #require(answer.json["access_token"]?["value"]?.stringValue)
        let me = stage.ask("GET", "/internal/services/users/v1/users/me", token: token)
        #expect(try Twake.account(from: me.body).id == stage.user("ben"))
        let wrong = stage.ask(
            "POST", "/internal/services/console/v1/login", #"{"email":"ben@example.org","password":"x"}"#,
            token: .some(nil))
        #expect(wrong.status == 403)
        #expect(
            stage.ask("POST", "/internal/services/console/v1/token", "{}").json["access_token"]?["type"]?.stringValue
                == "Bearer")
    }
}

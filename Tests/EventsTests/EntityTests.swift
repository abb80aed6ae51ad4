import Testing
import WeirJSON

@testable import WeirEvents

@Suite struct `Twake entities` {
    private func message(_ fields: String) throws -> Twake.Message {
        try Twake.message(from: Array(#"{"id":"M",\#(fields)}"#.utf8)[...])
    }

    @Test func `an authentication does not reveal its tokens when printed`() throws {
        let tokens = Twake.Authentication(
            token: "secret-1", expiration: Timestamp(milliseconds: 5), refreshToken: "secret-2")
        var dumped = ""
        dump(tokens, to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), dumped, "\([tokens])", "\(Optional(tokens) as Any)"] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }

    @Test func `an authentication is due ten minutes before it expires`() {
        let tokens = Twake.Authentication(token: "t", expiration: Timestamp(milliseconds: 3_600_000))
        #expect(!tokens.isDue(at: Timestamp(milliseconds: 3_000_000)))
        #expect(tokens.isDue(at: Timestamp(milliseconds: 3_000_001)))
        #expect(tokens.isDue(at: Timestamp(milliseconds: .max)))
    }

    @Test func `a company or a workspace has its counts and dates in either era`() throws {
        let company = try #require(try Twake.companies(from: Sample.answer("B", "companies")).first)
        #expect(company.membersCount == 12 && company.guestsCount == 2 && company.createdAt == nil)
        #expect(company.plan == Twake.Company.Plan(name: "free", members: 20, guests: 5, storage: 1_000_000))
        #expect(company.status == "active" && company.logo == nil)
        let first = try #require(try Twake.companies(from: Sample.answer("A", "companies")).first)
        #expect(first.membersCount == 12 && first.notificationRooms == ["previous:group/C"])
        let guest = try Twake.company(from: Sample.answer("B", "company"))
        #expect(guest.role == .guest && guest.plan == nil && guest.createdAt?.milliseconds == 1_600_000_000_000)
        let workspace = try #require(try Twake.workspaces(from: Sample.answer("A", "workspaces")).first)
        #expect(workspace.membersCount == 6 && workspace.color == "#222" && workspace.isPrivate == false)
        #expect(workspace.lastAccess?.milliseconds == 1_620_987_000_000 && workspace.company == EntityID("C"))
        let archived = try Twake.workspace(from: Sample.answer("B", "workspace"))
        #expect(archived.isArchived && archived.isDefault == false && archived.role == .admin)
    }

    @Test func `a user in era B has preferences and companies only for the user's own account`() throws {
        let me = try Twake.account(from: Sample.answer("B", "account"))
        #expect(me.preference == Twake.Account.Preference(locale: "en", timezone: 0, allowTracking: false))
        #expect(me.companies.map(\.company.id) == [EntityID("C")] && me.companies.map(\.role) == [.member])
        let other = try #require(try Twake.accounts(from: Sample.answer("B", "accounts")).first)
        #expect(other.preference == nil && other.companies.isEmpty && other.status == "at lunch")
        let member = try #require(try Twake.workspaceUsers(from: Sample.answer("B", "workspace_users")).first)
        #expect(member.user == other && member.workspace == EntityID("W") && member.role == .member)
        let bare = try Twake.workspaceUsers(from: Array(#"[{"user_id":"U9"}]"#.utf8)[...])
        #expect(bare.map(\.user.id) == [EntityID("U9")])
    }

    @Test func `an account has a name, whichever of its fields are missing`() throws {
        func name(_ fields: String) throws -> String {
            try Twake.account(from: Array(#"{"id":"U"\#(fields)}"#.utf8)[...]).name
        }
        #expect(try name("") == "U")
        #expect(try name(#","email":"a@b""#) == "a@b")
        #expect(try name(#","email":"a@b","username":"ab""#) == "ab")
        #expect(try name(#","username":"ab","firstname":"","last_name":"B""#) == "B")
        #expect(try name(#","first_name":"A","last_name":null"#) == "A")
        #expect(try name(#","first_name":"A","last_name":"B""#) == "A B")
        #expect(try name(#","first_name":"A","full_name":"A. B.""#) == "A. B.")
        #expect(try name(#","status":["x"],"status_icon":{}"#) == "U")
    }

    @Test func `a message keeps rare fields, and a plain message has none of them`() throws {
        let plain = try #require(try Sample.message("3.3 message created: a reply"))
        #expect(!plain.fields.hasDetails)
        let last = try #require(try Sample.message("3.3 message: 2022, a reply that quotes"))
        #expect(last.status == .delivered && last.channel == EntityID("CH") && last.quoted?.text == "Message 2")
        #expect(last.links?.description == #"[{"title":"Example","domain":"example.org","url":"https://example.org"}]"#)
        #expect(try Sample.message("3.3 message created: something")?.type == .event)
        let ephemeral = try #require(try Sample.message("3.3 message created: an ephemeral one")).ephemeral
        #expect(ephemeral?.recipient == EntityID("U1") && ephemeral?.context == EntityID("X"))
        let pinned = try #require(try Sample.message("3.3 message updated: edited"))
        #expect(pinned.pin == Twake.Pin(at: Timestamp(milliseconds: 1_620_987_801_000), by: EntityID("U2")))
        let application = try #require(try Sample.message("3.3 message created: by an application"))
        #expect(application.context?.description == #"{"build":7}"#)
        #expect(
            application.content == [.group(type: nil, start: "*", [.text("Build 7")]), .text(" passed")])
    }

    @Test func `a message has no details again after the last one is removed`() throws {
        let plain = try message(#""text":"x""#)
        var changed = plain
        changed.isPinned = true
        changed.files = [Twake.File(id: EntityID("F"))]
        changed.status = .read
        #expect(changed.isPinned && changed.pin == Twake.Pin() && changed != plain)
        changed.isPinned = false
        changed.files = []
        changed.status = nil
        #expect(changed == plain && !changed.fields.hasDetails)
    }

    @Test(arguments: [
        #""text":"a \"b\" é","blocks":[{"type":"twacode","elements":["a \"b\" é"]}]"#,
        #""blocks":[{"type":"twacode","elements":["a \"b\" é"]}],"text":"a \"b\" é""#,
        #""content":{"original_str":"a \"b\" é","prepared":["a \"b\" é"]}"#,
        #""content":{"prepared":["a \"b\" é"],"original_str":"a \"b\" é"}"#,
        #""text":"a \"b\" é","blocks":[]"#, #""text":"a \"b\" é","blocks":null"#, #""text":"a \"b\" é","blocks":{}"#,
        #""text":"a \"b\" é","content":[]"#, #""text":"a \"b\" é","blocks":[ ]"#,
        #""text":"a \"b\" é","blocks":[ { "type" : "twacode", "elements":[ "a \"b\" é" ] } ]"#,
    ])
    func `a message keeps its blocks only when they differ from its text`(_ fields: String) throws {
        let plain = try message(fields)
        #expect(plain.blocks == nil && plain.text == #"a "b" é"# && plain.content == [.text(#"a "b" é"#)])
    }

    @Test func `a message reads its formatted contents in era A's format, too`() throws {
        let body = #"""
            "content":{"original_str":"Hi","prepared":["Hi ",{"start":"@","content":"a.user:U1"},
            {"start":"\n","content":[]},{"type":"nop","content":[{"type":"file","mode":"preview","content":"F1",
            "metadata":{"id":"F1","name":"x.png","size":1234,"preview":null,"download":"/ajax/drive/"}}]},
            {"start":"@","content":"all"},{"x":1},7,null]}
            """#
        let file = Twake.File(id: EntityID("F1"), name: "x.png", size: 1234, download: "/ajax/drive/")
        let pieces = try message(body).content
        #expect(try message(body).files == [file])
        #expect(
            pieces == [
                .text("Hi "), .mention(name: "a.user", user: EntityID("U1")), .lineBreak,
                .group(type: "nop", start: nil, [.file(file, mode: "preview")]), .mention(name: "all", user: nil),
                .other(try RawJSON(#"{"x":1}"#)), .other(try RawJSON("7")),
            ])
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (12_345, "12 kB"), (999_499, "999 kB"),
        (999_900, "1.0 MB"), (50_000_001, "50 MB"), (3_400_000_000, "3.4 GB"), (.max, "9223372 TB"),
    ])
    func `a file is shown with its name and size`(_ size: Int, _ text: String) throws {
        #expect(FilePreview.text(name: "x.png", size: size) == "[x.png \(text)]")
        let rows = #"[{"id":"F","name":"x.png","size":\#(size)},{"id":"G"},7,{}]"#
        #expect(FilePreview.text(of: try JSONValue(parsing: Array(rows.utf8)[...])) == "[x.png \(text)] [G]")
        #expect(FilePreview.text(of: .array([])) == nil && FilePreview.text(of: .null) == nil)
    }

    @Test func `a message does not fail because of its quoted message`() throws {
        for quoted in ["null", "[]", "7", #""x""#, "{}", #"{"id":[]}"#, #"{"text":"no id"}"#] {
            #expect(try message(#""quote_message":\#(quoted),"text":"x""#).quoted == nil)
        }
        let nested = try message(#""quote_message":{"id":"Q","text":"q","quote_message":{"id":"R"}}"#)
        #expect(nested.quoted?.text == "q" && nested.quoted?.quoted == nil)
    }

    @Test func `a message is read by its sender, and by users with a later access to the channel`() throws {
        let sent = try message(#""user_id":"U1","created_at":1620987774123"#)
        let (before, after) = (Timestamp(milliseconds: 1_620_987_774_122), Timestamp(milliseconds: 1_620_987_774_123))
        #expect(sent.isRead(by: EntityID("U1"), lastAccess: nil))
        #expect(!sent.isRead(by: EntityID("U2"), lastAccess: before) && !sent.isRead(by: nil, lastAccess: nil))
        #expect(sent.isRead(by: EntityID("U2"), lastAccess: after))
        #expect(try message(#""user_id":"U1""#).isRead(by: EntityID("U2"), lastAccess: nil))
        #expect(try message(#""text":"x""#).sender == nil)
        #expect(sent.sender == "U1")
    }

    @Test func `a channel keeps the fields from lists that an event lacks`() throws {
        let listed = try #require(try Twake.channels(from: Sample.answer("B", "channels")).first)
        #expect(listed.memberType == .member && listed.isFavorite == false && listed.notificationLevel == .mentions)
        #expect(listed.isDefault && listed.createdAt == Timestamp(milliseconds: 1_631_500_000_000))
        var changed = try #require(try Sample.channel("3.3 channel saved: of 2022"))
        #expect(changed.group == "Projects" && changed.archivedAt?.milliseconds == 1_620_987_950_000)
        #expect(changed.isReadOnly == true && changed.connectors?.description == #"["APP"]"# && changed.isDefault)
        changed.update { $0.profile.keepDetails(of: listed.fields.profile) }
        #expect(changed.memberType == .member && changed.role == .owner && changed.notificationLevel == .mentions)
        var plain = try #require(try Sample.channel("3.3 channel saved: a rename"))
        #expect(!plain.hasDetails)
        plain.update { $0.profile.keepDetails(of: listed.fields.profile) }
        #expect(plain.memberType == .member)
    }

    @Test func `a change of reactions is decoded from the answer to an action`() throws {
        let change = try Twake.reactions(from: Sample.answer("A", "reactions"))
        #expect(change.message == EntityID("5828c718-b49e-11eb-8ae0-0242ac120003"))
        #expect(change.reactions.map(\.count) == [1])
    }

    @Test func `presence knows its company when the server sends it`() throws {
        let statuses = try Twake.onlineStatuses(from: Sample.answer("B", "online_statuses"))
        #expect(statuses.map(\.isOnline) == [true, false])
        guard case .online(let known) = try Sample.event("1.6: presence").resource?.resource,
            case .online(let gone) = try Sample.event("1.6: presence, gone").resource?.resource
        else { return #expect(Bool(false), "no presence") }
        #expect(known.map(\.company) == [EntityID("C")] && gone.map(\.company) == [nil])
    }

    @Test func `a tab, a bookmark and a document are decoded`() throws {
        guard case .tab(let tab) = try Sample.event("3.3 channel_tabs").resource?.resource,
            case .bookmark(let bookmark) = try Sample.event("3.3 user_message_bookmark").resource?.resource,
            case .document(let document) = try Sample.event("2.1 documents").resource?.resource,
            case .companyUser(let member) = try Sample.event("3.3 company_user").resource?.resource
        else { return #expect(Bool(false), "not decoded") }
        #expect(tab.application == EntityID("A") && tab.order == "0" && tab.configuration == nil)
        #expect(bookmark.user == EntityID("U1") && bookmark.name == "later")
        #expect(document.company == EntityID("C"))
        #expect(member.role == .member && member.addedAt?.milliseconds == 1_600_000_000_000)
    }

    @Test func `enumerations keep unknown values`() {
        #expect(Twake.MessageType(wire: "poll").wireName == "poll")
        #expect(Twake.MessageSubtype(wire: "moved") == "moved")
        #expect(Twake.DeliveryStatus(wire: "lost").wireName == "lost")
        #expect(Twake.MemberType(wire: "robot") == "robot")
        #expect(Twake.NotificationLevel(wire: "none") == .muted && Twake.NotificationLevel.muted.wireName == "none")
        #expect(Twake.Role(wire: "organization_administrator").wireName == "organization_administrator")
        #expect(Twake.Permission(wire: "DANCE") == "DANCE")
        for name in ["owner", "admin", "moderator", "member", "guest"] {
            #expect(Twake.Role(wire: name).wireName == name)
        }
    }
}

import Testing
import WeirEvents
import WeirModel
import WeirRecording
import WeirWire

@testable import WeirLive
@testable import WeirViews
@testable import WeirPipeline

@Suite("Local notifications")
struct NotificationTests {
    private static let me = Sample.id(5)
    private static let ann = Sample.id(6)
    private static let direct = Sample.id(8)
    /// The time of the first report, in milliseconds since 1970.
    private static let start: Int64 = 1_767_323_045_123

    private static func message(
        _ number: Int, _ text: String, at time: Int64 = 10, in channel: EntityID = Sample.channel,
        by user: EntityID = ann, delivery: Item.Delivery? = nil, change: (inout Twake.Message) -> Void = { _ in }
    ) -> Item {
        let id = EntityID("m\(number)")
        var message = Twake.Message(
            id: id, thread: id, channel: channel, user: user, senderName: "Ann", text: text,
            createdAt: Timestamp(milliseconds: start + time))
        change(&message)
        return Item(
            id: Item.ID(.message, id), section: Item.Section("messages", channel), sortKey: start + time,
            entity: Item.Entity(message), delivery: delivery)
    }

    private static func channel(_ id: EntityID, _ name: String, in section: String, read: Int64? = nil) -> Item {
        let channel = Twake.Channel(
            id: id, company: Sample.id(1), workspace: Sample.id(2), name: name,
            lastAccess: read.map { Timestamp(milliseconds: start + $0) })
        return Item(
            id: Item.ID(.channel, id), section: Item.Section(section), sortKey: 0, entity: Item.Entity(channel))
    }

    private static func diff(
        _ items: [Item] = [], gone: [Item] = [], cause: Int = 3, at time: Int64 = 20, refetched: [String] = []
    ) -> StampedReport {
        let place = SectionPath(section: 0, item: 0)
        var batch = Batch<Item>()
        batch.insertions = items.map { .init(path: place, element: $0) }
        batch.deletions = gone.map { .init(path: place, element: $0) }
        return StampedReport(
            stamp: Sample.stamp(cause, time),
            report: .diff(
                DiffReport(sequence: 1, cause: cause, batch: batch, refetched: refetched, user: me.description)))
    }

    private static func event(_ number: Int, _ text: String, room: String, n: Int) -> StampedReport {
        let message = Self.message(number, text).message ?? Twake.Message(id: .none, thread: .none, text: "")
        let resource = Twake.SocketIOResource(
            action: .created, room: room, type: .message, path: nil, resource: .message(message))
        return StampedReport(
            stamp: Sample.stamp(n, 20),
            report: .event(
                EventReport(
                    event: .twake(.resource(resource)), source: .init(array: Sample.raw(Sample.messagePayload)))))
    }

    /// Returns a book that knows the user, a channel and a direct.
    private static func book(_ rules: NotificationRule..., read: Int64? = nil) -> NotificationBook {
        var book = NotificationBook(rules)
        let rows = [
            channel(Sample.channel, "General", in: "channels", read: read), channel(direct, "Ann", in: "directs"),
        ]
        #expect(book.changes(by: diff(rows, cause: 1, at: 0)).isEmpty)
        return book
    }

    private static func names(_ changes: [NotificationBook.Change]) -> [String] {
        changes.map { "\($0.name) \($0.notification.payload.message ?? "-") by \($0.notification.rule.rawValue)" }
    }

    @Test(
        "A message raises a notification by the first matching rule: a mention, a direct, a whole word",
        arguments: [
            ("look @x:\(me)", false, "mention"), ("@x:\(ann) look", false, nil), ("hello", true, "direct"),
            ("hello", false, nil), ("we DEPLOY now", false, "keyword"), ("deployed, redeploy, deploy_1", false, nil),
            ("(deploy)", false, "keyword"), ("on  call", false, nil), ("Who is on call?", false, "keyword"),
            ("deploy @x:\(me)", true, "mention"), ("c++", false, "keyword"), ("c+++", false, "keyword"),
            ("abc++", false, nil), ("", false, nil),
        ])
    func rules(text: String, isDirect: Bool, rule: String?) {
        var book = Self.book(.mention, .direct, .keyword("deploy"), .keyword("on Call"), .keyword("C++"))
        let changes = book.changes(by: Self.diff([Self.message(1, text, in: isDirect ? Self.direct : Sample.channel)]))
        #expect(Self.names(changes) == (rule.map { ["raised m1 by \($0)"] } ?? []))
    }

    @Test("Old, recalled, read, own and unsent messages raise no notification")
    func news() {
        let mention = "@x:\(Self.me)"
        var book = Self.book(.mention, .direct, read: 15)
        let rows = [
            Self.message(1, mention, at: -1), Self.message(2, mention, at: 15),
            Self.message(3, mention, at: 16, by: Self.me), Self.message(4, mention, at: 16, delivery: .pending),
            Self.message(5, mention, at: 16) { $0.subtype = .deleted },
        ]
        #expect(book.changes(by: Self.diff(rows)).isEmpty)
        #expect(book.changes(by: Self.diff(rows, cause: 0, refetched: ["messages"])).isEmpty)
        let late = Self.diff([Self.message(6, mention, at: 16)], cause: 0, refetched: ["messages"])
        #expect(Self.names(book.changes(by: late)) == ["raised m6 by mention"])
        // The server's clock is two seconds slow.
        var behind = Self.diff([Self.message(7, mention, at: -1000)])
        behind.clockOffset = 2000
        book = Self.book(.mention)
        #expect(book.changes(by: behind).count == 1)
    }

    @Test("A message raises one notification, whether from an event, two rooms or an answer")
    func once() throws {
        var book = Self.book(.filter(try Filter(parsing: "mentions = me")), .mention)
        let mention = "@x:\(Self.me)"
        var changes: [NotificationBook.Change] = []
        for (n, room) in [(3, Sample.feed), (4, "/companies/c/threads/m1")] {
            changes += book.changes(by: Self.event(1, mention, room: room, n: n))
            changes += book.changes(by: Self.diff([Self.message(1, mention)], cause: n))
        }
        changes += book.changes(by: Self.diff([Self.message(1, mention)], cause: 0, refetched: ["messages"]))
        #expect(Self.names(changes) == ["raised m1 by filter"])
        #expect(changes[0].notification.payload.room == Sample.feed)
        // The row identifies the message and its channel.
        let read = book.changes(by: Self.diff([Self.channel(Sample.channel, "General", in: "channels", read: 10)]))
        #expect(Self.names(read) == ["cleared m1 by filter"])
    }

    @Test("Only the last 10000 messages are remembered")
    func bounded() {
        var book = Self.book(.keyword("x"))
        let rows = (0...10_000).map { Self.message($0, "x") }
        #expect(book.changes(by: Self.diff(rows)).count == 10_001)
        #expect(book.changes(by: Self.diff(Array(rows.dropFirst()))).isEmpty)
        #expect(book.changes(by: Self.diff([rows[0]])).count == 1)
    }

    @Test("A report that is not a message raises a notification each time a filter matches it")
    func events() throws {
        var book = Self.book(.filter(try Filter(parsing: "type = event or diff.op = delete")))
        let changes = Sample.reports.flatMap { book.changes(by: $0) }
        #expect(changes.map(\.notification.type) == [.message, .event])
        #expect(book.changes(by: Sample.reports[2]).count == 1)
        let deletion = book.changes(by: Self.diff(gone: [Self.message(1, "x")], cause: 0))
        #expect(deletion.map(\.notification.type) == [.event])
    }

    @Test("A notification is cleared once, when its channel is read or its message is deleted")
    func cleared() {
        func read(_ time: Int64, _ channel: EntityID = Sample.channel) -> StampedReport {
            Self.diff([Self.channel(channel, "General", in: "channels", read: time)])
        }
        var book = Self.book(.keyword("x"))
        let rows = [
            Self.message(1, "x", at: 10), Self.message(2, "x", at: 20), Self.message(3, "x", at: 30),
            Self.message(4, "x", at: 40),
        ]
        #expect(book.changes(by: Self.diff(rows)).count == 4)
        #expect(book.changes(by: read(90, Self.direct)).isEmpty)
        #expect(book.changes(by: read(9)).isEmpty)
        #expect(Self.names(book.changes(by: read(20))) == ["cleared m1 by keyword", "cleared m2 by keyword"])
        #expect(Self.names(book.changes(by: Self.diff(gone: [rows[2]]))) == ["cleared m3 by keyword"])
        let takenBack = Self.message(4, "x", at: 40) { $0.subtype = .deleted }
        #expect(Self.names(book.changes(by: Self.diff([takenBack]))) == ["cleared m4 by keyword"])
        #expect(book.changes(by: read(90)).isEmpty && book.changes(by: Self.diff(rows)).isEmpty)
    }

    @Test("A notification is JSON text in a fixed order and can be parsed again")
    func stringified() throws {
        var book = Self.book(.direct)
        let raised = book.changes(by: Self.diff([Self.message(1, "a \"b\"\n", in: Self.direct)]))
        let notification = try #require(raised.first).notification
        let members =
            #""type":"message","rule":"direct","payload":{"room":"\#(Self.direct)","title":"Ann","message":"m1","#
            + #""actor":"\#(Self.ann)","name":"Ann","text":"a \"b\"\n"}"#
        #expect(notification.stringified == "{\(members)}")
        #expect(
            String(decoding: notification.json(state: "raised"), as: UTF8.self) == "{\(members),\"state\":\"raised\"}")
        #expect(LocalNotification(stringified: notification.stringified) == notification)
        for type in LocalNotificationType.allCases {
            let other = LocalNotification(type: type, rule: .filter, payload: .init(text: ""))
            #expect(LocalNotification(stringified: other.stringified) == other)
        }
        for text in ["", "{}", "[1]", #"{"type":"message","rule":"x","payload":{"text":""}}"#] {
            #expect(LocalNotification(stringified: text) == nil)
        }
    }

    @Test(
        "A desktop notification has a number for its removal, and its text cannot be an option or markup"
    )
    func desktop() {
        var desktop = DesktopNotifications()
        let notification = LocalNotification(
            type: .message, rule: .mention, payload: .init(title: "G", message: "m1", name: "--x\u{1B}", text: "<b>&"))
        let (raised, cleared) = (
            NotificationBook.Change.raised(notification), NotificationBook.Change.cleared(notification)
        )
        let shown = ["--", #"--x\u{1B} in #G"#, "&lt;b&gt;&amp;"]
        #expect(desktop.words(for: cleared) == nil)
        #expect(desktop.words(for: raised) == ["notify-send", "--app-name=weir", "-p"] + shown)
        let isNumbered = desktop.ended(true, printing: Array("42\n".utf8), raised)
        #expect(!isNumbered)
        let words = desktop.words(for: cleared)
        #expect(words?.dropFirst(2).prefix(4) == ["-r", "42", "-t", "1"] && words?.suffix(2) == [shown[1], "read"])
        let isTaken = desktop.ended(true, printing: [], cleared)
        #expect(!isTaken)
        #expect(desktop.words(for: cleared) == nil)
        // An old `notify-send` cannot print numbers.
        let isTried = desktop.ended(false, printing: [], raised)
        #expect(isTried)
        #expect(desktop.words(for: raised) == ["notify-send", "--app-name=weir"] + shown)
        let isAgain = desktop.ended(false, printing: [], raised)
        #expect(!isAgain)
    }

    @Test("A message with only a file is a file notification, and a rule is parsed from its word")
    func words() {
        var book = Self.book(.direct)
        let files = ["", "see"].enumerated().map { number, text in
            Self.message(number, text, in: Self.direct) {
                $0.files = [Twake.File(id: Sample.id(1), name: "plan.pdf")]
            }
        }
        let raised = book.changes(by: Self.diff(files)).map(\.notification)
        #expect(raised.map(\.type) == [.file, .message])
        #expect(raised.allSatisfy { $0.payload.text.contains("plan.pdf") })
        #expect(NotificationRule(word: "mention")?.name == .mention)
        #expect(NotificationRule(word: "direct")?.name == .direct)
        #expect(NotificationRule(word: "keyword:on call")?.name == .keyword)
        for word in ["keyword:", "keyword: ", "keyword", "mentions = me", "Mention"] {
            #expect(NotificationRule(word: word) == nil)
        }
    }
}

import Testing
import WeirEvents
import WeirModel
import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

@testable import WeirLive
@testable import WeirViews

/// Tests `--format chat`, which prints only messages.
@Suite struct PrintingChatTests {
    private static let channel = Sample.channel(Sample.channel, "general")

    private func message(
        _ number: Int, _ text: String, at seconds: Int64 = 0, thread: Int? = nil, _ delivery: Item.Delivery? = nil
    ) -> Item {
        let thread = Sample.id(thread ?? number)
        let message = Twake.Message(
            id: Sample.id(number), thread: thread, channel: Sample.channel, senderName: "Anna", text: text,
            createdAt: Timestamp(milliseconds: 1_767_323_045_000 + seconds * 1000))
        let section =
            thread == Sample.id(number) ? Item.Section("messages", Sample.channel) : Item.Section("thread", thread)
        return Item(
            id: Item.ID(.message, Sample.id(number)), section: section, sortKey: 1_767_323_045_000 + seconds * 1000,
            entity: Item.Entity(message), delivery: delivery)
    }

    private func printed(
        _ model: inout SectionedCollection<Item>, _ settings: LineSettings = LineSettings(), width: Int? = nil,
        changes: [(inout SectionedCollection<Item>) throws -> Void]
    ) throws -> [String] {
        var (lines, buffer) = (ChatLines(settings, width: width), TerminalBuffer())
        for (index, change) in changes.enumerated() {
            try change(&model)
            let batch = model.commit()
            guard let batch else { continue }
            let diff = DiffReport(sequence: index + 1, cause: index + 1, batch: batch)
            lines.append(StampedReport(stamp: Sample.stamp(index + 1, 60_000), report: .diff(diff)), to: &buffer)
        }
        return String(decoding: buffer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `messages have their creation times, in order, and edits and deletions are printed once`() throws {
        var model = SectionedCollection<Item>()
        let lines = try printed(
            &model,
            changes: [
                { (model: inout SectionedCollection<Item>) in
                    try model.upsert(Self.channel)
                    try model.upsert(message(2, "second", at: 60))
                    try model.upsert(message(1, "first"))
                    try model.upsert(message(3, "a reply", at: 90, thread: 1))
                },
                { try $0.upsert(message(2, "changed", at: 60)) },
                { $0.remove(Item.ID(.message, Sample.id(1))) },
            ])
        #expect(
            lines == [
                "03:04Z  #general              Anna: first",
                "03:05Z  #general              Anna: second",
                "03:05Z  #general thread       Anna: a reply",
                "03:05Z  #general              edited  Anna: changed",
                "03:05Z  #general              deleted  Anna: first",
            ])
    }

    @Test
    func `the user's message is one line before and after it is stored, and other rows print nothing`()
        throws
    {
        var model = SectionedCollection<Item>()
        let lines = try printed(
            &model, LineSettings(time: .none), width: 50,
            changes: [
                { try $0.upsert(Self.channel) },
                { try $0.upsert(message(2, "mine \u{1B}[2J", .pending)) },
                { try $0.upsert(message(2, "mine \u{1B}[2J")) },
            ])
        #expect(lines == ["#general    Anna: mine \\u{1B}[2J"])
    }
}

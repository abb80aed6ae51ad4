import Testing
import WeirJSON

@testable import WeirEvents

/// Tests for a channel's last message (Twake TW-33).
@Suite struct MessageSummaryTests {
    /// Spellings of a text, and their values.
    static let texts: [(json: String, value: String?)] = [
        ("null", nil), (#""""#, ""), (#""Bo""#, "Bo"), (#""déjà 👍""#, "déjà 👍"), (#""a\/b \"c\" \n""#, "a/b \"c\" \n"),
        (#""\u00e9\ud83d\udc4d!""#, "é👍!"), (#""\\\u0000x""#, "\\\u{0}x"),
        ("\"\(String(repeating: "a long one, é; ", count: 40))\"", String(repeating: "a long one, é; ", count: 40)),
        (#""\#(String(repeating: #"\/"#, count: 99))""#, String(repeating: "/", count: 99)),
    ]

    @Test(arguments: texts.indices)
    func `each text of a summary is read correctly next to any other`(_ index: Int) throws {
        for other in Self.texts {
            let text = Self.texts[index]
            let read = try summary(
                #"{"sender_name":\#(other.json),"title":\#(text.json),"text":\#(other.json),"date":1620987774000}"#)
            #expect(read.senderName == other.value && read.title == text.value && read.text == other.value)
            #expect(read.date == Timestamp(milliseconds: 1_620_987_774_000) && read.sender == nil)
            let made = Twake.MessageSummary(
                date: read.date, sender: nil, senderName: other.value, title: text.value, text: other.value)
            #expect(made == read && made.hashValue == read.hashValue)
            #expect(try logged(read) == read)
        }
    }

    @Test func `summaries differ when any field differs, even when the bytes of all texts are the same`() {
        func summary(
            _ date: Int64?, _ sender: EntityID?, _ name: String?, _ title: String?, _ text: String?
        ) -> Twake.MessageSummary {
            Twake.MessageSummary(
                date: date.map { Timestamp(milliseconds: $0) }, sender: sender, senderName: name, title: title,
                text: text)
        }
        let all = [
            summary(nil, nil, nil, nil, nil), summary(1, nil, nil, nil, nil),
            summary(nil, EntityID("u"), nil, nil, nil),
            summary(nil, nil, "ab", nil, nil), summary(nil, nil, nil, "ab", nil), summary(nil, nil, nil, nil, "ab"),
            summary(nil, nil, "a", "b", nil), summary(nil, nil, "a", nil, "b"), summary(nil, nil, "", "ab", nil),
            summary(nil, nil, "ac", nil, nil), summary(nil, nil, "\u{E9}", nil, nil),
            summary(nil, nil, "e\u{301}", nil, nil),
        ]
        for (index, one) in all.enumerated() {
            for (number, other) in all.enumerated() { #expect((one == other) == (index == number)) }
        }
        #expect(Set(all).count == all.count)
    }

    @Test func `an id that is not a UUID is kept next to texts of any length`() {
        for number in 0..<100 {
            let text = String(repeating: "text ", count: number)
            let sender = EntityID("somebody with a long name \(number)")
            let one = Twake.MessageSummary(date: nil, sender: sender, senderName: text, title: nil, text: text)
            #expect(one.sender == sender && one.text == text && one.title == nil)
        }
    }

    private func summary(_ json: String) throws -> Twake.MessageSummary {
        var reader = JSONReader(Array(json.utf8).span)
        return try #require(try Twake.MessageSummary.ifAny(reading: &reader))
    }

    /// The summary that the diff log yields for a channel with `summary`.
    private func logged(_ summary: Twake.MessageSummary) throws -> Twake.MessageSummary? {
        var reader = JSONReader(Array(Self.line(summary).utf8).span)
        return try Twake.Channel(decoding: &reader).lastMessage
    }

    /// A channel with `summary`, as a line of the diff log.
    private static func line(_ summary: Twake.MessageSummary) -> String {
        let channel = Twake.Channel(
            id: EntityID("c"), company: EntityID("o"), workspace: EntityID("w"), lastMessage: summary)
        var writer = JSONWriter()
        channel.encode(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

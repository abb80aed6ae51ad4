import JSONText
import Testing

/// Members of an object that are written once.
@Suite struct JSONMembersTests {
    private func text(_ writer: borrowing JSONWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }

    @Test func `they stand among others as if they were written there, and only the first writing counts`() {
        let members = JSONMembers()
        members.prepare { writer in
            writer.member("b", string: "é\u{202E}")
            writer.member("c", integer: Int64(2))
        }
        members.prepare { $0.member("other", integer: Int64(0)) }
        for asciiOnly in [false, true] {
            var writer = JSONWriter(asciiOnly: asciiOnly)
            writer.beginObject()
            writer.member("a", integer: Int64(1))
            let isWritten = writer.members(members)
            #expect(isWritten)
            writer.member("d", integer: Int64(3))
            writer.endObject()
            let letter = asciiOnly ? #"\u00e9"# : "é"
            #expect(text(writer) == #"{"a":1,"b":"\#(letter)\u202e","c":2,"d":3}"#)
        }
    }

    @Test func `without being prepared nothing is written, and none are no members`() {
        let unprepared = JSONMembers()
        let none = JSONMembers()
        none.prepare { _ in }
        var writer = JSONWriter()
        writer.beginObject()
        let (isFirstWritten, isSecondWritten) = (writer.members(unprepared), writer.members(none))
        #expect(!isFirstWritten && isSecondWritten)
        writer.endObject()
        #expect(text(writer) == "{}")
    }

    @Test func `whichever thread is first, all write the same`() async {
        for _ in 0..<100 {
            let shared = Prepared()
            let texts = await withTaskGroup(of: String.self) { group in
                for number in 0..<4 { group.addTask { shared.text(preparedBy: number) } }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(texts.count == 1)
        }
    }

    private final class Prepared: Sendable {
        let members = JSONMembers()

        func text(preparedBy number: Int) -> String {
            members.prepare { $0.member("by", integer: Int64(number)) }
            var writer = JSONWriter()
            writer.beginObject()
            _ = writer.members(members)
            writer.endObject()
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}

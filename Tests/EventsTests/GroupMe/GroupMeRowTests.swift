import Testing
import WeirEvents

@Suite struct `GroupMe rows that cannot be read` {
    private func body(_ rows: String) -> ArraySlice<UInt8> {
        Array(#"{"response":\#(rows),"meta":{"code":200}}"#.utf8)[...]
    }

    @Test func `an unreadable row is dropped from a list of groups, and an unreadable member from its group`() throws {
        let sieve = RowSieve()
        let groups = try GroupMe.groups(
            from: body(
                #"[null,{"id":"1","name":7},{"id":"2","members":[null,{"user_id":"5","nickname":"Ann"},{"id":"9"}]}]"#
            ), sieve)
        #expect(groups.map(\.group.id) == ["2"])
        #expect(groups.first?.members?.map(\.user) == ["5"])
        #expect(sieve.leftOut.count == 4 && !sieve.leftOut.isHarmless)
        #expect(sieve.leftOut.rows.map(\.id) == [nil, "1", nil])
        #expect(
            sieve.leftOut.rows.map(\.failure.message).prefix(2) == [
                "response[0]: expected an object, found null",
                "response[1].name: expected a string, found a number",
            ])
        #expect(throws: DecodingFailure.self) { try GroupMe.groups(from: body(#"[null]"#)) }
    }

    @Test func `an unreadable message is dropped from its page`() throws {
        let sieve = RowSieve()
        let page = try GroupMe.messages(
            from: body(
                #"{"count":3,"messages":[{"id":"1","created_at":1,"group_id":"7","x_big":100000000000000000000},null,{"id":{}}]}"#
            ),
            of: .group("7"), sieve)
        #expect(page.messages.map(\.id) == ["1"])
        #expect(sieve.leftOut.count == 2)
    }

    @Test func `a direct with a deleted account is readable when the other participant is known`() throws {
        let sieve = RowSieve()
        let chats = try GroupMe.chats(
            from: body(
                #"[{"other_user":null,"last_message":{"id":"1","created_at":1,"conversation_id":"3+5"}},{"other_user":null},{"other_user":{"id":"4","name":"Di"}}]"#
            ),
            user: "3", sieve)
        #expect(chats.map(\.partner.id) == ["5", "4"])
        #expect(sieve.leftOut.count == 1)
        #expect(sieve.leftOut.rows.first?.failure.message == "response[1].other_user: missing")
    }
}

import WeirPipeline

/// Checks that a parsed room expression, when printed and parsed again, is equal and matches the same rooms. Also
/// checks that any room name can be printed and parsed. The bytes before the first FF are the text, the rest is a
/// room's title.
func fuzzRooms(_ input: ArraySlice<UInt8>) {
    let parts = input.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: parts.first ?? [], as: UTF8.self)
    let title = String(decoding: parts.dropFirst().first ?? [], as: UTF8.self)
    checkName(text)
    guard let expression = try? RoomExpression(parsing: text) else { return }
    guard let again = try? RoomExpression(parsing: expression.description) else {
        fatalError("a printed expression cannot be read")
    }
    require(again == expression, "a printed expression reads as another one")
    let rooms = [
        RoomFacts(name: text, title: title, kind: "direct", unread: 1), RoomFacts(name: title, company: "c"),
        RoomFacts(name: "/companies/c/workspaces/w", title: "general", kind: "public", unread: 0, workspace: "w"),
    ]
    for room in rooms {
        require(again.matches(room) == expression.matches(room), "a printed expression means other rooms")
    }
}

/// Checks that any room name, which a stranger may choose, survives printing and parsing.
private func checkName(_ name: String) {
    guard !name.isEmpty, name.utf8.count <= RoomPattern.longest else { return }
    let printed = RoomExpression([.init(.exact(name))]).description
    guard let again = try? RoomExpression(parsing: printed) else { fatalError("a room's name cannot be read") }
    require(again.terms.map(\.pattern) == [.exact(name)], "a room's name reads as something else")
}

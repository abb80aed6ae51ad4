import WeirEvents
package import WeirJSON
import WeirModel
import WeirNetwork
import WeirPipeline
import WeirTerminal

// The selection. It is shown at the start, changed by `weir rooms select`, and available over the control socket.
extension TailEngine {
    /// The user's current selection, with the server and the token's reference.
    var globals: Globals {
        var globals = session.globals
        globals.host = configuration.server.description
        globals.token = configuration.token?.reference
        return globals
    }

    /// The JSON result of `globals` and `rooms.select`: the ids and, if known, the names.
    var globalsValue: JSONValue {
        let globals = globals
        var members: [JSONValue.Member] = [.init("host", .string(globals.host))]
        func add(_ key: String, _ id: String?, _ name: (String) -> String?) {
            members.append(.init(key, id.map { .string($0) } ?? .null))
            if let name = id.flatMap(name) { members.append(.init(key + "_name", .string(name))) }
        }
        add("company", globals.company) { name(of: .company, $0) }
        add("workspace", globals.workspace) { name(of: .workspace, $0) }
        members.append(.init("tab", .string(globals.tab.rawValue)))
        add("channel", globals.channel) { name(ofChannel: $0) }
        add("thread", globals.thread) { _ in nil }
        add("user", globals.user) { name(of: .account, $0) }
        add("token", globals.token) { _ in nil }
        members.append(.init("connected", .bool(globals.isConnected)))
        return .object(members)
    }

    /// Reports the selection that was restored from the last run.
    func tellGlobals() {
        let selection = Globals.selection(in: globalsValue)
        configuration.view?.note(selection: globalsValue)
        if !selection.isEmpty { tellNotice(Notice(.info, "selected: " + selection)) }
    }

    private func name(of kind: Item.Kind, _ id: String) -> String? {
        session.model[Item.ID(kind, EntityID(id))].flatMap { ItemFacts($0).label }
            ?? session.places.first { $0.kind == kind.rawValue && $0.name.contains(id) }?.title
    }

    private func name(ofChannel id: String) -> String? {
        session.model[Item.ID(.channel, EntityID(id))]?.channelName
            ?? session.roomViews.first { session.section(.messages, of: $0.facts.name)?.parent == EntityID(id) }?.facts
            .title
    }

    /// Selects the target of a word: a company, a workspace or a channel by its title or room, or a thread by one of
    /// its messages. `none` clears the channel.
    func select(_ call: RoomCall) throws(RoomCallError) -> [UInt8] {
        guard let word = call.rooms.first, call.rooms.count == 1 else {
            throw RoomCallError(.parameters, "params.rooms must contain one room, title or message")
        }
        feed(.select(try selectable(word)))
        return Array(globalsValue.raw.bytes)
    }

    private func selectable(_ word: String) throws(RoomCallError) -> String {
        if word == "none" { return "" }
        if let message = try? item(named: word, of: [.message]) { return message.id.id.description }
        var channels: Set<EntityID> = []
        // A channel may have several rooms.
        let rooms = session.roomViews.map(\.facts).filter { room in
            room.name == word
                || session.section(.messages, of: room.name)?.parent.map { channels.insert($0).inserted } ?? false
        }
        let isTitle = word.hasPrefix("#")
        let all = (isTitle ? [] : session.places) + rooms
        if all.contains(where: { $0.name == word }) { return word }
        let title = (isTitle ? String(word.dropFirst()) : word).lowercased()
        let found = all.filter { $0.title?.lowercased() == title }
        if let only = found.first, found.count == 1 { return only.name }
        guard found.isEmpty else {
            let candidates = found.map { "\($0.kind) \($0.name)" }.joined(separator: ", ")
            throw RoomCallError(.nothing, "'\(word)' names \(found.count): \(candidates)")
        }
        let near = Suggestion.nearest(to: title, among: all.compactMap { $0.title?.lowercased() })
        let hint = near.map { "; did you mean '\($0)'?" } ?? "; 'weir rooms ls' shows the rooms"
        throw RoomCallError(.nothing, "'\(word)' is not a channel, message, workspace or company here" + hint)
    }
}

extension Globals {
    /// Returns the selection for display, such as `Acme / Sales / #general`; empty for no selection. `value` is the
    /// result of `globals`. Untrusted text.
    package static func selection(in value: JSONValue) -> String {
        func text(_ key: String) -> String? { if case .string(let text)? = value[key] { text } else { nil } }
        let words = [
            text("company_name") ?? text("company"), text("workspace_name") ?? text("workspace"),
            text("channel_name").map { "#" + $0 } ?? text("channel"), text("thread").map { "thread " + $0 },
        ]
        return words.compactMap(\.self).joined(separator: " / ")
    }
}

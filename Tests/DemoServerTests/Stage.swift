import WeirEvents
import WeirJSON

@testable import WeirDemoServer

/// A small world with readable ids: company C, workspace W, users U1 (Ana), U2 (Ben), U3 (Cleo), channel CH with all
/// three.
struct Stage {
    var world: World
    private var clock: Int64 = 1_000

    init(withChannel: Bool = true) {
        let names = [("ana", "Ana", "Lima"), ("ben", "Ben", "Okafor"), ("cleo", "Cleo", "Žák")]
        world = World(
            company: Company(id: EntityID("C"), name: "Acme"),
            workspaces: [Workspace(id: EntityID("W"), name: "WS1", createdAt: 0)],
            users: names.enumerated().map { index, name in
                User(
                    id: EntityID("U\(index + 1)"), username: name.0, firstName: name.1, lastName: name.2,
                    createdAt: 500_000)
            }, seed: 1)
        guard withChannel else { return }
        var new = NewChannel(workspace: EntityID("W"), name: "ch1")
        new.icon = "📄"
        new.members = [EntityID("U1"), EntityID("U3")]
        _ = try? world.perform(.createChannel(new), by: EntityID("U2"), at: clock, newID: EntityID("CH"))
    }

    /// Performs an action one second after the previous one, or at `time`. Returns its frames.
    mutating func act(
        _ user: String, _ action: UserAction<EntityID>, id: String = "new", at time: Int64? = nil
    ) throws -> [Frame] {
        clock = time ?? clock + 1_000
        return try world.perform(action, by: EntityID(user), at: clock, newID: EntityID(id)).frames
    }

    mutating func post(_ user: String, _ text: String, id: String, in channel: String = "CH") throws -> [Frame] {
        try act(user, .post(channel: EntityID(channel), text: text), id: id)
    }

    mutating func reply(_ user: String, _ text: String, id: String, to message: String) throws -> [Frame] {
        try act(user, .reply(message: EntityID(message), text: text), id: id)
    }
}

extension Frame {
    /// `action type room` for a resource, `event room data` for an event.
    var line: String {
        switch name {
        case .resource:
            "\(payload["action"]?.stringValue ?? "?") \(payload["type"]?.stringValue ?? "?") \(room)"
        case .event:
            "event \(room) \(payload["data"]?.raw.description ?? "?")"
        }
    }

    var text: String { payload.raw.description }
}

/// The room names of the stage.
enum Room {
    static let list = "/companies/C/workspaces/W/channels?type=public"
    static let feed = "/companies/C/workspaces/W/channels/CH/feed"
    static let members = "/companies/C/workspaces/W/channels/CH?type=public"
    static let updates = "previous::channels/CH/messages/updates"
    static func thread(_ id: String) -> String { "/companies/C/threads/\(id)" }
    static func mine(_ user: String) -> String { "/companies/C/workspaces/W/channels?type=private&user=\(user)" }
    static func directs(_ user: String) -> String { "/companies/C/workspaces/direct/channels?type=direct&user=\(user)" }
    static func notifications(_ user: String) -> String { "/notifications?type=private&user=\(user)" }
}

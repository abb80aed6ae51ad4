import Testing
import WeirEvents

@testable import WeirDemoServer

/// Checks which rooms a user may join if the server checks rights.
@Suite struct RoomRightTests {
    @Test func `a user may join the rooms of their company, their channels and themselves`() throws {
        var stage = Stage()
        var secret = NewChannel(workspace: EntityID("W"), name: "secret")
        (secret.isPrivate, secret.members) = (true, [EntityID("U2")])
        _ = try stage.act("U2", .createChannel(secret), id: "PV")
        _ = try stage.post("U2", "hush", id: "T", in: "PV")
        let own = [
            "/companies/C/workspaces", "/companies/C/workspaces/W/channels?type=public",
            "/companies/C/workspaces/W/channels?type=private&user=U1", "/companies/C/workspaces/W/channels/CH/feed",
            "/notifications?type=private&user=U1", "/users/online/C", "previous::channels/CH/messages/updates",
        ]
        for room in own { #expect(stage.world.hasRight("U1", to: room), "\(room)") }
        let others = [
            "/companies/D/workspaces", "/companies/C/workspaces/X/channels?type=public",
            "/companies/C/workspaces/W/channels?type=private&user=U2", "/notifications?type=private&user=U2",
            "/companies/C/workspaces/W/channels/PV/feed", "/companies/C/workspaces/W/channels/PV?type=public",
            "/companies/C/threads/T", "previous::channels/PV/messages/updates",
            "/companies/C/workspaces/W/channels/gone/feed",
        ]
        for room in others { #expect(!stage.world.hasRight("U1", to: room), "\(room)") }
        #expect(stage.world.hasRight("U2", to: "/companies/C/threads/T"))
    }
}

import Wire

/// The first fifteen seconds: every kind of server event, once, in a coherent story.
extension TeamScript {
    static func openingSteps(_ random: inout RandomSource) -> [Step] {
        let cheers = random.shuffled(Conversations.emoji)
        let lunch = random.pick(["ramen on the corner 🍜", "pierogi 🥟", "the falafel place 🧆"]) ?? "soup"
        let version = "4.\(random.within(2...9))"
        let steps = deployment(version, cheers) + release(version, cheers) + directs(lunch) + corrections(cheers)
        return steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// A thread in Engineering with replies, an edit, reactions, and read markers.
    private static func deployment(_ version: String, _ cheers: [String]) -> [Step] {
        [
            at(150, "bruno", .typing(channel: "engineering", message: nil, isWriting: true)),
            at(
                800, "bruno", .post(channel: "engineering", text: "Deploy of \(version) starts in five minutes 🚀"),
                "deploy"),
            at(800, "bruno", .typing(channel: "engineering", message: nil, isWriting: false)),
            at(1_250, "zofie", .react(message: "deploy", names: [cheers[0]])),
            at(1_500, "wei", .typing(channel: "engineering", message: "deploy", isWriting: true)),
            at(2_200, "wei", .reply(message: "deploy", text: "@ana.lima can you watch the error rate?"), "watch"),
            at(2_200, "wei", .typing(channel: "engineering", message: "deploy", isWriting: false)),
            at(2_700, "ana", .reply(message: "deploy", text: "Watching. 0.02 % so far."), "watching"),
            at(
                3_300, "bruno",
                .edit(message: "deploy", text: "Deploy of \(version) starts in ten minutes 🚀 (slow build)")),
            at(8_200, "ana", .markRead(channel: "engineering")),
            at(8_700, "mateo", .reply(message: "deploy", text: "Canary is at 10 %, all quiet 🤫"), "canary"),
            at(9_200, "wei", .react(message: "canary", names: [cheers[1], "👀"])),
            at(12_400, "bruno", .reply(message: "deploy", text: "\(version) is everywhere. Thank you all!"), "done"),
            at(12_900, "ana", .react(message: "done", names: ["🎉"])),
            at(14_600, "ana", .markRead(channel: "engineering")),
        ]
    }

    /// A channel is created, used and renamed; a message is pinned.
    private static func release(_ version: String, _ cheers: [String]) -> [Step] {
        var new = NewChannel(workspace: "main", name: "Release")
        new.icon = "🏁"
        new.description = "What is in \(version)"
        new.members = ["ana", "bruno", "zofie"]
        return [
            at(3_800, "amira", .createChannel(new), "release"),
            at(
                4_500, "amira",
                .post(
                    channel: "release", text: "Notes for \(version), please add yours:\n• faster lists\n• no more twins"
                ), "notes"),
            at(5_000, "zofie", .reply(message: "notes", text: "• “All read.” on phones 🎨"), "notes-2"),
            at(6_700, "amira", .changeChannel("release", name: "Release \(version)", icon: nil, description: nil)),
            at(7_200, "ana", .react(message: "notes", names: [cheers[2]])),
            at(11_900, "amira", .pin(message: "notes", isPinned: true)),
        ]
    }

    /// A direct channel is opened, answered, and read.
    private static func directs(_ lunch: String) -> [Step] {
        [
            at(5_500, "wei", .openDirect(with: ["ana"]), "direct-wei"),
            at(6_000, "wei", .typing(channel: "direct-wei", message: nil, isWriting: true)),
            at(6_300, "wei", .post(channel: "direct-wei", text: "Lunch? I think of \(lunch)"), "lunch"),
            at(9_700, "ana", .reply(message: "lunch", text: "Yes! 12:30?"), "lunch-2"),
            at(10_900, "ana", .markRead(channel: "direct-wei")),
            at(11_400, "bruno", .post(channel: "direct-bruno", text: "Found it: it was the proxy."), "proxy"),
        ]
    }

    /// A message is deleted and sent again; `ana` and another user join a channel, `ana` leaves one; the workspace is
    /// renamed.
    private static func corrections(_ cheers: [String]) -> [Step] {
        [
            at(
                7_700, "ngozi", .post(channel: "support", text: "Ticket 4711 is solved; the customer says 谢谢"), "solved"
            ),
            at(10_100, "soren", .post(channel: "general", text: "Demo at 01:00 tomorrow"), "typo"),
            at(10_600, "soren", .delete(message: "typo")),
            at(
                11_000, "soren", .post(channel: "general", text: "@all demo at 10:00 tomorrow, five minutes each 🎤"),
                "demo"),
            at(400, "zofie", .presence(isOnline: true)),
            at(2_500, "mateo", .presence(isOnline: true)),
            // No client receives this. After the server's restart, clients ask for the presence.
            at(8_500, "zofie", .presence(isOnline: false)),
            at(12_600, "soren", .renameWorkspace("main", name: "Harbour & Docks ⚓️")),
            at(13_100, "amira", .addMember(channel: "release", user: "wei")),
            at(13_300, "amira", .addMember(channel: "design", user: "ana")),
            at(13_700, "mateo", .react(message: "demo", names: [cheers[3]])),
            at(14_000, "soren", .post(channel: "design", text: "@ana.lima welcome to Design 👋"), "welcome"),
            at(14_300, "ana", .removeMember(channel: "offsite", user: "ana")),
        ]
    }

    private static func at(_ at: Int64, _ by: String, _ action: UserAction<String>, _ label: String? = nil) -> Step {
        Step(at: at, by: by, action: action, label: label)
    }
}

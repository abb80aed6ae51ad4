import Events

extension BackendModule {
    /// The GroupMe module. Pushes come from a separate host. The service limits each user to about ten requests a
    /// second, over all of the user's clients (GroupMe GM-45).
    static let groupMe = BackendModule(
        name: "groupme", usualPath: "/faye", speaksBayeux: true, tokenHeader: "X-Access-Token", usualPace: 8,
        serviceHosts: ["push.groupme.com": "api.groupme.com"], reversedDomain: "com.groupme",
        makeBackend: { GroupMeBackend($0) },
        publishedRoom: { channel, data in
            (try? GroupMe.Event(channel: channel, data: data)).flatMap { Event.groupMe($0).room }
        },
        entities: [
            GroupMe.Group.self, GroupMe.Chat.self, GroupMe.Message.self, GroupMe.Member.self, GroupMe.User.self,
            GroupMe.ReadReceipt.self,
        ],
        eventKinds: [
            "join", "join_error", "leave", "message", "typing", "unknown", "subscribe", "ping", "edit", "deletion",
            "pin",
            "reaction", "receipt", "membership", "group", "topic", "call", "poll", "calendar", "bot", "system",
        ],
        guide: BackendGuide(kinds: { EventGuide.byKind(GroupMeGuide.all) }, names: { GroupMeGuide.all }),
        pictures: BackendPictures(
            target: GroupMePictures.target, host: GroupMePictures.host,
            addresses: GroupMePictures.addresses, address: GroupMePictures.address),
        accounts: .groupMe)
}

extension Configuration.BackendKind {
    /// The GroupMe backend, named `groupme`.
    public static let groupme = Self(.groupMe)
}

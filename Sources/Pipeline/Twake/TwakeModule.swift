import Events

extension BackendModule {
    /// The Twake module, for servers of all eras.
    static let twake = BackendModule(
        name: "twake", usualPath: "/socket/", reversedDomain: "app.twake", hasPlaces: true,
        makeBackend: { TwakeBackend($0) },
        decodeAhead: { array in (try? Twake.Event(array: array)).map(Event.twake) },
        landmarks: BackendLandmarks(
            room: ("realtime:", "name"), admission: "authenticated", join: "realtime:join:success"),
        entities: [
            Twake.Channel.self, Twake.Message.self, Twake.ChannelMember.self, Twake.Badge.self, Twake.BadgeCount.self,
            Twake.Account.self, Twake.Company.self, Twake.Workspace.self, Twake.OnlineStatus.self,
        ],
        eventKinds: [
            "authenticated", "unauthorized", "join", "join_error", "leave", "leave_error", "event_error", "message",
            "typing", "channel", "channel_activity", "channel_member", "channel_tabs", "badge", "notification",
            "bookmark",
            "workspace", "user", "company", "company_user", "company_application", "online", "documents", "unknown",
        ],
        guide: BackendGuide(kinds: { TwakeGuide.all }),
        takesFiles: true,
        accounts: .twake)
}

extension Configuration.BackendKind {
    /// The Twake backend, named `twake`.
    public static let twake = Self(.twake)
}

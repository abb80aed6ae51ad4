import Events
package import JSONText
import Wire

/// All that the rest of Weir asks of a backend. The backend's own folder makes it; `all` is the registry.
package struct BackendModule: Sendable {
    /// How it is called, as in `--backend twake` and in the head of a recording.
    package var name: String
    /// Where its realtime connection is opened where nothing else is said.
    var usualPath: String
    /// Whether its realtime connection speaks Bayeux, not Socket.IO.
    var speaksBayeux = false
    /// The header that the token goes in with requests; nil for `Authorization: Bearer`.
    var tokenHeader: String?
    /// How many requests a second its service takes of one user; nil where nobody counts.
    var usualPace: Int?
    /// Hosts of the REST service, by the host of the realtime connection, where it has another one.
    var serviceHosts: [String: String] = [:]
    /// What the types of its events begin with in CloudEvents: a domain, reversed.
    package var reversedDomain: String
    /// Whether the user looks at one company and workspace at a time, which are remembered.
    package var hasPlaces = false
    /// What declares it; nil for one that is written in Swift.
    package var profile: Profile?
    /// Makes the session's part.
    var makeBackend: @Sendable (Configuration) -> any Backend
    /// Reads a Socket.IO array ahead of the session, on any thread; nil for what the session has to look at.
    var decodeAhead: (@Sendable (_ array: ArraySlice<UInt8>) -> Event?)?
    /// The room of what was published on a channel of Bayeux.
    var publishedRoom: (@Sendable (_ channel: String, _ data: RawJSON) -> String?)?
    /// What its Socket.IO events say to who sees single frames; nil where there is nothing but an event's own `room`.
    var landmarks: BackendLandmarks?
    /// The types of its rows.
    var entities: [any ItemEntity.Type] = []
    /// The kinds of its events, as printed and filtered on.
    package var eventKinds: [String]
    /// What is known of its events; nil where there is no vocabulary.
    package var guide: BackendGuide?
    /// Whether its messages have files, each of which is uploaded first.
    package var takesFiles = false
    /// Where the pictures of messages are uploaded; nil where none can be sent.
    package var pictures: BackendPictures?
    /// What its servers are asked about accounts; nil where there are none.
    package var accounts: BackendAccounts?
}

/// What `explain` says of a backend's events. Made when it is asked for: it looks into every type.
package struct BackendGuide: Sendable {
    /// Every kind, in the order of their names.
    package var kinds: @Sendable () -> [EventGuide]
    /// The same, each of the wire's names by itself; nil where a kind has one guide whatever the wire calls it.
    package var names: (@Sendable () -> [EventGuide])?
}

/// What a look at one Socket.IO event tells, without a session: for tools that go through recordings.
package struct BackendLandmarks: Sendable {
    /// What the names of its events begin with, and the member that names the room in them.
    package var room: (events: String, member: StaticString)
    /// The event that lets the client in.
    package var admission: String
    /// The event that says that a room was joined.
    package var join: String
}

/// The service that takes the bytes of a picture and gives an address, which messages and channels then have. For commands that need no session.
package struct BackendPictures: Sendable {
    /// The path that pictures are posted to, each as a body of its own.
    package var target: String
    /// The host that belongs to a host of the other services.
    package var host: @Sendable (String) -> String
    /// What the addresses begin with that it gives.
    package var addresses: String
    /// The address in an answer; nil when it has none.
    package var address: @Sendable (_ body: ArraySlice<UInt8>) -> String?
}

extension BackendModule {
    /// Every backend there is; the first one is meant where none is named.
    package static let all: [BackendModule] = [.twake, .groupMe, .untyped]

    /// The types of rows, by the names that logs and stores have.
    package static let entityTypes: [String: any ItemEntity.Type] = {
        let types: [any ItemEntity.Type] = [Hole.self, DeclaredRow.self] + all.flatMap(\.entities)
        return Dictionary(uniqueKeysWithValues: types.map { ($0.typeName, $0) })
    }()

    /// Every kind of event, over all backends.
    package static let allEventKinds: [String] = {
        var known: Set<String> = []
        return all.flatMap(\.eventKinds).filter { known.insert($0).inserted }
    }()

    /// What is known of single Socket.IO events, over all backends.
    package static let allLandmarks = all.compactMap(\.landmarks)

    /// The room of what was published on a channel of Bayeux, by the first backend that knows.
    package static func room(of channel: String, _ data: RawJSON) -> String? {
        for case let room? in all.map(\.publishedRoom) {
            if let found = room(channel, data) { return found }
        }
        return nil
    }
}

extension Configuration {
    /// Which backend's vocabulary is spoken.
    public struct BackendKind: RawRepresentable, Hashable, Sendable, CaseIterable {
        /// Everything else that is asked of it.
        package let module: BackendModule

        init(_ module: BackendModule) { self.module = module }

        /// The backend of that name; nil when there is none.
        public init?(rawValue: String) {
            guard let module = BackendModule.all.first(where: { $0.name == rawValue }) else { return nil }
            self.module = module
        }

        /// Every backend there is.
        public static let allCases = BackendModule.all.map(BackendKind.init)
        /// The one that is meant where none is named.
        public static var usual: BackendKind { allCases[0] }

        /// How it is called.
        public var rawValue: String { module.name }
        /// Where its realtime connection is opened where nothing else is said.
        public var usualPath: String { module.usualPath }
        /// The header that the token goes in with requests; nil for `Authorization: Bearer`.
        public var tokenHeader: String? { module.tokenHeader }
        /// How many requests a second its service takes of one user; nil where nobody counts.
        public var usualPace: Int? { module.usualPace }
        /// Whether its realtime connection speaks Bayeux, not Socket.IO.
        public var speaksBayeux: Bool { module.speaksBayeux }
        /// Whether its realtime connection is a plain WebSocket of JSON messages.
        public var speaksJSON: Bool { module.profile?.realtime.transport == .websocket }
        /// Where its messages give the id that resumes a session; nil where its protocol has a place of its own.
        package var sessionPath: JSONPath? { module.profile?.realtime.session?.inValue }
        /// Whether its servers hand out another token for a refresh token.
        package var renewsTokens: Bool { module.accounts?.eras.contains { $0.login?.renew != nil } ?? false }
        /// Whether its path is taken as it is, with no slash added.
        package var hasOpaquePath: Bool { speaksBayeux || speaksJSON }
        /// The host of the REST service that belongs to a host of the realtime connection.
        public func serviceHost(for host: String) -> String { module.serviceHosts[host] ?? host }

        /// A service that its profile declares at an address of its own.
        package func declaredService(_ name: String?) -> Profile.Service? {
            name.flatMap { name in module.profile?.services.first { $0.name == name } }
        }

        /// Whether both are the same backend.
        public static func == (a: BackendKind, b: BackendKind) -> Bool {
            a.rawValue == b.rawValue && a.module.profile == b.module.profile
        }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}

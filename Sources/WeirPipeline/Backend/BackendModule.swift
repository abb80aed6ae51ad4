import WeirEvents
package import WeirJSON
import WeirWire

/// The registration of a backend: everything that the rest of Weir needs from it. Each backend's folder creates one;
/// `all` is the registry.
package struct BackendModule: Sendable {
    /// The name of the backend, as in `--backend twake` and in the head of a recording.
    package var name: String
    /// The default path of its realtime connection.
    var usualPath: String
    /// Whether its realtime connection speaks Bayeux instead of Socket.IO.
    var speaksBayeux = false
    /// The header that carries the token in requests; `nil` for `Authorization: Bearer`.
    var tokenHeader: String?
    /// The number of requests a second that its service accepts from one user; `nil` if the service does not count
    /// them.
    var usualPace: Int?
    /// The hosts of the REST service, keyed by the host of the realtime connection, for the hosts that differ.
    var serviceHosts: [String: String] = [:]
    /// The prefix of its event types in CloudEvents: a reversed domain.
    package var reversedDomain: String
    /// Whether the user looks at one company and workspace at a time, which Weir remembers.
    package var hasPlaces = false
    /// The profile that declares the backend; `nil` for a backend written in Swift.
    package var profile: Profile?
    /// Creates the backend's side of a session.
    var makeBackend: @Sendable (Configuration) -> any Backend
    /// Decodes a Socket.IO array ahead of the session, on any thread; returns `nil` for an array that the session must
    /// handle itself.
    var decodeAhead: (@Sendable (_ array: ArraySlice<UInt8>) -> Event?)?
    /// Returns the room of a message that was published on a Bayeux channel.
    var publishedRoom: (@Sendable (_ channel: String, _ data: RawJSON) -> String?)?
    /// The names by which tools read facts from its single Socket.IO events; `nil` if only the `room` of an event is a fact.
    var landmarks: BackendLandmarks?
    /// The types of the entities in its rows.
    var entities: [any ItemEntity.Type] = []
    /// The kinds of its events, as printed and filtered on.
    package var eventKinds: [String]
    /// The documentation of its events; `nil` if it has no vocabulary.
    package var guide: BackendGuide?
    /// Whether its messages can have files, each of which is uploaded first.
    package var takesFiles = false
    /// The upload of pictures for messages; `nil` if pictures cannot be sent.
    package var pictures: BackendPictures?
    /// The requests about accounts that its servers accept; `nil` if there are none.
    package var accounts: BackendAccounts?
}

/// The documentation that `explain` shows about a backend's events. It is built on demand, because that examines every
/// type.
package struct BackendGuide: Sendable {
    /// Every kind, ordered by name.
    package var kinds: @Sendable () -> [EventGuide]
    /// Every wire name by itself; `nil` if a kind has one guide under all its wire names.
    package var names: (@Sendable () -> [EventGuide])?
}

/// The names of events and members from which a tool reads facts of a single Socket.IO event, without a session.
package struct BackendLandmarks: Sendable {
    /// The prefix of the names of events that contain a room, and the member that contains it.
    package var room: (events: String, member: StaticString)
    /// The event by which the server admits the client.
    package var admission: String
    /// The event by which the server confirms a join.
    package var join: String
}

/// The service that stores pictures and returns addresses for use in messages and channels. For commands that need no
/// session.
package struct BackendPictures: Sendable {
    /// The path to which pictures are posted, each as a body of its own.
    package var target: String
    /// Returns the service's host that belongs to a host of the other services.
    package var host: @Sendable (String) -> String
    /// The common prefix of the addresses that the service returns.
    package var addresses: String
    /// Extracts the address from an answer; returns `nil` if it contains none.
    package var address: @Sendable (_ body: ArraySlice<UInt8>) -> String?
}

extension BackendModule {
    /// All backends. The first one is the default.
    package static let all: [BackendModule] = [.twake, .groupMe, .untyped]

    /// The types of entities, keyed by their names in logs and stores.
    package static let entityTypes: [String: any ItemEntity.Type] = {
        let types: [any ItemEntity.Type] = [Hole.self, DeclaredRow.self] + all.flatMap(\.entities)
        return Dictionary(uniqueKeysWithValues: types.map { ($0.typeName, $0) })
    }()

    /// The kinds of events of all backends, without duplicates.
    package static let allEventKinds: [String] = {
        var known: Set<String> = []
        return all.flatMap(\.eventKinds).filter { known.insert($0).inserted }
    }()

    /// The names for single Socket.IO events, of all backends.
    package static let allLandmarks = all.compactMap(\.landmarks)

    /// Returns the room of a message that was published on a Bayeux channel, from the first backend that knows it.
    package static func room(of channel: String, _ data: RawJSON) -> String? {
        for case let room? in all.map(\.publishedRoom) {
            if let found = room(channel, data) { return found }
        }
        return nil
    }
}

extension Configuration {
    /// A backend, as the user selects it by name.
    public struct BackendKind: RawRepresentable, Hashable, Sendable, CaseIterable {
        /// The registration of the backend.
        package let module: BackendModule

        init(_ module: BackendModule) { self.module = module }

        /// Creates the backend with this name, or returns `nil` if there is none.
        public init?(rawValue: String) {
            guard let module = BackendModule.all.first(where: { $0.name == rawValue }) else { return nil }
            self.module = module
        }

        /// All backends that are written in Swift, the default first.
        public static let allCases = BackendModule.all.map(BackendKind.init)
        /// The backend that is used by default.
        public static var usual: BackendKind { allCases[0] }

        /// The name of the backend, as in `--backend`.
        public var rawValue: String { module.name }
        /// The default path of the realtime connection.
        public var usualPath: String { module.usualPath }
        /// The header that carries the token in requests; `nil` for `Authorization: Bearer`.
        public var tokenHeader: String? { module.tokenHeader }
        /// The number of requests a second that the service accepts from one user; `nil` if the service does not count
        /// them.
        public var usualPace: Int? { module.usualPace }
        /// Whether the realtime connection speaks Bayeux instead of Socket.IO.
        public var speaksBayeux: Bool { module.speaksBayeux }
        /// Whether the realtime connection is a plain WebSocket of JSON messages.
        public var speaksJSON: Bool { module.profile?.realtime.transport == .websocket }
        /// The path, within a message, to the id that resumes a session; `nil` if the protocol has its own place for
        /// it.
        package var sessionPath: JSONPath? { module.profile?.realtime.session?.inValue }
        /// Whether the servers issue another token for a refresh token.
        package var renewsTokens: Bool { module.accounts?.eras.contains { $0.login?.renew != nil } ?? false }
        /// Whether the path is used as it is, without an added slash.
        package var hasOpaquePath: Bool { speaksBayeux || speaksJSON }
        /// Returns the host of the REST service that belongs to a host of the realtime connection.
        public func serviceHost(for host: String) -> String { module.serviceHosts[host] ?? host }

        /// Returns a service that the profile declares at an address of its own.
        package func declaredService(_ name: String?) -> Profile.Service? {
            name.flatMap { name in module.profile?.services.first { $0.name == name } }
        }

        /// Returns whether both are the same backend, with the same profile.
        public static func == (a: BackendKind, b: BackendKind) -> Bool {
            a.rawValue == b.rawValue && a.module.profile == b.module.profile
        }
        /// Hashes the name of the backend.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}

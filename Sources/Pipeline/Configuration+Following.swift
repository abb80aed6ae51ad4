extension Configuration {
    /// The kinds of rows that the session follows in addition to channels and their messages. Each kind costs requests or rooms, or nothing
    /// if the backend does not offer it.
    public struct Following: OptionSet, Hashable, Sendable {
        /// The parts, one bit each.
        public let rawValue: UInt8
        /// Creates a set of the parts whose bits are set.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The members of each of the user's channels: one room and one request for each channel.
        public static let members = Following(rawValue: 1)
        /// The accounts of users whose messages arrive. Each account is requested once.
        public static let accounts = Following(rawValue: 2)
        /// The companies of the user, and the workspaces of the selected company.
        public static let places = Following(rawValue: 4)
        /// The users who are online or typing.
        public static let presence = Following(rawValue: 8)

        /// The parts that a human observer wants to see. Members are not among them, because those of every channel
        /// cost too much.
        public static let usual: Following = [.accounts, .places, .presence]

        /// The names of the parts, in the order in which they are written.
        private static let names: [(part: Following, name: String)] = [
            (.members, "members"), (.accounts, "accounts"), (.places, "places"), (.presence, "presence"),
        ]

        /// The names of the parts in the set.
        var partNames: [String] { Self.names.filter { contains($0.part) }.map(\.name) }

        /// Adds the part with that name, if there is one.
        mutating func add(named name: String) {
            for entry in Self.names where entry.name == name { formUnion(entry.part) }
        }
    }
}

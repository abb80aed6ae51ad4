extension Configuration {
    /// What is followed beside channels and what is said in them. Each costs requests or rooms; with a backend that has none of it, nothing.
    public struct Following: OptionSet, Hashable, Sendable {
        /// One bit each.
        public let rawValue: UInt8
        /// The parts whose bits are set.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Who is in each channel of the user's: a room and a request a channel.
        public static let members = Following(rawValue: 1)
        /// Whose messages those are: the accounts of whoever is seen to write, each asked for once.
        public static let accounts = Following(rawValue: 2)
        /// The companies of the user and the workspaces of the one looked at.
        public static let places = Following(rawValue: 4)
        /// Who is there, and who types.
        public static let presence = Following(rawValue: 8)

        /// What a person who watches wants to see; the members of every channel cost too much to be among it.
        public static let usual: Following = [.accounts, .places, .presence]

        /// In the order they are written.
        private static let names: [(part: Following, name: String)] = [
            (.members, "members"), (.accounts, "accounts"), (.places, "places"), (.presence, "presence"),
        ]

        /// The names of the parts.
        var partNames: [String] { Self.names.filter { contains($0.part) }.map(\.name) }

        /// Adds the part of that name, if there is one.
        mutating func add(named name: String) {
            for entry in Self.names where entry.name == name { formUnion(entry.part) }
        }
    }
}

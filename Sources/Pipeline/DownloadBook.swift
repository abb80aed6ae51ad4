/// The callers that wait for things of which each is fetched only once: looked up where it may be stored, otherwise
/// downloaded, once for all callers that ask meanwhile.
///
///     idle ──ask: look it up──► under way ──settled──► idle
package struct DownloadBook<Key: Hashable & Sendable, Asker: Sendable>: Sendable {
    private var askers: [Key: [Asker]] = [:]

    /// Creates a book in which nothing is under way.
    package init() {}

    /// The number of things under way.
    package var count: Int { askers.count }

    /// Adds a caller; returns `true` for the first one. That caller must look the thing up, and download it if it is
    /// not found.
    package mutating func ask(for key: Key, _ asker: Asker) -> Bool {
        askers[key, default: []].append(asker)
        return askers[key]?.count == 1
    }

    /// Removes and returns the callers of a thing that was found or whose download ended, in order. A later call of
    /// `ask` starts again.
    package mutating func settle(_ key: Key) -> [Asker] { askers.removeValue(forKey: key) ?? [] }
}

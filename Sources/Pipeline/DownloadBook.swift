/// Who waits for what, where each thing is to be had at most once: looked for where it may be kept, else downloaded, once for all who
/// ask meanwhile.
///
///     (nobody asks) ──ask: look for it──► under way ──settled──► (nobody asks)
package struct DownloadBook<Key: Hashable & Sendable, Asker: Sendable>: Sendable {
    private var askers: [Key: [Asker]] = [:]

    /// A book of nothing.
    package init() {}

    /// How many things are under way.
    package var count: Int { askers.count }

    /// Somebody asks. True when nobody did before: then the thing is to be looked for, and downloaded when it is not found.
    package mutating func ask(for key: Key, _ asker: Asker) -> Bool {
        askers[key, default: []].append(asker)
        return askers[key]?.count == 1
    }

    /// It was found, or its download ended, one way or the other; gives those who asked, in order. Whoever asks from now on begins anew.
    package mutating func settle(_ key: Key) -> [Asker] { askers.removeValue(forKey: key) ?? [] }
}

/// Follows all secrets through a text in every spelling at once: one step per character, from all places reached so far.
struct SecretSearch {
    let spelling: Spelling
    private var reached: [State] = []
    private var next: [State] = []

    private struct State: Equatable {
        var node: Int
        var place: Int
    }

    /// A search in what is spelled.
    init(_ spelling: Spelling) { self.spelling = spelling }

    /// Where the longest of `secrets` that stands at `start` ends, and what takes its place: one that is the start of another must not leave the
    /// other's rest behind.
    mutating func longest(of secrets: SecretTree, from start: Int) -> (end: Int, replacement: String)? {
        var longest: (end: Int, replacement: String)?
        reached.removeAll(keepingCapacity: true)
        reached.append(State(node: SecretTree.root, place: start))
        while !reached.isEmpty {
            next.removeAll(keepingCapacity: true)
            var end = 0
            for state in reached {
                spelling.characters(at: state.place) { scalar, place in
                    guard let node = secrets.child(of: state.node, scalar) else { return }
                    let state = State(node: node, place: place)
                    guard !next.contains(state) else { return }
                    next.append(state)
                    guard place > end, let replacement = secrets.replacement(at: node) else { return }
                    end = place
                    longest = (end, replacement)
                }
            }
            swap(&reached, &next)
        }
        return longest
    }
}

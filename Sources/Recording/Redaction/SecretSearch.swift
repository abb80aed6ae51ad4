/// Matches all secrets against a text in every spelling at once. Each step advances all states reached so far by one
/// character.
struct SecretSearch {
    let spelling: Spelling
    private var reached: [State] = []
    private var next: [State] = []

    private struct State: Equatable {
        var node: Int
        var place: Int
    }

    /// Creates a search in a spelled text.
    init(_ spelling: Spelling) { self.spelling = spelling }

    /// Returns the end and the replacement of the longest secret that begins at `start`. The longest must win: if one
    /// secret is a prefix of another, the rest of the other must not remain.
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

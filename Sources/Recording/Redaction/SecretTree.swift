/// Texts by their characters: those that begin alike share the way as far as they are alike.
struct SecretTree {
    /// Where every text begins.
    static let root = 0

    private struct Edge: Hashable {
        var node: Int
        var scalar: Unicode.Scalar
    }

    private struct Node {
        /// How many texts lead to the node, or end there.
        var texts = 0
        /// What takes the place of the text that ends there.
        var replacement: String?
    }

    private var nodes = [Node()]
    private var children: [Edge: Int] = [:]
    /// Numbers of nodes that no text leads to any more.
    private var unused: [Int] = []

    /// Whether there is no text.
    var isEmpty: Bool { children.isEmpty }

    /// Adds a text; false when it is there already, or is empty.
    mutating func insert(_ text: String, _ replacement: String) -> Bool {
        guard !text.isEmpty, !contains(text) else { return false }
        var node = Self.root
        for scalar in text.unicodeScalars {
            let edge = Edge(node: node, scalar: scalar)
            node = children[edge] ?? newNode()
            children[edge] = node
            nodes[node].texts += 1
        }
        nodes[node].replacement = replacement
        return true
    }

    /// Takes a text away; false when it is not there.
    mutating func remove(_ text: String) -> Bool {
        guard contains(text) else { return false }
        var node = Self.root
        for scalar in text.unicodeScalars {
            let edge = Edge(node: node, scalar: scalar)
            guard let child = children[edge] else { break }
            node = child
            nodes[node].texts -= 1
            if nodes[node].texts == 0 {
                children[edge] = nil
                unused.append(node)
            }
        }
        nodes[node].replacement = nil
        return true
    }

    /// The node behind `node` for a text that goes on with `scalar`.
    func child(of node: Int, _ scalar: Unicode.Scalar) -> Int? { children[Edge(node: node, scalar: scalar)] }

    /// What takes the place of the text that ends at `node`; nil when none does.
    func replacement(at node: Int) -> String? { nodes[node].replacement }

    private func contains(_ text: String) -> Bool {
        var node = Self.root
        for scalar in text.unicodeScalars {
            guard let child = child(of: node, scalar) else { return false }
            node = child
        }
        return nodes[node].replacement != nil
    }

    private mutating func newNode() -> Int {
        if let node = unused.popLast() { return node }
        nodes.append(Node())
        return nodes.count - 1
    }
}

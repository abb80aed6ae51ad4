/// A prefix tree of secrets by their characters.
struct SecretTree {
    /// The node at which every text begins.
    static let root = 0

    private struct Edge: Hashable {
        var node: Int
        var scalar: Unicode.Scalar
    }

    private struct Node {
        /// The number of texts that pass through the node or end there.
        var texts = 0
        /// The replacement for the text that ends at the node.
        var replacement: String?
    }

    private var nodes = [Node()]
    private var children: [Edge: Int] = [:]
    /// The indices of nodes that no text uses any more.
    private var unused: [Int] = []

    /// Whether the tree contains no text.
    var isEmpty: Bool { children.isEmpty }

    /// Adds a text. Returns false when it is already present or empty.
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

    /// Removes a text. Returns false when it is not present.
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

    /// Returns the node that follows `node` for the character `scalar`.
    func child(of node: Int, _ scalar: Unicode.Scalar) -> Int? { children[Edge(node: node, scalar: scalar)] }

    /// Returns the replacement for the text that ends at `node`, or `nil` when none does.
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

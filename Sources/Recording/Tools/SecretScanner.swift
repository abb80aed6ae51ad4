import JSONText
import Wire

/// Finds what looks like a secret in the lines of an event file, and never says the secret itself.
struct SecretScanner {
    /// One problem for each rule and member.
    func secrets(in text: [UInt8], line: Int, offset: Int) -> [FileProblem] {
        var found: [String] = []
        func check(_ leaf: JSONLeaf) {
            let value = Array(leaf.value.utf8)
            let name = SecretRule.plain(leaf.key)
            for rule in SecretRule.allCases where !rule.matches(in: value, of: name).isEmpty {
                // One finding a member: the rules overlap.
                let place = leaf.keys.joined(separator: ".")
                found.append("\(rule.words) in \(place) (rule \(rule.rawValue))")
                return
            }
        }
        _ = JSONLeaf.visit(text[...]) { leaf in
            guard leaf.keys == ["p"] else { return check(leaf) }
            let payload = Array(leaf.value.utf8)
            let start = JSONLeaf.jsonStart(in: payload[...])
            let isJSON = start.map { JSONLeaf.visit(payload[$0...], under: ["p"], check) } ?? false
            if !isJSON { check(leaf) }
        }
        return found.map { FileProblem(.secret, line: line, offset: offset, message: "there is what looks like " + $0) }
    }
}

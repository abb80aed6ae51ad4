import Wire

/// Finds what looks like a secret in the lines of an event file, and never says the secret itself.
struct SecretScanner {
    /// One problem for each member.
    func secrets(in text: [UInt8], line: Int, offset: Int, isBinary: Bool = false) -> [FileProblem] {
        var found: [String] = []
        _ = LineValues.changed(text, isBinary: isBinary, seeksSecrets: true) { value in
            // One finding a member: the rules overlap.
            if let rule = value.secrets.map(\.rule).min(by: { $0.rank < $1.rank }) {
                let place = value.keys.joined(separator: ".")
                found.append("\(rule.words) in \(place) (rule \(rule.rawValue))")
            }
            return nil
        }
        return found.map { FileProblem(.secret, line: line, offset: offset, message: "there is what looks like " + $0) }
    }
}

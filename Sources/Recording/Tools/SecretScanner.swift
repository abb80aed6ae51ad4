import Wire

/// Finds text that looks like a secret in the lines of an event file, without revealing the secret.
struct SecretScanner {
    /// Returns one problem for each member with a secret.
    func secrets(in text: [UInt8], line: Int, offset: Int, isBinary: Bool = false) -> [FileProblem] {
        var found: [String] = []
        _ = LineValues.changed(text, isBinary: isBinary, seeksSecrets: true) { value in
            // The rules overlap, so report only the first one per member.
            if let rule = value.secrets.map(\.rule).min(by: { $0.rank < $1.rank }) {
                let place = value.keys.joined(separator: ".")
                found.append("\(rule.words) in \(place) (rule \(rule.rawValue))")
            }
            return nil
        }
        return found.map { FileProblem(.secret, line: line, offset: offset, message: "possible secret: " + $0) }
    }
}

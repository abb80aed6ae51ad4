import JSONText

/// One line of a scenario file, read field by field. Every error contains the file and the line.
struct ScenarioLine {
    let file: String
    let number: Int
    private let members: [JSONValue.Member]
    private var asked: [String] = []

    init(_ bytes: ArraySlice<UInt8>, file: String, number: Int) throws(ScenarioError) {
        self.file = file
        self.number = number
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw ScenarioError(file: file, line: number, message: "not JSON: \(error)")
        }
        guard case .object(let members) = value else {
            throw ScenarioError(file: file, line: number, message: "expected an object such as {\"do\":\"post\",…}")
        }
        self.members = members
    }

    func error(_ message: String) -> ScenarioError { ScenarioError(file: file, line: number, message: message) }

    /// Reads a text that may be missing.
    mutating func optionalText(_ key: String) throws(ScenarioError) -> String? {
        guard let value = take(key) else { return nil }
        guard let text = value.stringValue, !text.isEmpty else {
            throw error("`\(key)`: expected a text that is not empty")
        }
        return text
    }

    mutating func text(_ key: String) throws(ScenarioError) -> String {
        guard let text = try optionalText(key) else { throw missing(key, "a text") }
        return text
    }

    /// Reads a list of texts, which is empty when the field is missing.
    mutating func texts(_ key: String) throws(ScenarioError) -> [String] {
        guard let value = take(key) else { return [] }
        guard let texts = value.arrayValue?.map(\.stringValue), !texts.contains(nil) else {
            throw error("`\(key)`: expected a list of texts")
        }
        return texts.compactMap { $0 }
    }

    mutating func optionalFlag(_ key: String) throws(ScenarioError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard let flag = value.boolValue else { throw error("`\(key)`: expected true or false") }
        return flag
    }

    mutating func flag(_ key: String) throws(ScenarioError) -> Bool {
        guard let flag = try optionalFlag(key) else { throw missing(key, "true or false") }
        return flag
    }

    mutating func optionalMilliseconds(_ key: String) throws(ScenarioError) -> Int64? {
        guard let value = take(key) else { return nil }
        guard let number = value.integerValue, (0...86_400_000).contains(number) else {
            throw error("`\(key)`: expected whole milliseconds from 0 to 86400000")
        }
        return number
    }

    /// Throws when the line contains a field that was not read.
    func finish() throws(ScenarioError) {
        guard let stranger = members.first(where: { !asked.contains($0.key) }) else { return }
        throw error("unknown field `\(stranger.key)`; expected here: \(asked.joined(separator: ", "))")
    }

    private mutating func take(_ key: String) -> JSONValue? {
        asked.append(key)
        return members.first { $0.key == key }?.value
    }

    private func missing(_ key: String, _ kind: String) -> ScenarioError {
        error("`\(key)` is missing; expected \(kind)")
    }
}

import Glibc
import Network

extension Scenario {
    /// Returns a built-in scenario, or parses the scenario file at that path. Blocks.
    package static func load(_ nameOrFile: String, seed: UInt64) throws(ScenarioError) -> Scenario {
        if let known = Scenario(named: nameOrFile, seed: seed) { return known }
        let text: String
        do throws(TextFile.Problem) {
            text = try TextFile.read(nameOrFile, limit: maximumFile)
        } catch {
            let isFile = access(nameOrFile, F_OK) == 0
            let expected = isFile ? "" : "; expected a file, or one of the scenarios: \(names.joined(separator: ", "))"
            throw ScenarioError(file: nameOrFile, line: nil, message: error.message + expected)
        }
        return try Scenario(parsing: Array(text.utf8)[...], file: nameOrFile)
    }

    /// The maximum size of a scenario file, in bytes.
    private static let maximumFile = 64 << 20
}

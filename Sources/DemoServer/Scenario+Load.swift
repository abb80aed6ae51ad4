import Glibc

extension Scenario {
    /// A built-in scenario, or the scenario in a file of that path. Reads the file at once.
    public static func load(_ nameOrFile: String, seed: UInt64) throws(ScenarioError) -> Scenario {
        if let known = Scenario(named: nameOrFile, seed: seed) { return known }
        return try Scenario(parsing: try contents(of: nameOrFile)[...], file: nameOrFile)
    }

    private static let maximumFile = 64 << 20

    private static func contents(of path: String) throws(ScenarioError) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            let reason = String(cString: strerror(errno))
            throw ScenarioError(
                file: path, line: nil,
                message:
                    "cannot be read (\(reason)); expected a file, or one of the scenarios: \(names.joined(separator: ", "))"
            )
        }
        defer { fclose(file) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            contents += chunk[..<count]
            guard contents.count <= maximumFile else {
                throw ScenarioError(file: path, line: nil, message: "is longer than \(maximumFile) bytes")
            }
        }
        guard ferror(file) == 0 else {
            throw ScenarioError(file: path, line: nil, message: "cannot be read (\(String(cString: strerror(errno))))")
        }
        return contents
    }
}

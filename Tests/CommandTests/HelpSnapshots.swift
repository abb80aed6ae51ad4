import TestSupport

/// What the help of each command says: a file for each in `Help`, since scripts and people rely on it. A change that is meant is written
/// by `Tests/help-snapshots`, and read in the diff; so are three manual pages, in `Manual`.
enum HelpSnapshots {
    private static let folder = packageFolder + "/Tests/CommandTests/Help"

    /// The help of weir itself.
    static let overview = text("weir.txt")

    /// The help of every command, in the order of their names.
    static let commands: [(command: String, text: String)] = names(in: folder)
        .filter { $0.hasSuffix(".txt") && $0 != "weir.txt" }
        .map { file in (String(file.dropLast(4)).replacing("-", with: " ", maxReplacements: 1), text(file)) }

    private static func text(_ file: String) -> String {
        String(decoding: (try? readFile("\(folder)/\(file)")) ?? [], as: UTF8.self)
    }
}

import TestSupport

/// The help texts of all commands, one file each in `Help`, since scripts and users rely on them.
/// `Tests/help-snapshots` rewrites the files after an intended change; review the diff. The same applies to three
/// manual pages in `Manual`.
enum HelpSnapshots {
    private static let folder = packageFolder + "/Tests/CommandTests/Help"

    /// The help of `weir` itself.
    static let overview = text("weir.txt")

    /// The help of every command, sorted by name.
    static let commands: [(command: String, text: String)] = names(in: folder)
        .filter { $0.hasSuffix(".txt") && $0 != "weir.txt" }
        .map { file in (String(file.dropLast(4)).replacing("-", with: " ", maxReplacements: 1), text(file)) }

    private static func text(_ file: String) -> String {
        String(decoding: (try? readFile("\(folder)/\(file)")) ?? [], as: UTF8.self)
    }
}

import Glibc
import Live

/// A named server with the options that go with it.
struct Context {
    var name: String
    /// The file as shown, and what is in it.
    var source: Settings.File
    /// How it was chosen; nil when it was not.
    var choice: ContextChoice?

    /// The server's address, as written.
    var url: String? { source.file.entries.last { $0.key == .url }?.value }
    /// The line of `url`, as an error names it.
    var urlLabel: String { "\(source.path):\(source.file.entries.last { $0.key == .url }?.line ?? 1): url" }
    /// Whether what others would see needs `--yes`.
    var isGuarded: Bool { values(of: .guarded).last.flatMap(Arguments.truth) ?? false }
    /// What it is labelled with.
    var labels: [String] { values(of: .label) }

    /// What stands in front of a line about it.
    var badge: String { isGuarded ? "[\(name), guarded]" : "[\(name)]" }

    private func values(of option: Option) -> [String] {
        source.file.entries.filter { $0.key == .option(option) && $0.section == nil }.map(\.value)
    }
}

/// Which context applies, and why.
struct ContextChoice {
    /// Who chose, the strongest first.
    enum Origin: Equatable {
        case flag
        case variable
        /// The file in a folder at or above the working one.
        case directory(String)
        case selected
    }

    var name: String
    var origin: Origin

    /// How an error, or `ctx ls`, names who chose.
    var label: String {
        switch origin {
        case .flag: Option.ctx.flag
        case .variable: Option.ctx.variable
        case .directory(let path): ConfigFolder.shown(path)
        case .selected: "weir ctx use"
        }
    }

    /// What `none` stands for: no context, whatever is selected.
    static let none = "none"

    /// The choice that applies; nil for none. `typed` is the value of `--ctx`.
    static func current(_ typed: String?) -> ContextChoice? {
        let choice: ContextChoice? =
            if let typed {
                ContextChoice(name: typed, origin: .flag)
            } else if let name = Environment.value(Option.ctx.variable) {
                ContextChoice(name: name, origin: .variable)
            } else if let (name, path) = directoryFile() {
                ContextChoice(name: name, origin: .directory(path))
            } else if let name = ContextFolder.selected.current {
                ContextChoice(name: name, origin: .selected)
            } else {
                nil
            }
        return choice?.name == none ? nil : choice
    }

    /// The name in `.weir-ctx`, in the working folder or the nearest above it. Only a file of this user that nobody else can write
    /// counts: a folder that is shared must not choose where somebody's messages go.
    private static func directoryFile() -> (name: String, path: String)? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&buffer, buffer.count) != nil else { return nil }
        var folder = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        while true {
            let path = (folder == "/" ? "" : folder) + "/.weir-ctx"
            switch ConfigFolder.read(path, forEyes: .user) {
            case .success(let text?):
                let name = text.prefix { !$0.isNewline }.filter { $0 != " " && $0 != "\t" }
                if !name.isEmpty { return (name, path) }
            case .success(nil): break
            case .failure(let problem): Console.note("warning: \(ConfigFolder.shown(path)) \(problem.message)")
            }
            guard folder != "/", let slash = folder.lastIndex(of: "/") else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
    }
}

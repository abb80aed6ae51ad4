import Glibc
import Live

/// A named server with its options.
struct Context {
    var name: String
    /// The file with its displayed path and its content.
    var source: Settings.File
    /// The choice that selected the context; `nil` for a context that was named otherwise.
    var choice: ContextChoice?

    /// The server's address, as written.
    var url: String? { source.file.entries.last { $0.key == .url }?.value }
    /// The file and line of `url`, for error messages.
    var urlLabel: String { "\(source.path):\(source.file.entries.last { $0.key == .url }?.line ?? 1): url" }
    /// Whether actions that others would see need `--yes`.
    var isGuarded: Bool { values(of: .guarded).last.flatMap(Arguments.truth) ?? false }
    /// The labels of the context.
    var labels: [String] { values(of: .label) }

    /// The badge in front of lines about the context.
    var badge: String { isGuarded ? "[\(name), guarded]" : "[\(name)]" }

    private func values(of option: Option) -> [String] {
        source.file.entries.filter { $0.key == .option(option) && $0.section == nil }.map(\.value)
    }
}

/// The choice of a context.
struct ContextChoice {
    /// The sources of a choice, the strongest first.
    enum Origin: Equatable {
        case flag
        case variable
        /// The file `.weir-ctx` in the working folder or in a folder above it.
        case directory(String)
        case selected
    }

    var name: String
    var origin: Origin

    /// The name of the source, for errors and `ctx ls`.
    var label: String {
        switch origin {
        case .flag: Option.ctx.flag
        case .variable: Option.ctx.variable
        case .directory(let path): ConfigFolder.shown(path)
        case .selected: "weir ctx use"
        }
    }

    /// The name that selects no context, overriding weaker choices.
    static let none = "none"

    /// Returns the choice that applies; `nil` for no context. `typed` is the value of `--ctx`.
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

    /// Returns the name in the nearest `.weir-ctx`, in the working folder or above it. The file must belong to the user, and only the user
    /// may write it: a shared folder must not decide where messages go.
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

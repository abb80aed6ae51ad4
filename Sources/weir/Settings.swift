import Glibc
import Live

/// The settings of the environment and of the user's files at the start of a command.
struct Settings {
    /// A file of settings, with its displayed path.
    struct File {
        var path: String
        var file: SettingsFile
    }

    /// The context that applies; `nil` for none.
    var context: Context?
    /// The config file; `nil` if it does not exist.
    var config: File?

    /// Returns an inherited setting of an option: from the environment, the context or the config file, in this order.
    func find(_ option: Option, for command: Command) -> Arguments.Setting? {
        if option.isVariable, let text = Environment.value(option.variable) {
            // The values of a list are separated by newlines, since headers, JSON arguments and expressions contain all
            // other separators.
            let values = option.isRepeatable ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
            return Arguments.Setting(values: values, origin: .variable(option.variable))
        }
        if command.takesContext, let source = context?.source,
            let found = Settings.find(option, for: command, in: source)
        {
            return Arguments.Setting(
                values: found.values, origin: .context(file: source.path, line: found.line, name: option.name))
        }
        if let config, let found = Settings.find(option, for: command, in: config) {
            return Arguments.Setting(
                values: found.values, origin: .config(file: config.path, line: found.line, name: option.name))
        }
        return nil
    }

    /// Reads the settings for a command. A file with an error is refused as a whole, since it would be unclear what
    /// applies.
    static func read(for arguments: Arguments, command: Command? = nil) throws(UsageError) -> Settings {
        guard (command ?? arguments.command).takesSettings else { return Settings() }
        var settings = Settings()
        settings.context = try arguments.chosenContext(for: command ?? arguments.command)
        settings.config = try config(arguments)
        return settings
    }

    /// Returns the path of the config file, even if the file does not exist; `nil` for none.
    static func configPath(_ arguments: Arguments) -> String? {
        let named = arguments[.config] ?? Environment.value(Option.config.variable)
        return named == "none" ? nil : named ?? ConfigFolder.config
    }

    private static func config(_ arguments: Arguments) throws(UsageError) -> File? {
        let named = arguments[.config] ?? Environment.value(Option.config.variable)
        guard let path = configPath(arguments) else { return nil }
        let shown = ConfigFolder.shown(path)
        let text: String
        switch ConfigFolder.read(path, forEyes: .anybody) {
        case .success(let found?): text = found
        case .success(nil):
            guard let named else { return nil }
            let label = arguments[.config] == nil ? Option.config.variable : Option.config.flag
            throw arguments.error("\(label): the file \(UsageError.quoted(named)) does not exist")
        case .failure(let problem): throw arguments.error("\(shown): \(problem.message)")
        }
        let file = SettingsFile(text, kind: .config)
        if let problem = file.problems.first {
            throw arguments.error("\(shown):\(problem.line): \(problem.message)")
        }
        return File(path: shown, file: file)
    }

    private static func find(
        _ option: Option, for command: Command, in file: File
    ) -> (values: [String], line: Int)? {
        guard option.isSetting(in: file.file.kind) else { return nil }
        let entries = file.file.entries(of: .option(option), for: command)
        guard let last = entries.last else { return nil }
        return (entries.map(\.value), last.line)
    }
}

/// The environment variables of the process.
enum Environment {
    /// Returns the value of a variable; `nil` if it is unset or empty.
    static func value(_ name: String) -> String? {
        TerminalDevice.variable(name)
    }

    /// Returns the names of the variables with a prefix, sorted.
    static func names(startingWith prefix: String) -> [String] {
        var names: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if name.hasPrefix(prefix) { names.append(String(name)) }
            entry += 1
        }
        return names.sorted()
    }
}

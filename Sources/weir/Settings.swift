import Glibc
import Live

/// What the environment and the user's files say, as it stands when a command begins.
struct Settings {
    /// A file of settings with its name as shown.
    struct File {
        var path: String
        var file: SettingsFile
    }

    /// The context that applies.
    var context: Context?
    /// The config file; nil when there is none.
    var config: File?

    /// What is known of an option besides what was typed: the environment, then the context, then the config file.
    func find(_ option: Option, for command: Command) -> Arguments.Setting? {
        if option.isVariable, let text = Environment.value(option.variable) {
            // Lists are one value a line: a header, an event with JSON and an expression have all other separators in them.
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

    /// Reads what there is for a command. A file with an error in it is refused as a whole: nobody could tell what applies.
    static func read(for arguments: Arguments, command: Command? = nil) throws(UsageError) -> Settings {
        guard (command ?? arguments.command).takesSettings else { return Settings() }
        var settings = Settings()
        settings.context = try arguments.chosenContext(for: command ?? arguments.command)
        settings.config = try config(arguments)
        return settings
    }

    /// Where the config file is, whether it is there or not; nil for nowhere.
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
            throw arguments.error("\(label): there is no file \(UsageError.quoted(named))")
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

/// The variables of the process.
enum Environment {
    /// A variable's value; nil also for an empty one, which stands for none.
    static func value(_ name: String) -> String? {
        TerminalDevice.variable(name)
    }

    /// The names of the variables that begin so, in order.
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

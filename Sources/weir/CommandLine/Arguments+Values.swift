import WeirJSON
import WeirLive
import WeirNetwork
import WeirTerminal
import WeirWire

extension Arguments {
    /// Returns a time span in the format of `Duration.init(typed:)`.
    func duration(_ option: Option) throws(UsageError) -> Duration? {
        guard let text = self[option] else { return nil }
        guard let span = Duration(typed: text) else {
            throw error(
                "\(option.flag): invalid duration \(UsageError.quoted(text)); write it like 500ms, 15s, 2m or 1h")
        }
        return span
    }

    /// Returns a time span like `duration`, except that a bare number counts milliseconds, as in the options of
    /// Engine.IO servers.
    func milliseconds(_ option: Option) throws(UsageError) -> Duration? {
        guard let text = self[option], let number = Int64(text), (1...1_000_000_000).contains(number) else {
            return try duration(option)
        }
        return .milliseconds(number)
    }

    /// Returns a whole number in the range; by default 1 or more.
    func count(_ option: Option, in range: ClosedRange<Int> = 1...Int.max) throws(UsageError) -> Int? {
        guard let text = self[option] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            let bounds =
                range.upperBound == .max
                ? "\(range.lowerBound) or more" : "one from \(range.lowerBound) to \(range.upperBound)"
            throw error("\(option.flag): invalid number \(UsageError.quoted(text)); write \(bounds)")
        }
        return value
    }

    /// Returns a size limit for data from the server.
    func limit(_ option: Option) throws(UsageError) -> Int? {
        guard let text = self[option] else { return nil }
        guard let size = RecordingOptions.size(text), Limits.range.contains(size) else {
            throw error("\(option.flag): invalid size \(UsageError.quoted(text)); write one from 4K to 32M")
        }
        return size
    }

    /// Returns a seed, which can be any 64-bit number.
    func seed(_ option: Option) throws(UsageError) -> UInt64? {
        guard let text = self[option] else { return nil }
        guard let value = UInt64(text) else {
            throw error("\(option.flag): invalid number \(UsageError.quoted(text)); write 0 or more")
        }
        return value
    }

    /// Returns the option's value as one word of a closed list.
    func choice<Choice: RawRepresentable & CaseIterable>(_ option: Option) throws(UsageError) -> Choice?
    where Choice.RawValue == String {
        try self[option].map { text throws(UsageError) in try choice(of: text, for: option.flag + ": ") }
    }

    /// Returns the choice for a word. An error message begins with `label`.
    func choice<Choice: RawRepresentable & CaseIterable>(of word: String, for label: String = "") throws(UsageError)
        -> Choice
    where Choice.RawValue == String {
        if let choice = Choice(rawValue: word) { return choice }
        throw error(label + UsageError.unlisted(word, among: Choice.allCases.map(\.rawValue)))
    }

    /// Returns the Engine.IO revision; `nil` for `auto`.
    func revision(_ option: Option) throws(UsageError) -> EngineIO.Revision? {
        guard let text = self[option], text != "auto" else { return nil }
        guard let revision = Int(text).flatMap(EngineIO.Revision.init(rawValue:)) else {
            throw error("\(option.flag): \(UsageError.quoted(text)) is not one of 3, 4, auto")
        }
        return revision
    }

    /// Returns a name that is safe as a file name: letters, digits, `.`, `_` and `-`, not starting with a dot.
    func name(_ option: Option) throws(UsageError) -> String? {
        guard let text = self[option] else { return nil }
        let isSafe = text.utf8.allSatisfy { byte in
            switch UInt8(byte) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isSafe, !text.isEmpty, text.utf8.count <= 64, !text.hasPrefix(".") else {
            throw error(
                "\(option.flag): invalid name \(UsageError.quoted(text)); use up to 64 letters, digits, '.', '_' and '-'"
            )
        }
        return text
    }

    /// Returns the path of the store, or `nil` for no store. A store that the user named is required.
    func store() throws(UsageError) -> (path: String?, isRequired: Bool) {
        switch self[.store] {
        case "none": return (nil, false)
        case let path?: return (path, true)
        case nil: return (StateFolder.storePath, false)
        }
    }

    /// Returns the number of events per second.
    func rate() throws(UsageError) -> Double? {
        guard let text = self[.rate] else { return nil }
        guard let rate = Double(text.hasSuffix("/s") ? text.dropLast(2) : text[...]), rate >= 0.01, rate <= 1e6 else {
            throw error("--rate: invalid rate \(UsageError.quoted(text)); write one from 0.01/s to 1000000/s")
        }
        return rate
    }

    /// Returns the speed at which a recording is played.
    func pace() throws(UsageError) -> ReplayConfiguration.Pace {
        if let rate = try rate() {
            guard self[.speed] == nil else { throw error("--rate and --speed exclude each other") }
            return .rate(rate)
        }
        guard let text = self[.speed] else { return .factor(1) }
        if text == "max" { return .maximum }
        guard let value = Double(text), value >= 0.01, value <= 1000 else {
            throw error("--speed: invalid speed \(UsageError.quoted(text)); write a number from 0.01 to 1000, or max")
        }
        return .factor(value)
    }

    /// Returns the number of rounds; `nil` for endless repetition.
    func rounds(_ option: Option) throws(UsageError) -> Int? {
        switch self[option] {
        case nil: 1
        case "forever": nil
        case _?: try count(option)
        }
    }

    /// Returns an address and a port: `127.0.0.1:8080`, `[::1]:8080`.
    func endpoint(_ option: Option) throws(UsageError) -> (address: String, port: UInt16)? {
        guard let text = self[option] else { return nil }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            let port = UInt16(text) != nil
            let example = port ? "127.0.0.1:\(text)" : "\(text.contains(":") ? "127.0.0.1" : text):8080"
            throw error("\(option.flag): \(UsageError.quoted(text)) is not ADDR:PORT; write it like \(example)")
        }
        var address = text[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = address.dropFirst().dropLast()
        } else if address.contains(":") {
            throw error("\(option.flag): write an IPv6 address in brackets: [\(address)]:\(port)")
        }
        guard !address.isEmpty else { throw error("\(option.flag): \(UsageError.quoted(text)) is not ADDR:PORT") }
        return (String(address), port)
    }

    /// The Socket.IO namespaces, with their slash; `/` by default.
    var namespaces: [String] {
        get throws(UsageError) {
            var names: [String] = []
            for name in all(.namespace) {
                guard SocketIO.isNamespace(name) else {
                    throw error("--namespace: a namespace must not contain a comma")
                }
                let whole = name.hasPrefix("/") ? name : "/" + name
                if !names.contains(whole) { names.append(whole) }
            }
            return names.isEmpty ? ["/"] : names
        }
    }

    /// The typed path of the endpoint; `nil` for the backend's default.
    var endpointPath: String? {
        get throws(UsageError) {
            guard let text = self[.path] else { return nil }
            let path = text.hasPrefix("/") ? text : "/" + text
            if path.contains("?") {
                throw error("--path must not contain a query; put it in the URL, or use --query NAME=VALUE")
            }
            guard (try? URLParts(parsing: "http://h" + path))?.path == path else {
                throw error("--path: invalid path \(UsageError.quoted(text)); write it like /socket.io/")
            }
            return path
        }
    }

    /// Returns the URL of a service. It must have no path and no query, since the commands know the paths.
    func serviceURL(_ text: String) throws(UsageError) -> URLParts {
        let url = try url(text)
        guard url.target == "/" else {
            throw error("\(urlLabel): 'weir \(command.name)' uses no path and no query; omit them")
        }
        return url
    }

    /// Returns the URL of a backend.
    func url(_ text: String) throws(UsageError) -> URLParts {
        if text.contains("#") {
            throw error(urlLabel + ": remove the # and the text after it, or write %23")
        }
        do {
            return try URLParts(parsing: text)
        } catch {
            throw self.error(urlLabel + ": " + TerminalText.escaped(error.message))
        }
    }
}

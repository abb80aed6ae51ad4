import WeirLive
import WeirNetwork
import WeirTerminal
import WeirWire

extension Arguments {
    /// Returns the reference to a secret. Errors do not quote the value, which may be the secret itself.
    func secret(_ option: Option, _ name: String) throws(UsageError) -> TokenReference? {
        guard let text = self[option] else { return nil }
        guard let reference = TokenReference(text) else { throw notAReference(option, name) }
        return reference
    }

    private func notAReference(_ option: Option, _ name: String) -> UsageError {
        error(
            "\(option.flag) takes a reference, not the \(name) itself: an argument is seen by every user of the"
                + " machine and kept in the shell's history. Write env:NAME, file:PATH or cmd:COMMAND")
    }

    /// Returns the references to the server's token and to the tokens of named services.
    func tokens() throws(UsageError) -> (server: TokenReference?, services: [String: TokenReference]) {
        var (server, services): (TokenReference?, [String: TokenReference]) = (nil, [:])
        for text in all(.token) {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let isNamed = parts.count == 2 && !parts[0].contains(":")
            guard let reference = TokenReference(isNamed ? parts[1] : text) else {
                throw notAReference(.token, "token")
            }
            if isNamed ? services[parts[0]] != nil : server != nil {
                throw error("--token is given twice for one service")
            }
            if isNamed { services[parts[0]] = reference } else { server = reference }
        }
        return (server, services)
    }

    /// Returns the settings for reaching the server.
    func access(to url: URLParts) throws(UsageError) -> AccessPlan {
        for option in [Option.ca, .cert, .pin] where isTyped(option) && !url.isSecure {
            throw error("\(option.flag) requires an https or wss URL, not \(url.scheme)")
        }
        for (option, needed) in [(Option.key, Option.cert), (.keyPass, .cert), (.proxyAuth, .proxy)]
        where self[option] != nil && self[needed] == nil {
            throw error("\(option.flag) requires \(needed.flag)")
        }
        var plan = AccessPlan()
        // TLS settings that apply to all servers, and were not typed, are ignored for a server without TLS.
        if url.isSecure {
            if let path = self[.ca] { plan.trust = .file(path) }
            if let path = self[.cert] {
                plan.certificate = ClientCertificate(certificate: path, key: self[.key] ?? path)
            }
            plan.passphrase = try secret(.keyPass, "passphrase")
            plan.pins = try pins(.pin)
        }
        plan.route = try route(.proxy)
        plan.proxyCredentials = try secret(.proxyAuth, "credentials")
        plan.headers = try headers(.header)
        do {
            // Check before connecting: the environment may contain an invalid proxy.
            _ = try plan.proxy(for: url)
        } catch {
            throw self.error("--proxy env: " + error.message)
        }
        return plan
    }

    /// Returns the template of the object that authenticates a Socket.IO connection.
    func auth() throws(UsageError) -> ReferenceTemplate? {
        guard let text = self[.auth] else { return nil }
        do { return try ReferenceTemplate(auth: text) } catch { throw self.error("--auth: " + error.message) }
    }

    /// Returns the query of every request that opens or carries the realtime connection: the query of the URL, extended
    /// by `--query`.
    func query(of url: URLParts) throws(UsageError) -> ReferenceTemplate {
        do {
            return try ReferenceTemplate(query: url.query, adding: all(.query))
        } catch {
            throw self.error("--query: " + TerminalText.escaped(error.message))
        }
    }

    private func pins(_ option: Option) throws(UsageError) -> [PublicKeyPin] {
        var pins: [PublicKeyPin] = []
        for text in all(option) {
            guard let pin = PublicKeyPin(text) else {
                throw error(
                    "\(option.flag): invalid pin \(UsageError.quoted(text)); write sha256// and the hash of the public key in"
                        + " base64, 44 characters that end with =")
            }
            pins.append(pin)
        }
        return pins
    }

    private func route(_ option: Option) throws(UsageError) -> AccessPlan.Route {
        guard let text = self[option] else { return .direct }
        if text == "env" { return .environment }
        guard !text.contains("@") else {
            throw error(
                "\(option.flag) must not contain a user and password: an argument is seen by every user of the machine and kept in the"
                    + " shell's history. Give them with --proxy-auth env:NAME, file:PATH or cmd:COMMAND, as USER:PASSWORD"
            )
        }
        do {
            return .proxy(try Proxy(parsing: text))
        } catch {
            throw self.error("\(option.flag): " + TerminalText.escaped(error.message))
        }
    }

    private func headers(_ option: Option) throws(UsageError) -> [AccessPlan.Header] {
        var headers: [AccessPlan.Header] = []
        for text in all(option) { headers.append(try header(text, option)) }
        return headers
    }

    /// Parses `NAME: VALUE`. The value is text, a reference, or one word and a reference, such as `Bearer env:TOKEN`.
    private func header(_ text: String, _ option: Option) throws(UsageError) -> AccessPlan.Header {
        guard let colon = text.firstIndex(of: ":") else {
            // The text is not quoted, since it may be a secret without a name.
            throw error("\(option.flag): a colon is missing after the name; write 'NAME: VALUE'")
        }
        let name = String(text[..<colon])
        if let problem = Access.problem(withHeader: name) {
            throw error("\(option.flag): \(UsageError.quoted(name)) cannot be set: \(problem)")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        if let reference = TokenReference(String(value)) {
            return AccessPlan.Header(name: name, text: "", secret: reference)
        }
        if let space = value.firstIndex(of: " ") {
            let rest = value[space...].drop { $0 == " " }
            if let reference = TokenReference(String(rest)) {
                return AccessPlan.Header(name: name, text: value[..<space] + " ", secret: reference)
            }
        }
        guard !["authorization", "cookie"].contains(name.lowercased()) else {
            throw error(
                "\(option.flag) \(name) takes a reference, not the value itself: an argument is seen by every user of the"
                    + " machine and kept in the shell's history. Write '\(name): env:NAME', file:PATH or cmd:COMMAND, with a"
                    + " word such as Bearer in front if needed")
        }
        guard Access.isHeaderValueSendable(Secret(String(value))) else {
            throw error("\(option.flag) \(name): the value contains characters that are not allowed in a header")
        }
        return AccessPlan.Header(name: name, text: String(value))
    }
}

import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirStore
import WeirTerminal
import WeirWire

/// The account of a command, and the settings for reaching its server.
struct AccountOptions {
    var url: URLParts
    var backend: Configuration.BackendKind
    var access: AccessPlan
    var token: TokenReference?
    /// The path of the store that may remember the account; only for `logout`.
    var store: String?
    var json: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try self.init(arguments, with: arguments.command == .logout ? "login" : nil, \.canLogIn)
    }

    /// Reads the options for a server whose backend supports `what`; `nil` if the backend does not matter.
    init(_ arguments: Arguments, with what: String?, _ has: (AccountCalls) -> Bool) throws(UsageError) {
        guard let index = arguments.command.urlIndex(in: arguments.positionals),
            arguments.positionals.indices.contains(index)
        else { throw arguments.error("URL is missing") }
        url = try arguments.serviceURL(arguments.positionals[index])
        if let what {
            backend = try arguments.knownBackend(with: what, has)
        } else {
            backend = try arguments.knownBackend
        }
        access = try arguments.access(to: url)
        if arguments.command == .logout { store = try arguments.store().path }
        token = try arguments.secret(.token, "token")
        json = arguments.has(.json)
    }
}

/// The options of `weir login`.
struct LoginOptions {
    var url: URLParts
    var backend: Configuration.BackendKind
    var access: AccessPlan
    /// The user name; `nil` if the password is a token, which identifies the user.
    var user: String?
    /// The source of the password or token.
    var password: TokenReference
    var file: String
    var json: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        url = try arguments.serviceURL(arguments.positionals[0])
        backend = try arguments.backendWithLogin
        access = try arguments.access(to: url)
        let page = backend.module.accounts?.tokenPage
        user = page == nil ? arguments[.user] : nil
        guard page != nil || user != nil else { throw arguments.error("--user NAME is missing") }
        guard page == nil || !arguments.isTyped(.user) else {
            throw arguments.error(
                "--user cannot be used with --backend \(backend.rawValue): the token identifies the user")
        }
        guard let file = arguments[.save] else { throw arguments.error("--save FILE is missing") }
        self.file = file
        switch arguments[.password] {
        case .none, .some("prompt"), .some("stdin"):
            let question =
                page.map { "Token from \($0): " }
                ?? "Password of \(TerminalText.escaped(user ?? "")) at \(url.host): "
            password = .provider { () throws(TokenError) in try StandardInput.secret(asking: question) }
        case .some:
            guard let reference = try arguments.secret(.password, "password") else {
                throw arguments.error("--password is missing")
            }
            password = reference
        }
        json = arguments.has(.json)
    }
}

/// The commands `weir login`, `weir logout` and `weir whoami`.
enum AccountCommand {
    static func login(_ options: LoginOptions) async -> ExitCode {
        await with(options.url, options.backend, options.access) { service async throws(AccountService.Failure) in
            let (user, tokens) = try await tokens(options, service)
            if let problem = TokenFile.write(tokens, to: options.file) {
                Console.note("weir: the token cannot be written to \(options.file): \(problem)")
                return .cannotWrite
            }
            let fields: KeyValuePairs<String, JSONValue> = [
                "user": .string(user), "file": .string(options.file),
                "expiration": tokens.expiration.map { .integer($0) } ?? .null,
            ]
            let asUser = options.user == nil ? " as \(user)" : ""
            return print(fields, options.json) { "logged in\(asUser); token saved to \(options.file)" }
        }
    }

    private static func tokens(
        _ options: LoginOptions, _ service: AccountService
    ) async throws(AccountService.Failure) -> (user: String, tokens: AccountTokens) {
        if let user = options.user { return (user, try await service.login(user: user, password: options.password)) }
        let (account, tokens) = try await service.login(token: options.password)
        return (account.name, tokens)
    }

    static func logout(_ options: AccountOptions) async -> ExitCode {
        await with(options.url, options.backend, options.access) { service async throws(AccountService.Failure) in
            guard let reference = options.token else {
                throw .noSecret(
                    TokenError(message: "--token is missing: it selects the account to log out", isUsage: true))
            }
            let token = try await service.token(reference)
            let forgotten = await forget(options, service, token)
            try await service.logout(token)
            var removed = false
            if case .file(let path) = reference {
                guard unlink(path) == 0 || errno == ENOENT else {
                    Console.note("weir: cannot remove \(path): \(String(cString: strerror(errno)))")
                    return .cannotWrite
                }
                removed = true
            }
            return print(["removed": .bool(removed), "forgotten": .bool(forgotten)], options.json) {
                let words =
                    removed
                    ? "logged out; token file removed" : "logged out; the token is not in a file, so none was removed"
                return forgotten ? words + "; the account's stored data was deleted" : words
            }
        }
    }

    /// Removes an account from the store, even if the server does not answer. Returns true if the store contained it.
    ///
    /// The server knows the owner of the token. If it does not answer, the last used account of the server is removed.
    private static func forget(_ options: AccountOptions, _ service: AccountService, _ token: Secret) async -> Bool {
        guard let path = options.store, access(path, F_OK) == 0 else { return false }
        let user = try? await service.whoami(token).account.id.description
        do {
            let store = try Store(opening: path, now: WallTime.milliseconds)
            defer { store.close() }
            let server = StoreAccount.name(of: options.url)
            let account = try store.accounts().first { $0.server == server && (user == nil || $0.user == user) }
            return try account.map { account throws(StoreError) in try store.forget(account) } ?? false
        } catch {
            Console.note("weir: cannot delete the account's stored data: \(error)")
            return false
        }
    }

    static func whoami(_ options: AccountOptions) async -> ExitCode {
        await with(options.url, options.backend, options.access, hasToken: options.token != nil) {
            service async throws(AccountService.Failure) in
            var token: Secret?
            if let reference = options.token { token = try await service.token(reference) }
            let (account, era) = try await service.whoami(token)
            let fields: KeyValuePairs<String, JSONValue> = [
                "id": .string(account.id.description), "name": .string(account.name),
                "era": era.map { .string($0) } ?? .null,
            ]
            return print(fields, options.json) {
                "\(account.id)  \(account.name)" + (era.map { "  (era \($0))" } ?? "")
            }
        }
    }

    static func with(
        _ url: URLParts, _ backend: Configuration.BackendKind, _ access: AccessPlan, hasToken: Bool = true,
        _ body: (AccountService) async throws(AccountService.Failure) -> ExitCode
    ) async -> ExitCode {
        let service: AccountService
        do { service = try AccountService(url, access, backend: backend) } catch { return Console.fail(error) }
        var code = ExitCode.done
        do throws(AccountService.Failure) { code = try await body(service) } catch {
            switch error {
            case .refused(let why, let status):
                // HTTP status 404 is not a refusal.
                let word = status == 404 ? "not found" : "refused"
                let hint = status == 401 && !hasToken ? "; " + ExitCode.noTokenHint : ""
                Console.complain("\(word): \(why) (HTTP \(status))\(hint)")
                code = status == 404 ? .runtimeError : .refused
            case .unreachable(let why):
                Console.complain("the server cannot be reached: \(why)")
                code = .noConnection
            case .noSecret(let error):
                Console.complain(error.message)
                code = ExitCode(of: error)
            case .missing(let why):
                Console.complain(why)
                code = .runtimeError
            case .unsupported(let why):
                Console.complain(why)
                code = .usage
            }
        }
        await service.close()
        return code
    }

    static func print(
        _ fields: KeyValuePairs<String, JSONValue>, _ json: Bool, _ line: () -> String
    ) -> ExitCode {
        guard json else { return Console.print(TerminalText.escaped(line()) + "\n") }
        return Console.print(JSONValue.fields(fields).raw.description + "\n")
    }
}

extension Arguments {
    /// The backend of the server. It must be more specific than plain Socket.IO or similar framing.
    var knownBackend: Configuration.BackendKind {
        get throws(UsageError) {
            if let declared = try declaredBackend() { return declared }
            let named: KnownBackend? = try choice(.backend)
            return (named ?? .usual).kind
        }
    }

    fileprivate var backendWithLogin: Configuration.BackendKind {
        get throws(UsageError) { try knownBackend(with: "login", \.canLogIn) }
    }

    /// Returns the backend, or throws an error if its servers do not support an operation.
    func knownBackend(with what: String, _ has: (AccountCalls) -> Bool) throws(UsageError) -> Configuration.BackendKind
    {
        let backend = try knownBackend
        if backend.module.accounts?.eras.contains(where: has) == true { return backend }
        throw error("--backend: '\(backend.rawValue)' does not support \(what) yet")
    }
}

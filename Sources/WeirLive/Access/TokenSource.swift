package import Glibc
import WeirJSON
import WeirNetwork
package import WeirPipeline
import WeirThreads
import WeirWire

/// The source of a run's tokens. A token in the file of a login is kept fresh: it is renewed before it ends, and when
/// the server refuses it, by one process at a time.
struct TokenSource: Sendable {
    /// The result of checking a login's file.
    struct Freshness: Sendable {
        /// When to check again, in seconds since 1970; `nil` to check only when the server refuses the token.
        var next: Int64?
        /// Why the token could not be renewed, for the user; `nil` if it was renewed or did not have to be.
        var problem: String?
    }

    /// The reference to the server's token; `nil` if it needs none.
    var reference: TokenReference?
    /// The references to the tokens of services that a profile declares at their own addresses, by the service's name.
    var services: [String: TokenReference] = [:]
    var server: URLParts
    var access: AccessPlan
    var backend: Configuration.BackendKind

    /// The path of a login's file whose token may be renewed; `nil` if there is none.
    private var file: String? {
        guard case .file(let path) = reference, backend.renewsTokens else { return nil }
        return path
    }

    /// Whether checking the file may lead to a request.
    var mayRenew: Bool { file != nil }

    /// Renews the token in the file if it is due, or if it equals `refused`.
    func freshen(insteadOf refused: Secret? = nil) async -> Freshness {
        guard let path = file, let found = await onThread({ TokenFile.read(path) }), found.refresh != nil else {
            return Freshness()
        }
        guard found.isDue(insteadOf: refused) else { return Freshness(next: found.renewal) }
        guard let turn = await onThread({ TokenTurn(path) }) else {
            return Freshness(problem: "another process has been renewing \(path) for too long")
        }
        defer { turn.end() }
        // Another process may have renewed the token in the meantime.
        guard let found = await onThread({ TokenFile.read(path) }), let refresh = found.refresh else {
            return Freshness()
        }
        guard found.isDue(insteadOf: refused) else { return Freshness(next: found.renewal) }
        return found.isOver ? Freshness(problem: Self.over) : await renew(refresh, path)
    }

    private static let over = "the login has expired: log in again (weir login)"

    private func renew(_ refresh: Secret, _ path: String) async -> Freshness {
        do {
            let service = try AccountService(server, access, backend: backend)
            let answer = await service.renewed(refresh)
            await service.close()
            var tokens = try answer.get()
            // A server that does not return a refresh token keeps the old one valid.
            tokens.refresh = tokens.refresh ?? refresh
            if let problem = await onThread({ [tokens] in TokenFile.write(tokens, to: path) }) {
                return Freshness(problem: "\(path) cannot be written: \(problem)")
            }
            return Freshness(next: await onThread { TokenFile.read(path)?.renewal })
        } catch AccountService.Failure.refused(let why, let status) {
            return Freshness(problem: "the server refused to renew the token (\(why), HTTP \(status)); \(Self.over)")
        } catch AccountService.Failure.unreachable(let why) {
            return Freshness(problem: "the token cannot be renewed: \(why)")
        } catch AccountService.Failure.noSecret(let error) {
            return Freshness(problem: "the token cannot be renewed: \(error.message)")
        } catch {
            return Freshness(problem: "the token cannot be renewed: \(error)")
        }
    }
}

/// Performs blocking work on a helper thread: files, commands, locks.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        runOnThread(named: "weir-token") { continuation.resume(returning: work()) }
    }
}

extension EventLoop {
    /// Renews the token of a login if it is due or equals `refused`, then resolves the token and those of the services.
    ///
    /// Calls `completion` on the loop, with `nil` for a token that cannot be resolved. If the source has no references,
    /// it does not block or renew anything.
    @discardableResult func ask(
        _ source: TokenSource, insteadOf refused: Secret?,
        completion: @escaping @Sendable (Secret?, ServiceTokens?, TokenSource.Freshness) -> Void
    ) -> Task<Void, Never>? {
        let (reference, services) = (source.reference, source.services)
        if reference == nil, services.isEmpty {
            run { completion(nil, nil, TokenSource.Freshness()) }
            return nil
        }
        return freshen(source, insteadOf: refused) { [self] freshness in
            offload(named: "weir-token") {
                (try? reference?.resolve(), services.isEmpty ? nil : try? ServiceTokens(services))
            } completion: {
                completion($0.0, $0.1, freshness)
            }
        }
    }

    /// Renews the token of a login if it is due or equals `refused`, then calls `completion` on the loop.
    ///
    /// The process must not exit before the task ends, since a server may accept a refresh token only once.
    @discardableResult func freshen(
        _ source: TokenSource, insteadOf refused: Secret? = nil,
        completion: @escaping @Sendable (TokenSource.Freshness) -> Void
    ) -> Task<Void, Never>? {
        guard source.mayRenew else {
            completion(TokenSource.Freshness())
            return nil
        }
        return Task {
            let freshness = await source.freshen(insteadOf: refused)
            run { completion(freshness) }
        }
    }
}

/// The file that a login writes. The first line is the token, so that `file:PATH` reads it. The second line is a JSON
/// object with the data for renewal.
package struct TokenFile: Sendable {
    /// The token on the first line.
    var token: Secret
    /// The refresh token; `nil` if the login has none.
    var refresh: Secret?
    /// When to renew the token, in seconds since 1970 on this machine; `nil` if it is unknown.
    var renewal: Int64?
    /// When the refresh token ends, in seconds since 1970 on this machine; `nil` if it is unknown.
    var end: Int64?

    /// Reads the file at a path. Returns `nil` for a file that was not written by a login.
    static func read(_ path: String) -> TokenFile? {
        guard let bytes = contents(of: path), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            end > bytes.startIndex,
            let rest = try? RawJSON(checking: bytes[(end + 1)...])
        else { return nil }
        func text(_ key: String) -> String? { JSONPath(key: key).value(in: rest)?.plainText }
        return TokenFile(
            token: Secret(String(decoding: bytes[..<end], as: UTF8.self)), refresh: text("refresh").map { Secret($0) },
            renewal: text("renew_at").flatMap { Int64($0) }, end: text("renew_until").flatMap { Int64($0) })
    }

    /// Writes tokens that a server has just issued, completely or not at all. Returns the problem, or `nil` on success.
    package static func write(_ tokens: AccountTokens, to path: String) -> String? {
        let life = tokens.lifetime ?? life(to: tokens.expiration, of: tokens)
        let rest = RawJSON.object {
            $0.member("refresh", tokens.refresh?.reveal())
            $0.member("expiration", tokens.expiration)
            $0.member("refresh_expiration", tokens.refreshExpiration)
            // Renewal is due a minute before the token ends, or a fifth of its lifetime before, whichever is shorter.
            $0.member("renew_at", life.map { now + $0 - max(1, min(60, $0 / 5)) })
            $0.member("renew_until", Self.life(to: tokens.refreshExpiration, of: tokens).map { now + $0 })
        }
        return WholeFile.write(Array("\(tokens.token.reveal())\n\(rest)\n".utf8), to: path)
    }

    /// Returns the lifetime, in seconds, of a token that ends at a time on the server's clock. Returns `nil` if that
    /// time has passed on arrival: then the clocks differ, and only the server's refusal shows when the token ends.
    private static func life(to end: Int64?, of tokens: AccountTokens) -> Int64? {
        end.map { $0 - (tokens.issued ?? now) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether the token must be renewed: its time has come, or the server refused it.
    func isDue(insteadOf refused: Secret?) -> Bool { token == refused || renewal.map { $0 <= Self.now } ?? false }

    /// Whether the server no longer renews the token.
    var isOver: Bool { end.map { $0 <= Self.now } ?? false }

    /// The current time, in seconds since 1970.
    static var now: Int64 { MachineClock.wall / 1_000_000 }

    /// The size limit of the file, in bytes. No login writes more.
    private static let longest = 64 << 10

    private static func contents(of path: String) -> ArraySlice<UInt8>? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = fread(&bytes, 1, longest, file)
        return count < longest ? bytes[..<count] : nil
    }
}

/// An exclusive lock for the process that renews a token. It locks the file's folder, since the file itself is
/// replaced.
struct TokenTurn: Sendable {
    private let descriptor: Int32
    /// The longest wait for another process, which renews a token and waits for the server itself.
    private static let patience: Duration = .seconds(30)

    /// Waits for the lock. Returns `nil` if another process does not release it in time. Blocks: call it on a helper
    /// thread.
    init?(_ path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let deadline = MachineClock.monotonic + Self.patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard MachineClock.monotonic < deadline else {
                close(descriptor)
                return nil
            }
            usleep(20_000)
        }
    }

    func end() { close(descriptor) }
}

/// Writes a file completely or not at all. By default only the owner can read it.
package enum WholeFile {
    /// Writes to a new file with a unique name next to `path`, then renames it. An existing regular file is replaced.
    /// Anything else is refused, since `/dev/null` would be destroyed.
    ///
    /// - Returns: The problem, or `nil` on success.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) -> String? {
        var facts = stat()
        if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG { return "not a regular file" }
        let new = "\(path).\(UInt64.random(in: .min ... .max))"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        let isWhole = put(bytes, descriptor) && fsync(descriptor) == 0
        let problem = isWhole ? nil : String(cString: strerror(errno))
        close(descriptor)
        if let problem {
            unlink(new)
            return problem
        }
        guard rename(new, path) == 0 else {
            let problem = String(cString: strerror(errno))
            unlink(new)
            return problem
        }
        return nil
    }

    private static func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// The tokens of services that a profile declares at their own addresses, by the service's name.
struct ServiceTokens: Sendable {
    private var secrets: [String: Secret] = [:]

    init() {}

    /// Resolves the references. Blocks, as `TokenReference.resolve` does.
    init(_ references: [String: TokenReference]) throws(TokenError) {
        for (name, reference) in references { secrets[name] = try reference.resolve("token of \(name)") }
    }

    subscript(name: String) -> Secret? { secrets[name] }
    /// All tokens, for hiding them in output.
    var all: [Secret] { Array(secrets.values) }

    static func != (a: Self, b: Self) -> Bool { a.secrets != b.secrets }
}

extension HTTPRequest {
    /// Creates the request for a call of a session. A service at its own address is a different server. It gets its own
    /// token, but not the backend's, and neither the user's headers, certificate nor cookies.
    init(
        _ call: RESTCall, of backend: Configuration.BackendKind, at service: URLParts, access: Access, token: Secret?,
        services: ServiceTokens
    ) {
        guard let declared = backend.declaredService(call.service), let url = try? URLParts(parsing: declared.url)
        else {
            self.init(
                call.method.rawValue, service.with(target: call.target), body: call.body, access: access,
                token: call.carriesToken ? token : nil, in: backend.tokenHeader)
            return
        }
        self.init(
            call.method.rawValue, url.with(target: call.target), body: call.body,
            access: Access(trust: access.trust, proxy: access.proxy),
            token: call.carriesToken ? services[declared.name] : nil, in: declared.header)
    }
}

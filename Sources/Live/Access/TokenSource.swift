import Network
import Pipeline
import Wire

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

import Network
import Pipeline
import Wire

/// Where the tokens of a run come from. A token that a login left in a file is kept fresh there: it is renewed before it ends, and when the
/// server refuses it, by one process at a time.
struct TokenSource: Sendable {
    /// What a look at a login's file led to.
    struct Freshness: Sendable {
        /// When to look again, unix seconds; nil for only when the server refuses the token.
        var next: Int64?
        /// Why the token could not be renewed, for people; nil when it was, or did not have to be.
        var problem: String?
    }

    /// The server's token.
    var reference: TokenReference?
    /// Those of services that a profile declares at addresses of their own.
    var services: [String: TokenReference] = [:]
    var server: URLParts
    var access: AccessPlan
    var backend: Configuration.BackendKind

    /// The file of a login that may be renewed.
    private var file: String? {
        guard case .file(let path) = reference, backend.renewsTokens else { return nil }
        return path
    }

    /// Whether a look at the file may lead to a request.
    var mayRenew: Bool { file != nil }

    /// Renews the token of the file, if it must be or is the one that was `refused`.
    func freshen(insteadOf refused: Secret? = nil) async -> Freshness {
        guard let path = file, let found = await onThread({ TokenFile.read(path) }), found.refresh != nil else {
            return Freshness()
        }
        guard found.isDue(insteadOf: refused) else { return Freshness(next: found.renewal) }
        guard let turn = await onThread({ TokenTurn(path) }) else {
            return Freshness(problem: "another process renews \(path), and does not end")
        }
        defer { turn.end() }
        // Another process may have had its turn meanwhile.
        guard let found = await onThread({ TokenFile.read(path) }), let refresh = found.refresh else {
            return Freshness()
        }
        guard found.isDue(insteadOf: refused) else { return Freshness(next: found.renewal) }
        return found.isOver ? Freshness(problem: Self.over) : await renew(refresh, path)
    }

    private static let over = "the login is over: log in again (weir login)"

    private func renew(_ refresh: Secret, _ path: String) async -> Freshness {
        do {
            let service = try AccountService(server, access, backend: backend)
            let answer = await service.renewed(refresh)
            await service.close()
            var tokens = try answer.get()
            // A server that says nothing of it keeps the old one.
            tokens.refresh = tokens.refresh ?? refresh
            if let problem = await onThread({ [tokens] in TokenFile.write(tokens, to: path) }) {
                return Freshness(problem: "\(path) cannot be written: \(problem)")
            }
            return Freshness(next: await onThread { TokenFile.read(path)?.renewal })
        } catch AccountService.Failure.refused(let why, let status) {
            return Freshness(problem: "the server refuses to renew the token (\(why), HTTP \(status)); \(Self.over)")
        } catch AccountService.Failure.unreachable(let why) {
            return Freshness(problem: "the token cannot be renewed: \(why)")
        } catch AccountService.Failure.noSecret(let error) {
            return Freshness(problem: "the token cannot be renewed: \(error.message)")
        } catch {
            return Freshness(problem: "the token cannot be renewed: \(error)")
        }
    }
}

/// Does on a helper thread what may block: files, commands, locks.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        runOnThread(named: "weir-token") { continuation.resume(returning: work()) }
    }
}

extension EventLoop {
    /// Renews the token of a login, if it must be or is the one that was `refused`; then finds the token and those of services. Hands them
    /// to `completion` on the loop; nil for what gives none. Nothing is waited for where nothing gives a token.
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

    /// Renews the token of a login, if it must be or is the one that was `refused`, then calls `completion` on the loop. A process must not end
    /// before the task: a server may take a refresh token once only.
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

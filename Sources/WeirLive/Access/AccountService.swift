import Glibc
import WeirEvents
package import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirThreads
package import WeirWire

/// Requests about accounts: logging in and out, the token's user, lookups and downloads. Call `close()` when done, to
/// end its threads.
package final class AccountService: Sendable {
    /// The reason why a request has no usable answer.
    package enum Failure: Error, Hashable, Sendable {
        /// The server refused with this status. Its message is untrusted text.
        case refused(why: String, status: Int)
        /// The requested object does not exist, or may not be requested.
        case missing(why: String)
        /// The server is unreachable, or its answer is invalid.
        case unreachable(why: String)
        /// A secret cannot be resolved.
        case noSecret(TokenError)
        /// The backend does not support the request, or the request is not known for it.
        case unsupported(why: String)
    }

    let server: URLParts
    let backend: Configuration.BackendKind
    /// The address of the REST service.
    var service: URLParts { server.service(of: backend) }
    let plan: AccessPlan
    private let loop: EventLoop
    let http: HTTPClient

    /// Creates a service for the server at an address, which speaks the protocol of `backend`.
    package init(
        _ server: URLParts, _ plan: AccessPlan, backend: Configuration.BackendKind = .usual
    ) throws(ActionRunnerError) {
        self.server = server
        self.backend = backend
        self.plan = plan
        do {
            loop = try EventLoop(name: "weir-runner")
            try plan.check()
            http = try HTTPClient(answeringOn: loop)
        } catch {
            throw .network(error)
        }
    }

    /// Ends the threads and waits for them.
    package func close() async {
        await withCheckedContinuation { continuation in
            let (http, loop) = (self.http, self.loop)
            runOnThread(named: "weir-shutdown") {
                http.shutDown()
                loop.shutDown()
                continuation.resume()
            }
        }
    }

    /// Logs in with a user name and a password. The password is resolved from its reference.
    package func login(user: String, password: TokenReference) async throws(Failure) -> AccountTokens {
        let password = try await resolve(password, "password")
        let access = try await access()
        let login = try part("login", try await calls(access).login)
        return try await tokens(of: login.login(user, password), login, access, token: nil)
    }

    /// Logs in with a token that the user copied from a page of the service. The server returns the token's user.
    package func login(
        token reference: TokenReference
    ) async throws(Failure) -> (account: BackendAccount, tokens: AccountTokens) {
        let token = try await resolve(reference)
        return (try await whoami(token).account, AccountTokens(token: token))
    }

    /// Returns the token's user, and the era of the server if the backend has several.
    package func whoami(_ token: Secret?) async throws(Failure) -> (account: BackendAccount, era: String?) {
        let access = try await access()
        let calls = try await calls(access)
        let body = try await ask(part("account", calls.whoami), access, token: token)
        do throws(DecodingFailure) {
            // The server's text is printed, so secrets are removed first.
            return (try calls.account(SecretScrubber().scrubbed(body[...])?[...] ?? body[...]), calls.era)
        } catch {
            throw .unreachable(why: error.description)
        }
    }

    /// Requests a new token with a refresh token.
    func renewed(_ refresh: Secret) async -> Result<AccountTokens, Failure> {
        do throws(Failure) {
            let access = try await access()
            let login = try part("login", try await calls(access).login)
            let call = try part("renewal of tokens", login.renew)(refresh)
            return .success(try await tokens(of: call, login, access, token: call.carriesToken ? refresh : nil))
        } catch {
            return .failure(error)
        }
    }

    private func tokens(
        of call: RESTCall, _ login: LoginCalls, _ access: Access, token: Secret?
    ) async throws(Failure) -> AccountTokens {
        let response = try await accepted(call, access, token: token)
        guard var tokens = login.tokens(response.body[...]) else { throw .unreachable(why: "the answer has no token") }
        if tokens.issued == nil {
            let date = response.headers.first { $0.name.lowercased() == "date" }?.value
            tokens.issued = date.flatMap(HTTPDate.milliseconds).map { $0 / 1000 }
        }
        return tokens
    }

    /// Logs out at the server, if the backend has such a request.
    package func logout(_ token: Secret?) async throws(Failure) {
        let access = try await access()
        let calls = try await calls(access)
        guard calls.tokenPage == nil, let call = try part("login", calls.login).logout else { return }
        _ = try await ask(call, access, token: token)
    }

    /// Resolves the token. The token of a login is renewed first if it is due.
    package func token(_ reference: TokenReference) async throws(Failure) -> Secret {
        let source = TokenSource(reference: reference, server: server, access: plan, backend: backend)
        if let problem = await source.freshen().problem { throw .noSecret(TokenError(message: problem)) }
        return try await resolve(reference)
    }

    /// Resolves a secret on a helper thread.
    package func resolve(_ reference: TokenReference, _ purpose: String = "token") async throws(Failure) -> Secret {
        let result = await onThread { Result { () throws(TokenError) in try reference.resolve(purpose) } }
        do { return try result.get() } catch { throw .noSecret(error) }
    }

    func access() async throws(Failure) -> Access {
        let (plan, server) = (plan, server)
        let result = await onThread { Result { () throws(TokenError) in try plan.resolve(for: server).access } }
        do { return try result.get() } catch { throw .noSecret(error) }
    }

    /// Returns the calls of the backend. If it has several eras, a probe determines the server's era first.
    func calls(_ access: Access) async throws(Failure) -> AccountCalls {
        let accounts = try part("accounts", backend.module.accounts)
        switch accounts {
        case .alike(let calls): return calls
        case .byEra(let probe, _):
            let response = try await send(probe, access, token: nil)
            if let calls = accounts.calls(status: response.status) { return calls }
            throw .refused(why: response.refusal, status: response.status)
        }
    }

    /// Returns an optional part of a backend, or throws `unsupported` if the backend lacks it.
    func part<Part>(_ name: String, _ part: Part?) throws(Failure) -> Part {
        if let part { return part }
        throw .unsupported(why: "the backend '\(backend.rawValue)' does not support \(name) yet")
    }

    func ask(_ call: RESTCall, _ access: Access, token: Secret? = nil) async throws(Failure) -> [UInt8] {
        try await accepted(call, access, token: token).body
    }

    /// Returns the response to a call if its status is a success, and throws otherwise.
    private func accepted(
        _ call: RESTCall, _ access: Access, token: Secret?
    ) async throws(Failure) -> HTTPResponse {
        let response = try await send(call, access, token: token)
        switch response.status {
        case 200..<300: return response
        case 500...: throw .unreachable(why: response.refusal)
        default: throw .refused(why: response.refusal, status: response.status)
        }
    }

    private func send(
        _ call: RESTCall, _ access: Access, token: Secret?
    ) async throws(Failure) -> HTTPResponse {
        let request = HTTPRequest(
            call.method.rawValue, service.with(target: call.target), body: call.body, access: access, token: token,
            in: backend.tokenHeader)
        do { return try await answer(to: request).get() } catch { throw .unreachable(why: error.message) }
    }

    /// Returns the URL of a path and query at the server.
    func address(_ target: String) -> URLParts {
        server.with(scheme: server.isSecure ? "https" : "http", target: target)
    }

    /// Sends a request, and returns its response or the reason why there is none.
    func answer(to request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
        await withCheckedContinuation { continuation in
            http.send(request) { continuation.resume(returning: $0) }
        }
    }
}

extension HTTPResponse {
    /// The server's refusal for display, without secrets.
    var refusal: String {
        SecretScrubber().scrubbed(RESTCall.refusal(status: status, body: body[...]))
    }
}

extension AccountService {
    /// Requests `/` like any other request. Returns the response whatever its status, or the reason why there is none.
    func probe() async throws(Failure) -> Result<HTTPResponse, HTTPFailure> {
        await answer(to: HTTPRequest(url: address("/"), access: try await access()))
    }
}

// Determining which kind of server answers, after the expected kind did not.
extension AccountService {
    /// The time limit of each request.
    private static let patience = Duration.seconds(5)

    /// Returns the backends other than `expected` whose usual path answers like such a server. Each request names a
    /// transport that does not exist, so no server creates a session. The result is empty if the server is unreachable.
    package func kinds(besides expected: Configuration.BackendKind) async -> [Configuration.BackendKind] {
        guard let access = try? await access() else { return [] }
        return await withTaskGroup { group in
            for kind in Configuration.BackendKind.allCases where kind != expected {
                group.addTask {
                    let isOfKind =
                        kind.speaksBayeux
                        ? await self.speaksBayeux(kind, access) : await self.speaksEngineIO(kind, access)
                    return isOfKind ? kind : nil
                }
            }
            var kinds: Set<Configuration.BackendKind> = []
            for await case let kind? in group { kinds.insert(kind) }
            return Configuration.BackendKind.allCases.filter(kinds.contains)
        }
    }

    private func speaksEngineIO(_ kind: Configuration.BackendKind, _ access: Access) async -> Bool {
        let request = HTTPRequest(
            url: address(kind.usualPath + "?EIO=4&transport=none"), access: access, timeout: Self.patience)
        guard let response = try? await answer(to: request).get(), response.status == 400 else { return false }
        // JavaScript servers send "Transport unknown", Python servers "Invalid transport".
        let error = EngineIO.ServerError(status: response.status, body: response.body[...])
        return error.text?.lowercased().contains("transport") ?? false
    }

    private func speaksBayeux(_ kind: Configuration.BackendKind, _ access: Access) async -> Bool {
        let handshake = #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["none"],"id":"1"}]"#
        let request = HTTPRequest(
            method: "POST", url: address(kind.usualPath), access: access,
            headers: [("content-type", "application/json")], body: Array(handshake.utf8), timeout: Self.patience)
        guard let response = try? await answer(to: request).get() else { return false }
        return String(decoding: response.body, as: UTF8.self).contains("/meta/handshake")
    }
}

/// The time in a Date header (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the milliseconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, or `nil` for any other
    /// form. All current servers write this form.
    static func milliseconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let day = number(words[1], 1...31), let year = number(words[3], 1970...9999),
            let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...60)
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return Int64(timegm(&parts)) * 1000
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int32>) -> Int32? {
        guard let value = Int32(text), range.contains(value) else { return nil }
        return value
    }
}

package import WeirEvents
import WeirNetwork
import WeirPipeline
package import WeirStore
import WeirThreads
import WeirWire

// Files and pictures never change, so they are read from the store, or downloaded once.
extension AccountService {
    /// An object that can be downloaded.
    package enum Wanted: Hashable, Sendable {
        /// The content of a file.
        case file(EntityID)
        /// The picture of a user; `nil` for the token's user.
        case picture(user: EntityID?)
    }

    /// The size limit of a download, in bytes.
    package static let maximumDownload = 64 << 20
    /// The time limit of a download.
    private static let patience: Duration = .seconds(600)

    /// Returns the bytes of a file or a picture. A file that the store has for the most recently used account needs no
    /// server. A download is added to the store.
    ///
    /// - Parameter now: The current time, in milliseconds since 1970.
    package func download(
        _ wanted: Wanted, token reference: TokenReference?, company: String? = nil, workspace: String? = nil,
        store: Store? = nil, at now: Int64
    ) async throws(Failure) -> [UInt8] {
        if case .file(let id) = wanted, let bytes = kept(StoreThing(.file, id.description), store) { return bytes }
        var token: Secret?
        if let reference { token = try await self.token(reference) }
        let access = try await access()
        let calls = try await calls(access)
        let downloads = try part("downloads", calls.downloads)
        let me = try await account(calls, part("account", calls.whoami), access, token)
        let owner = StoreAccount(server: StoreAccount.name(of: server), user: me.id.description)
        switch wanted {
        case .file(let id):
            let named = ["company": company, "workspace": workspace]
            var places: [EntityID] = []
            for place in downloads.places {
                if case let id?? = named[place.name] {
                    places.append(EntityID(id))
                } else {
                    places.append(try await find(nil, place, places, access, token))
                }
            }
            let request = own(downloads.file(id, places).target, access, token)
            return try await get(StoreThing(.file, id.description), of: owner, request, store, at: now)
        case .picture(let user):
            var owned = me
            if let user { owned = try await account(calls, downloads.account(user), access, token) }
            guard let address = owned.picture else {
                throw .missing(why: "\(owned.name) has no picture")
            }
            let request = try request(forPicture: address, access, token)
            return try await get(StoreThing(.picture, address), of: owner, request, store, at: now)
        }
    }

    private func kept(_ thing: StoreThing, _ store: Store?) -> [UInt8]? {
        guard let store, let accounts = try? store.accounts() else { return nil }
        let name = StoreAccount.name(of: server)
        guard let account = accounts.first(where: { $0.server == name }) else { return nil }
        return (try? store.kept(thing, of: account)) ?? nil
    }

    private func get(
        _ thing: StoreThing, of owner: StoreAccount, _ request: HTTPRequest, _ store: Store?, at now: Int64
    ) async throws(Failure) -> [UInt8] {
        guard let store else { return try await fetch(request).get() }
        let failure = Monitor<Failure?>(nil)
        let result: Result<[UInt8], StoreError> = await withCheckedContinuation { continuation in
            store.get(thing, of: owner, at: now) { [self] done in
                fetch(request) { result in
                    switch result {
                    case .success(let bytes): done(.success(bytes))
                    case .failure(let why):
                        failure.change { $0 = why }
                        done(.failure(.notDownloaded("\(why)")))
                    }
                }
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        do { return try result.get() } catch {
            throw failure.change { $0 } ?? .unreachable(why: "\(error)")
        }
    }

    // MARK: Requests

    func account(
        _ calls: AccountCalls, _ call: RESTCall, _ access: Access, _ token: Secret?
    ) async throws(Failure) -> BackendAccount {
        let body = try await ask(call, access, token: token)
        do throws(DecodingFailure) { return try calls.account(body[...]) } catch {
            throw .unreachable(why: error.description)
        }
    }

    private func own(_ target: String, _ access: Access, _ token: Secret?) -> HTTPRequest {
        request(service.with(target: target), access, token)
    }

    private func request(_ url: URLParts, _ access: Access, _ token: Secret?) -> HTTPRequest {
        var request = HTTPRequest("GET", url, for: "*/*", access: access, token: token, in: backend.tokenHeader)
        (request.timeout, request.maximumBody) = (Self.patience, Self.maximumDownload)
        return request
    }

    /// Returns the request for a picture, which may be on any server. Another server receives no token, no user
    /// headers, no certificate and no cookies. It is not contacted over plain HTTP if the own server uses TLS.
    private func request(forPicture address: String, _ access: Access, _ token: Secret?) throws(Failure) -> HTTPRequest
    {
        if address.hasPrefix("/"), !address.hasPrefix("//") { return own(address, access, token) }
        let url: URLParts
        do { url = try URLParts(parsing: address) } catch {
            throw .unreachable(why: "the picture's address is not a URL: \(error.message)")
        }
        let isOwn = url.isSecure == service.isSecure && url.authority == service.authority
        if isOwn { return own(url.target, access, token) }
        guard url.scheme == "https" || (url.scheme == "http" && !service.isSecure) else {
            throw .missing(why: "the picture is at \(url.scheme)://\(url.authority), which is not contacted")
        }
        var foreign = Access()
        foreign.trust = access.trust
        do {
            var proxy = try plan.proxy(for: url)
            if proxy?.credentials == nil { proxy?.credentials = access.proxy?.credentials }
            foreign.proxy = proxy
        } catch {
            throw .noSecret(error)
        }
        return request(url, foreign, nil)
    }

    private func fetch(_ request: HTTPRequest) async -> Result<[UInt8], Failure> {
        await withCheckedContinuation { continuation in fetch(request) { continuation.resume(returning: $0) } }
    }

    private func fetch(_ request: HTTPRequest, _ completion: @escaping @Sendable (Result<[UInt8], Failure>) -> Void) {
        http.send(request) { result in
            switch result {
            case .success(let response) where response.status == 200: completion(.success(response.body))
            case .success(let response) where response.status >= 500:
                completion(.failure(.unreachable(why: response.refusal)))
            case .success(let response):
                completion(.failure(.refused(why: response.refusal, status: response.status)))
            case .failure(let failure): completion(.failure(.unreachable(why: failure.message)))
            }
        }
    }
}

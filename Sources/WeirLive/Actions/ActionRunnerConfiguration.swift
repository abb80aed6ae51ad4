package import WeirEvents
package import WeirJSON
package import WeirNetwork
package import WeirPipeline
package import WeirStore
import WeirWire

/// The configuration of an runner: a few actions performed by REST, without a realtime connection.
package struct ActionRunnerConfiguration: Sendable {
    /// The server's address. Its path and query are ignored.
    package var server: URLParts
    /// The backend whose protocol the server speaks.
    package var backend = Configuration.BackendKind.usual
    /// The reference to the token; `nil` if the server needs none.
    package var token: TokenReference?
    /// The references to the tokens of services that a profile declares at their own addresses, by the service's name.
    package var serviceTokens: [String: TokenReference] = [:]
    /// The proxy, certificates and headers for reaching the server.
    package var access = AccessPlan()
    /// The company's id, if the user named one.
    package var company: String?
    /// The workspace's id, if the user named one.
    package var workspace: String?
    /// The path of the store in which actions wait for the next tail if the server is unreachable; `nil` for none.
    package var storePath: String?
    /// Whether the runner fails if the store cannot be opened.
    package var requiresStore = false
    /// Whether each message is sent with the text of its channel's or thread's draft.
    package var sendsDrafts = false
    /// The pictures to upload first. They are attached to every message that is sent, or become the picture of the
    /// channel that is created or changed.
    package var pictures: [Picture] = []
    /// A callback for the upload progress of a message's file, on another thread.
    package var uploading: (@Sendable (UploadProgress) -> Void)?
    /// The number of failed attempts, by actions or the lookups they need, after which an unreachable server is given
    /// up.
    package var maximumAttempts: Int
    /// The upper limit of the wait when the server sends `Retry-After`.
    package var longestRetryAfter = Duration.longestRetryAfter
    /// The seed of the retry jitter.
    package var seed: UInt64

    /// A picture to upload before the actions.
    package struct Picture: Sendable {
        /// The content of the image file.
        package var bytes: [UInt8]
        /// The media type, such as `image/png`.
        package var type: String

        /// Creates a picture from its bytes and media type.
        package init(bytes: [UInt8], type: String) {
            self.bytes = bytes
            self.type = type
        }
    }

    /// Creates a configuration with defaults for everything else.
    package init(server: URLParts, token: TokenReference? = nil, maximumAttempts: Int = 3, seed: UInt64) {
        self.server = server
        self.token = token
        self.maximumAttempts = maximumAttempts
        self.seed = seed
    }

    /// The address of the REST service.
    var service: URLParts { server.service(of: backend) }

    /// The source of the runner's tokens.
    var tokens: TokenSource {
        TokenSource(reference: token, services: serviceTokens, server: server, access: access, backend: backend)
    }

    var session: Configuration {
        var session = Configuration(backend: backend, company: company, workspace: workspace)
        session.connects = false
        session.longestRetryAfter = longestRetryAfter
        return session
    }
}

/// The outcome of one action of an runner.
package struct ActionRunnerResult: Hashable, Sendable {
    /// The way in which an action ended.
    package enum Outcome: Hashable, Sendable {
        /// The server performed the action. `subject` is the object that it created or changed, if the answer contains
        /// its id.
        case done(subject: EntityID?)
        /// The server refused the action, or it cannot be performed. `status` is the response's status, if there was
        /// one. The reason is untrusted text.
        case refused(why: String, status: Int?)
        /// The server was unreachable or unable in all attempts. The action was not performed.
        case unreachable(why: String)
        /// The server was unreachable, or another program is performing earlier actions. The action waits in the store,
        /// and the account's next tail or command performs it.
        case waiting(why: String)
        /// The token or another secret cannot be resolved.
        case noToken(TokenError)
    }
    /// The action as the runner performed it.
    package var action: Action
    /// The way in which the action ended.
    package var outcome: Outcome
    /// The status of the last response to one of its requests; `nil` if there was none.
    package var status: Int?
    /// Whether an earlier command requested the action, which then waited in the store.
    package var hadWaited = false
    /// Whether the text of an unsent message was stored as a draft.
    package var isDraft = false
}

// As JSON, for `--json` and the control socket. The members are always the same, and null without a value.
extension ActionRunnerResult {
    /// The result as a JSON object.
    package var json: JSONValue {
        var (state, subject, why, status) = ("done", JSONValue.null, JSONValue.null, status)
        switch outcome {
        case .done(let id): subject = id.map { .string($0.description) } ?? .null
        case .refused(let words, let number): (state, why, status) = ("refused", .string(words), number)
        case .unreachable(let words): (state, why) = ("unreachable", .string(words))
        case .waiting(let words): (state, why) = ("waiting", .string(words))
        case .noToken(let error): (state, why) = ("no_token", .string(error.message))
        }
        return .fields([
            "action": .string(action.id.description), "do": .string(action.operation.name), "state": .string(state),
            "subject": subject, "why": why, "status": status.map { .integer(Int64($0)) } ?? .null,
        ])
    }

    /// Creates the result from a running tail's answer about an action. Returns `nil` for any other value.
    package init?(_ json: JSONValue, of action: Action) {
        let subject: EntityID? = if case .string(let id)? = json["subject"] { EntityID(id) } else { nil }
        let why = if case .string(let words)? = json["why"] { words } else { "no reason given" }
        let status: Int? = if case .integer(let number)? = json["status"] { Int(clamping: number) } else { nil }
        switch json["state"] {
        case .string("done"): self.init(action: action, outcome: .done(subject: subject))
        case .string("refused"): self.init(action: action, outcome: .refused(why: why, status: status))
        case .string("waiting"): self.init(action: action, outcome: .waiting(why: why))
        default: return nil
        }
    }
}

/// The reason why an runner cannot begin.
package enum ActionRunnerError: Error, Hashable, Sendable {
    /// The network could not be started, or a certificate file cannot be used.
    case network(NetworkError)
    /// The required store cannot be opened.
    case store(StoreError)
}

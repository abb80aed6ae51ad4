public import Events
package import JSONText
public import Network
public import Pipeline
public import Store
import Wire

/// What an errand is told once: a few actions done by REST, without a realtime connection.
public struct ErrandConfiguration: Sendable {
    /// The server's address; path and query are not used.
    public var server: URLParts
    /// What it speaks.
    public var backend = Configuration.BackendKind.usual
    /// Where the token comes from.
    public var token: TokenReference?
    /// Where the tokens come from of services that a profile declares at addresses of their own, by the service's name.
    public var serviceTokens: [String: TokenReference] = [:]
    /// How the server is reached.
    public var access = AccessPlan()
    /// The company, where the user named one.
    public var company: String?
    /// The workspace, where the user named one.
    public var workspace: String?
    /// The store in which what cannot be done for want of a server waits for the next tail; nil for none.
    public var storePath: String?
    /// Whether the errand cannot do without the store.
    public var requiresStore = false
    /// Whether messages are sent with the text of the draft of their place.
    public var sendsDrafts = false
    /// Pictures that are uploaded first, and go with every message that is sent, or become that of the channel that is made or changed.
    public var pictures: [Picture] = []
    /// Told on another thread how far the upload of a message's file is.
    public var uploading: (@Sendable (UploadProgress) -> Void)?
    /// How often one action, or what it needs to know, is tried while the server cannot be reached.
    public var maximumAttempts: Int
    /// No longer than this is waited when the server says `Retry-After`.
    public var longestRetryAfter = Duration.longestRetryAfter
    /// Seed of the jitter.
    public var seed: UInt64

    /// A picture to upload.
    public struct Picture: Sendable {
        /// The bytes.
        public var bytes: [UInt8]
        /// The media type, as `image/png`.
        public var type: String

        /// A picture.
        public init(bytes: [UInt8], type: String) {
            self.bytes = bytes
            self.type = type
        }
    }

    /// A configuration with everything optional left out.
    public init(server: URLParts, token: TokenReference? = nil, maximumAttempts: Int = 3, seed: UInt64) {
        self.server = server
        self.token = token
        self.maximumAttempts = maximumAttempts
        self.seed = seed
    }

    /// Where the REST service is.
    var service: URLParts { server.service(of: backend) }

    /// Where its tokens come from.
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

/// What became of one action of an errand.
public struct ErrandResult: Hashable, Sendable {
    /// How it ended.
    public enum Outcome: Hashable, Sendable {
        /// The server did it; what it made or changed, where the answer says.
        case done(subject: EntityID?)
        /// The server refused it, or it cannot be done; `status` where the server said it with one. The words are untrusted.
        case refused(why: String, status: Int?)
        /// The server could not be reached, or could not do it now, as often as was tried. It was not done.
        case unreachable(why: String)
        /// The server could not be reached, or another program is at what waits before it. It waits in the store, and the next tail or
        /// command of the account does it.
        case waiting(why: String)
        /// The token, or another secret, cannot be had.
        case noToken(TokenError)
    }
    /// The action.
    public var action: Action
    /// How it ended.
    public var outcome: Outcome
    /// The status of the last answer to one of its requests; nil where none came.
    public var status: Int?
    /// Whether it was asked for by an earlier command and had waited in the store.
    public var hadWaited = false
    /// Whether the text of a message that was not sent is kept as a draft.
    public var isDraft = false
}

// As JSON, for `--json` and the control socket: always the same members, null where there is nothing to say.
extension ErrandResult {
    /// The object.
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

    /// What a running tail answered about an action; nil for what is no such answer.
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

/// Why an errand cannot begin.
public enum ErrandError: Error, Hashable, Sendable {
    /// The network room could not be started.
    case network(NetworkError)
    /// The store that was asked for cannot be used.
    case store(StoreError)
}

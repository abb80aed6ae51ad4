import WeirEvents
import WeirJSON
import WeirLive
import WeirPipeline
import WeirStore
import WeirTerminal

/// The options of `weir draft`.
struct DraftOptions {
    enum Verb: String, CaseIterable {
        case ls, show, set, drop
    }

    var account: AccountOptions
    var verb: Verb
    var store: String
    /// The channel of the draft; `nil` to list all drafts.
    var channel: EntityID?
    var thread: EntityID?
    /// The new text; `nil` for all verbs other than `set`.
    var text: String?

    init(_ arguments: Arguments) throws(UsageError) {
        let word = arguments.positionals[0]
        guard let verb = Verb(rawValue: word) else {
            throw arguments.error(UsageError.unlisted(word, among: Verb.allCases.map(\.rawValue)))
        }
        self.verb = verb
        account = try AccountOptions(arguments)
        guard let store = try arguments.store().path else { throw arguments.error("drafts require the store") }
        self.store = store
        thread = arguments[.thread].map { EntityID($0) }
        var words = Words(rest: arguments.wordsBehindURL[...], arguments: arguments)
        if verb != .ls { channel = try words.id("CHANNEL") }
        if verb == .set { text = try words.text() } else { try words.end() }
    }
}

/// The command `weir draft`: the stored drafts for channels and threads.
enum DraftCommand {
    static func run(_ options: DraftOptions) async -> ExitCode {
        do {
            let store = try Store(opening: options.store, now: WallTime.milliseconds)
            defer { store.close() }
            let server = StoreAccount.name(of: options.account.url)
            // `send --draft` uses the last used account as well.
            if let known = try store.accounts().first(where: { $0.server == server }) {
                return try run(options, on: store, of: known)
            }
            guard options.verb == .set else {
                return try run(options, on: store, of: StoreAccount(server: server, user: ""))
            }
            return await begin(options, on: store, server)
        } catch {
            return Console.fail(error)
        }
    }

    /// Creates a draft for an account that the store does not contain. The server identifies the user.
    private static func begin(_ options: DraftOptions, on store: Store, _ server: String) async -> ExitCode {
        let account = options.account
        return await AccountCommand.with(account.url, account.backend, account.access, hasToken: account.token != nil) {
            service async throws(AccountService.Failure) in
            guard let reference = account.token else {
                throw .noSecret(
                    TokenError(message: "--token is missing: it selects the account of the draft", isUsage: true))
            }
            let user = try await service.whoami(try await service.token(reference)).account.id.description
            do {
                return try run(options, on: store, of: StoreAccount(server: server, user: user))
            } catch {
                return Console.fail(error)
            }
        }
    }

    private static func run(_ options: DraftOptions, on store: Store, of account: StoreAccount) throws -> ExitCode {
        let book = try DraftBook(store, of: account, options.account.backend)
        guard let channel = options.channel else { return print(book.drafts, options.account.json) }
        let draft = book.draft(for: channel, thread: options.thread)
        func keep(_ text: String?) throws(StoreError) {
            try book.keep(text, for: channel, thread: options.thread, at: WallTime.milliseconds)
        }
        if options.verb == .set {
            try keep(options.text)
            Console.note("+ draft for \(channel)")
            return .done
        }
        guard let draft else { throw CommandError("no draft for \(channel)") }
        if options.verb == .drop {
            try keep(nil)
            Console.note("- draft for \(draft.place)")
            return .done
        }
        return options.account.json ? print([draft], true) : Console.print(draft.text + "\n")
    }

    private static func print(_ drafts: [DraftBook.Draft], _ json: Bool) -> ExitCode {
        var code = ExitCode.done
        for draft in drafts where code == .done {
            let fields: KeyValuePairs<String, JSONValue> = [
                "channel": .string(draft.channel), "name": draft.name.map { .string($0) } ?? .null,
                "thread": draft.thread.map { .string($0) } ?? .null, "text": .string(draft.text),
            ]
            code = AccountCommand.print(fields, json) { draft.place + "  " + draft.text }
        }
        return code
    }
}

extension DraftBook.Draft {
    /// A readable name for the draft's channel and thread.
    fileprivate var place: String {
        [name.map { "#" + $0 } ?? channel, thread.map { "thread " + $0 }].compactMap(\.self).joined(separator: "  ")
    }
}

import WeirEvents
import WeirJSON
import WeirLive
import WeirPipeline
import WeirTerminal

/// The options of `workspace members`, `channel members ls` and `account show`.
struct PeopleOptions {
    /// The people to look up.
    enum Wanted {
        case workspace
        case channel(String)
        /// A user; `nil` for the owner of the token.
        case account(String?)
    }

    var account: AccountOptions
    var place: AccountService.PeoplePlace
    var wanted: Wanted

    init(_ arguments: Arguments) throws(UsageError) {
        account = try AccountOptions(arguments, with: "member lists") { $0.people != nil }
        place = AccountService.PeoplePlace(company: arguments[.company], workspace: arguments[.workspace])
        let words = arguments.wordsBehindURL
        switch arguments.command {
        case .workspace:
            place.workspace = words.first ?? place.workspace
            wanted = .workspace
        case .channel:
            guard let name = words.first else { throw arguments.error("CHANNEL is missing") }
            wanted = .channel(name)
        default: wanted = .account(words.first)
        }
        if words.count > 1 { throw arguments.error("unexpected argument \(UsageError.quoted(words[1]))") }
    }
}

/// The commands that list members and show accounts.
enum PeopleCommand {
    static func run(_ options: PeopleOptions) async -> ExitCode {
        let account = options.account
        return await AccountCommand.with(account.url, account.backend, account.access, hasToken: account.token != nil) {
            service async throws(AccountService.Failure) in
            switch options.wanted {
            case .workspace:
                print(try await service.members(in: options.place, token: account.token), account.json)
            case .channel(let name):
                print(
                    try await service.members(ofChannel: name, in: options.place, token: account.token), account.json)
            case .account(let name):
                print(try await service.account(of: name, in: options.place, token: account.token), account.json)
            }
        }
    }

    private static func print(_ members: [BackendMember], _ json: Bool) -> ExitCode {
        var code = ExitCode.done
        for member in members where code == .done {
            let fields: KeyValuePairs<String, JSONValue> = [
                "id": .string(member.account.id.description), "name": .string(member.account.name),
                "username": member.account.username.map { .string($0) } ?? .null,
                "role": member.role.map { .string($0) } ?? .null,
            ]
            code = AccountCommand.print(fields, json) {
                [member.account.id.description, member.account.name, member.role].compactMap(\.self)
                    .joined(separator: "  ")
            }
        }
        return code
    }

    private static func print(_ account: BackendAccount, _ json: Bool) -> ExitCode {
        let fields: KeyValuePairs<String, JSONValue> = [
            "id": .string(account.id.description), "name": .string(account.name),
            "username": account.username.map { .string($0) } ?? .null,
            "email": account.email.map { .string($0) } ?? .null,
            "language": account.language.map { .string($0) } ?? .null,
            "status": account.status.map { .string($0) } ?? .null,
        ]
        guard !json else { return AccountCommand.print(fields, true) { "" } }
        var lines = ""
        for case (let label, .string(let text)) in fields {
            lines += label + String(repeating: " ", count: 10 - label.count) + TerminalText.escaped(text) + "\n"
        }
        return Console.print(lines)
    }
}

extension Arguments {
    /// Whether the arguments request a lookup instead of an action.
    var wantsLook: Bool {
        let looks: [Command: [String]] = [.workspace: ["members"], .channel: ["members", "ls"], .account: ["show"]]
        let changes = ["add", "remove"].contains { positionals.starts(with: ["members", $0]) }
        return !changes && looks[command].map { positionals.starts(with: $0) } ?? false
    }

    /// The words after the URL.
    var wordsBehindURL: [String] { Array(positionals.dropFirst((command.urlIndex(in: positionals) ?? 0) + 1)) }
}

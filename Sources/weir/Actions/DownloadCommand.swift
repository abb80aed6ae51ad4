import Glibc
import WeirEvents
import WeirJSON
import WeirLive
import WeirNetwork
import WeirPipeline
import WeirStore

/// The options of `weir download`.
struct DownloadOptions {
    var url: URLParts
    var backend: Configuration.BackendKind
    var access: AccessPlan
    var token: TokenReference?
    var wanted: AccountService.Wanted
    var company: String?
    var workspace: String?
    /// The file to write; `nil` for standard output.
    var file: String?
    /// Whether an existing file is replaced.
    var isForced: Bool
    var store: (path: String?, isRequired: Bool)
    var json: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        let (kind, words) = (arguments.positionals[0], arguments.positionals)
        let id = words.count > 2 ? words[2] : nil
        guard id != "" else { throw arguments.error("ID is empty") }
        switch kind {
        case "file":
            guard let id else { throw arguments.error("FILE is missing") }
            wanted = .file(EntityID(id))
        case "picture": wanted = .picture(user: id.map { EntityID($0) })
        default: throw arguments.error(UsageError.unlisted(kind, among: ["file", "picture"]))
        }
        url = try arguments.serviceURL(words[1])
        backend = try arguments.knownBackend(with: "downloads") { $0.downloads != nil }
        access = try arguments.access(to: url)
        token = try arguments.secret(.token, "token")
        (company, workspace) = (arguments[.company], arguments[.workspace])
        file = arguments[.output] == "-" ? nil : arguments[.output]
        isForced = arguments.has(.force)
        store = try arguments.store()
        json = arguments.has(.json)
        if json, file == nil { throw arguments.error("--json needs --output FILE: the bytes go to standard output") }
        if file == nil, isatty(1) == 1, arguments[.output] == nil {
            throw arguments.error("standard output is a terminal: name a file with --output, or use --output -")
        }
    }
}

/// The command `weir download`: writes a file or a picture once it is complete.
enum DownloadCommand {
    static func run(_ options: DownloadOptions) async -> ExitCode {
        let store: Store?
        do throws(StoreError) {
            store = try options.store.path.map { path throws(StoreError) in
                try Store(opening: path, now: WallTime.milliseconds)
            }
        } catch {
            if options.store.isRequired { return Console.fail(CommandError("\(error)", .cannotWrite)) }
            Console.note("warning: the store cannot be used: \(error)")
            store = nil
        }
        defer { store?.close() }
        store?.tell(onDrained: {}) { Console.note("warning: not stored: \($0)") }
        // Check this before downloading anything.
        if let file = options.file, !options.isForced, access(file, F_OK) == 0 {
            return Console.fail(CommandError("\(file) already exists; --force replaces it", .cannotWrite))
        }
        return await AccountCommand.with(options.url, options.backend, options.access, hasToken: options.token != nil) {
            service async throws(AccountService.Failure) in
            let bytes = try await service.download(
                options.wanted, token: options.token, company: options.company, workspace: options.workspace,
                store: store, at: WallTime.milliseconds)
            return put(bytes, options)
        }
    }

    private static func put(_ bytes: [UInt8], _ options: DownloadOptions) -> ExitCode {
        guard let file = options.file else {
            do {
                try DescriptorWriter(descriptor: 1, name: "standard output").write(bytes)
                return .done
            } catch {
                return error == .closedByReader ? .done : Console.fail(error)
            }
        }
        if let problem = WholeFile.write(bytes, to: file) {
            return Console.fail(CommandError("\(file) cannot be written: \(problem)", .cannotWrite))
        }
        let fields: KeyValuePairs<String, JSONValue> = ["file": .string(file), "bytes": .integer(Int64(bytes.count))]
        return AccountCommand.print(fields, options.json) {
            "\(bytes.count) \(bytes.count == 1 ? "byte" : "bytes") in \(file)"
        }
    }
}

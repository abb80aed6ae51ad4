import WeirEvents
import WeirNetwork
package import WeirPipeline
import WeirRecording
import WeirTerminal
import WeirWire

// Looking up users and members.
extension AccountService {
    /// The company and workspace in which to look up users.
    package struct PeoplePlace: Sendable {
        /// The company's id or name; `nil` for the first one.
        package var company: String?
        /// The workspace's id or name; `nil` for the first one.
        package var workspace: String?

        /// Creates a place from optional ids or names.
        package init(company: String?, workspace: String?) { (self.company, self.workspace) = (company, workspace) }

        fileprivate func name(of place: PlaceCalls) -> String? { place.name == "company" ? company : workspace }
    }

    /// The calls and secrets of a lookup.
    private struct Lookup {
        var calls: AccountCalls
        var people: PeopleCalls
        var access: Access
        var token: Secret?
    }

    /// The number of names that an error suggests when a name is not found.
    private static let mostNamed = 10

    /// Returns the account of a user, given by id, by user name, or by `@` and a name; `nil` is the token's user.
    package func account(
        of name: String?, in place: PeoplePlace, token reference: TokenReference?
    ) async throws(Failure) -> BackendAccount {
        let look = try await lookup(reference)
        guard let name else {
            return try await account(look.calls, part("account", look.calls.whoami), look.access, look.token)
        }
        // A text that is not an id may be a user name.
        if !name.hasPrefix("@"), let account = try await account(withID: EntityID(name), look) { return account }
        let words = name.hasPrefix("@") ? String(name.dropFirst()) : name
        let company = try await places(place, of: look.people.places.prefix(1), look)[0]
        let found = try await all(look.people.search(words, company), look)
        let fitting = found.filter { account in
            [account.name, account.username].contains { $0?.lowercased() == words.lowercased() }
        }
        if fitting.count == 1 {
            return try await account(look.calls, look.people.account(fitting[0].id), look.access, look.token)
        }
        let near = (fitting.isEmpty ? found : fitting).map { account in
            account.name + " (" + (account.username ?? account.id.description) + ")"
        }
        throw .missing(why: "\(fitting.isEmpty ? "no" : "more than one") user '\(words)'" + Self.list(near))
    }

    /// Returns `nil` for an id that does not exist. Servers of era A answer an invalid id with status 400.
    private func account(withID id: EntityID, _ look: Lookup) async throws(Failure) -> BackendAccount? {
        do throws(Failure) {
            return try await account(look.calls, look.people.account(id), look.access, look.token)
        } catch {
            guard case .refused(_, let status) = error, [400, 404].contains(status) else { throw error }
            return nil
        }
    }

    /// Returns the members of a workspace.
    package func members(
        in place: PeoplePlace, token reference: TokenReference?
    ) async throws(Failure) -> [BackendMember] {
        let look = try await lookup(reference)
        return try await all(look.people.members(try await places(place, of: look.people.places[...], look)), look)
    }

    /// Returns the members of a channel, given by its id, or by `#` and its name.
    package func members(
        ofChannel name: String, in place: PeoplePlace, token reference: TokenReference?
    ) async throws(Failure) -> [BackendMember] {
        let look = try await lookup(reference)
        let places = try await places(place, of: look.people.places[...], look)
        var names: [String] = []
        for channels in look.people.channels(places) {
            let list = try await all(channels.list, look)
            names += list.map { "#" + $0.name }
            let found = list.first { channel in
                channel.id == EntityID(name) || "#" + channel.name.lowercased() == name.lowercased()
            }
            guard let found else { continue }
            return try await named(try await all(channels.members(found.id), look), places, look)
        }
        throw .missing(
            why: "none of your channels in the workspace is named \(name)" + Suggestion.phrase(for: name, among: names)
        )
    }

    /// Returns the members with their accounts, as far as the server provides them.
    private func named(
        _ members: [BackendMember], _ places: [EntityID], _ look: Lookup
    ) async throws(Failure) -> [BackendMember] {
        var accounts: [EntityID: BackendAccount] = [:]
        for list in look.people.accounts(members.map(\.account.id), places) {
            for member in try await all(list, look) { accounts[member.account.id] = member.account }
        }
        return members.map { member in
            var named = member
            named.account = accounts[member.account.id] ?? member.account
            return named
        }
    }

    // MARK: Places and pages

    private func lookup(_ reference: TokenReference?) async throws(Failure) -> Lookup {
        var token: Secret?
        if let reference { token = try await self.token(reference) }
        let access = try await access()
        let calls = try await calls(access)
        return Lookup(calls: calls, people: try part("people", calls.people), access: access, token: token)
    }

    private func places(
        _ place: PeoplePlace, of calls: ArraySlice<PlaceCalls>, _ look: Lookup
    ) async throws(Failure) -> [EntityID] {
        var found: [EntityID] = []
        for call in calls {
            found.append(try await find(place.name(of: call), call, found, look.access, look.token))
        }
        return found
    }

    /// Returns the id of a place given by id or name, or of the user's first place, within the surrounding places.
    func find(
        _ name: String?, _ place: PlaceCalls, _ around: [EntityID], _ access: Access, _ token: Secret?
    ) async throws(Failure) -> EntityID {
        let listed = try await all(place.list(around), access, token)
        guard let name else {
            if let first = listed.first { return first.id }
            throw .missing(why: "you belong to no \(place.name); name one with --\(place.name)")
        }
        if listed.contains(where: { $0.id == EntityID(name) }) { return EntityID(name) }
        let fitting = listed.filter { $0.name.lowercased() == name.lowercased() }
        if fitting.count == 1 { return fitting[0].id }
        let near = (fitting.isEmpty ? listed : fitting).map { "\($0.name) (\($0.id))" }
        throw .missing(
            why: "\(fitting.isEmpty ? "no" : "more than one") \(place.name) '\(name)'" + Self.list(near))
    }

    private static func list(_ names: [String]) -> String {
        guard !names.isEmpty else { return "" }
        let more = names.count > mostNamed ? " and \(names.count - mostNamed) more" : ""
        return "; candidates: " + names.prefix(mostNamed).joined(separator: ", ") + more
    }

    private func all<Row>(_ list: PagedList<Row>, _ look: Lookup) async throws(Failure) -> [Row] {
        try await all(list, look.access, look.token)
    }

    /// The maximum number of pages of a list, to bound what a server can send.
    private static let mostPages = 1_000

    /// Returns the rows of all pages. Stops if the server repeats a page token.
    private func all<Row>(
        _ list: PagedList<Row>, _ access: Access, _ token: Secret?
    ) async throws(Failure) -> [Row] {
        var (rows, call, asked): ([Row], RESTCall, Set<String>) = ([], list.call, [])
        while true {
            let body = try await ask(call, access, token: token)
            let page: (rows: [Row], next: String?)
            do throws(DecodingFailure) {
                page = try list.read(SecretScrubber().scrubbed(body[...])?[...] ?? body[...])
            } catch {
                throw .unreachable(why: error.description)
            }
            rows += page.rows
            guard let next = page.next, asked.insert(next).inserted else { return rows }
            guard asked.count < Self.mostPages else {
                throw .unreachable(why: "the list does not end after \(rows.count) rows in \(asked.count) pages")
            }
            call = list.call
            call.add(name: "page_token", next)
        }
    }
}

import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirDemoServer

/// A GroupMe backend with an idle script. Requests come from Mia by default.
struct GroupMeStage {
    var backend: GroupMeBackend
    var now = Moment(microseconds: 1_000_000)
    var publications: [GroupMePublication] = []

    init() {
        let users = GroupMeScript.Cast.users(born: 0).map(\.id)
        backend = GroupMeBackend(
            seed: 1, epoch: 1_785_346_000_000, tokens: GroupMeTokens(users: users, key: 1),
            start: .afterFirstClient(quiet: .seconds(1), longest: .seconds(1)), isEndless: false, at: .zero)
    }

    /// Sends a request. `path` may contain a query.
    mutating func ask(
        _ method: String, _ path: String, _ body: String = "", as user: GroupMe.UserID = GroupMeScript.Cast.mia,
        token: String? = nil
    ) -> (status: Int, body: ArraySlice<UInt8>) {
        let request = RESTRequest(
            method: method, target: path, body: Array(body.utf8),
            bearer: token ?? backend.tokens.token(of: user)?.reveal())
        let (response, publications) = backend.handle(request, at: now)
        self.publications = publications
        return (response.status, response.body[...])
    }

    /// The pushes that the last request caused, decoded, with their channels.
    var told: [(channel: String, push: GroupMe.Push)] {
        publications.compactMap { publication in
            let name = publication.channel.description
            guard case .push(let push) = try? GroupMe.Event(channel: name, data: publication.data.raw) else {
                return nil
            }
            return (name, push)
        }
    }

    func text(_ body: ArraySlice<UInt8>) -> String { String(decoding: body, as: UTF8.self) }

    mutating func page(_ query: String) throws -> [GroupMe.Message] {
        let (_, body) = ask("GET", "/v3/groups/10000001/messages?\(query)")
        return try GroupMe.messages(from: body, of: .group("10000001")).messages
    }
}

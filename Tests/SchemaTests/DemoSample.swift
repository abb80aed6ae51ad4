import Simulation
import TestSupport
import WeirEvents
import WeirJSON
import WeirWire

/// The demo server's output for a client in every room, while all simulated users act.
struct DemoSample {
    private var server = SimulatedServer(
        seed: 3, epoch: 1_631_610_000_000, tokenLifetime: .seconds(3_600), revision: .v3)
    private var now = Moment.zero
    private var rooms: Set<String> = []
    /// The events sent to the client.
    private(set) var events: [JSONValue] = []

    init() throws {
        var outputs: [SimulatedOutput] = []
        server.open(1, at: now, into: &outputs)
        try say(#"42["authenticate",{"token":"\#(server.token(at: now).reveal())"}]"#)
        for round in 0..<6 {
            for (number, act) in SimulatedAct.allCases.enumerated() {
                now = now + .milliseconds(700)
                let (user, a, b) = (round % 5, round * 7 + number, round * 3 + number)
                try publish(server.perform(act, by: user, a, b, at: now) ?? [])
                var outputs: [SimulatedOutput] = []
                try publish(server.advance(to: now, into: &outputs))
                try take(outputs)
            }
        }
    }

    private mutating func say(_ frame: String) throws {
        var outputs: [SimulatedOutput] = []
        let publications = server.receive(.text(frame), from: 1, at: now, into: &outputs)
        try take(outputs)
        try publish(publications)
    }

    private mutating func publish(_ publications: [SimulatedPublication]) throws {
        for publication in publications {
            let room = publication.path.dropLast(publication.kind.count + 1)
            if rooms.insert(String(room)).inserted {
                try say(#"42["realtime:join",{"name":"\#(room)","token":"twake"}]"#)
            }
            var outputs: [SimulatedOutput] = []
            server.publish(publication, into: &outputs)
            try take(outputs)
        }
    }

    private mutating func take(_ outputs: [SimulatedOutput]) throws {
        for case .send(_, let message) in outputs {
            let text = String(decoding: message.bytes, as: UTF8.self)
            if text.hasPrefix("42") { events.append(try JSONValue(parsing: Array(text.utf8.dropFirst(2))[...])) }
        }
    }

    // MARK: - Answers

    /// Returns the server's answer to every request that the client makes in either era, with its kind.
    mutating func answers() throws -> [JSONValue] {
        let (company, workspace) = (server.company, server.workspaces.first?.description ?? "")
        let place = "company_id=\(company)&workspace_id=\(workspace)"
        let core = "/internal/services"
        let lists = [
            ("account", "/internal/mobile/user"), ("companies", "/internal/mobile/companies"),
            ("workspaces", "/internal/mobile/workspaces?company_id=\(company)"),
            ("accounts", "/internal/mobile/workspaces/members?\(place)"),
            ("rooms", "/internal/mobile/workspace/notifications?\(place)"),
            ("channels", "/internal/mobile/channels?\(place)"),
            ("channels", "/internal/mobile/direct?company_id=\(company)"),
            ("badge_counts", "/internal/mobile/badges?company_id=\(company)"),
            ("account", "\(core)/users/v1/users/me"), ("accounts", "\(core)/users/v1/users?search=a"),
            ("companies", "\(core)/users/v1/users/me/companies"),
            ("company", "\(core)/users/v1/companies/\(company)"),
            ("workspaces", "\(core)/workspaces/v1/companies/\(company)/workspaces"),
            ("workspace", "\(core)/workspaces/v1/companies/\(company)/workspaces/\(workspace)"),
            ("workspace_users", "\(core)/workspaces/v1/companies/\(company)/workspaces/\(workspace)/users"),
            ("badges", "\(core)/notifications/v1/badges?company_id=\(company)"),
        ]
        var answers = lists.compactMap { ask($0.0, $0.1) }
        for workspace in [workspace, "direct"] {
            let path = "\(core)/channels/v1/companies/\(company)/workspaces/\(workspace)/channels"
            guard let list = ask("channels", "\(path)?mine=1&include_users=1&websockets=1") else { continue }
            answers.append(list)
            guard case .array(let channels) = list["body"]?["resources"] else { continue }
            for case .string(let channel) in channels.compactMap({ $0["id"] }) {
                let messages = "\(core)/messages/v1/companies/\(company)/workspaces/\(workspace)/channels/\(channel)"
                let ids = "company_id=\(company)&workspace_id=\(workspace)"
                answers += [
                    ask("channel", "\(path)/\(channel)"), ask("members", "\(path)/\(channel)/members"),
                    ask("messages", "\(messages)/feed?limit=20&replies_per_thread=3&include_users=1"),
                    ask("messages", "/internal/mobile/messages?\(ids)&channel_id=\(channel)"),
                    ask("members", "/internal/mobile/channels/members?\(ids)&id=\(channel)"),
                ].compactMap { $0 }
            }
        }
        return answers
    }

    /// Returns an answer in the form that the schema of answers describes, or `nil` for an unsuccessful one.
    private mutating func ask(_ what: String, _ target: String) -> JSONValue? {
        let token = server.token(at: now).reveal()
        let answer = server.answer("GET", target, body: [], bearer: token, at: now)
        guard answer.status == 200, let body = try? JSONValue(parsing: answer.body[...]) else { return nil }
        return .object([.init("what", .string(what)), .init("body", body)])
    }
}

import WeirEvents
import WeirJSON
import WeirWire

@testable import WeirDemoServer

/// A backend with a small world. Requests come from `ana` by default. The world has the channel `general` with three
/// messages, the private channel `leads` without her, and a direct.
struct RESTStage {
    static let scenario = """
        {"do":"team","company":"Acme","workspace":"WS1"}
        {"do":"user","as":"ana","username":"ana","first":"Ana","last":"Lima","me":true}
        {"do":"user","as":"ben","username":"ben","first":"Ben","last":"Okafor"}
        {"do":"user","as":"cleo","username":"cleo","first":"Cleo","last":"Žák"}
        {"do":"create_channel","as":"general","by":"ben","name":"General","icon":"📄","members":["ana","cleo"]}
        {"do":"create_channel","as":"leads","by":"ben","name":"Leads","private":true,"members":["cleo"]}
        {"do":"create_channel","as":"open","by":"ben","name":"Another"}
        {"do":"open_direct","as":"d","by":"ben","with":["ana"]}
        {"do":"post","as":"m1","by":"ben","in":"general","text":"one"}
        {"do":"post","as":"m2","by":"ben","in":"general","text":"two"}
        {"do":"reply","as":"r1","by":"cleo","to":"m1","text":"first"}
        {"do":"post","as":"dm","by":"ben","in":"d","text":"psst"}
        """

    var backend: Backend
    var now = Moment(microseconds: 1_000_000)
    var frames: [Frame] = []
    let token: String

    init() throws {
        let scenario = try Scenario(parsing: ArraySlice(Self.scenario.utf8), file: "rest.jsonl")
        backend = Backend(
            scenario, seed: 1, epoch: 1_000_000_000, tokens: Tokens(key: (1, 2)), tokenLifetime: .seconds(60),
            start: .atOnce, at: now)
        token = backend.tokens.issue(for: backend.me, at: now, lifetime: .seconds(60)).reveal()
    }

    /// Sends a request. `path` may contain a query. Ten milliseconds pass before each request.
    mutating func ask(_ method: String, _ path: String, _ body: String = "", token: String?? = nil) -> (
        status: Int, json: JSONValue, body: ArraySlice<UInt8>
    ) {
        now = now + .milliseconds(10)
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let request = RESTRequest(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : "", body: Array(body.utf8),
            bearer: token ?? self.token,
            host: "127.0.0.1:1")
        let (response, frames) = backend.handle(request, at: now)
        self.frames = frames
        return (response.status, (try? JSONValue(parsing: response.body[...])) ?? .null, response.body[...])
    }

    var world: World { backend.world }
    var company: EntityID { world.company.id }
    var workspace: EntityID { world.workspaces[0].id }
    var services: String { "/internal/services" }
    func user(_ name: String) -> EntityID { world.users.first { $0.username == name }?.id ?? "nobody" }
    func channel(_ name: String) -> EntityID { world.channels.first { $0.name == name }?.id ?? "none" }
    var direct: EntityID { world.channels.first(where: \.isDirect)?.id ?? "none" }
    func message(_ text: String) -> Message? { world.messages.values.first { $0.text == text } }
    func id(_ text: String) -> EntityID { message(text)?.id ?? "none" }
    var channels: String { "\(services)/channels/v1/companies/\(company)/workspaces/\(workspace)/channels" }
    var directs: String { "\(services)/channels/v1/companies/\(company)/workspaces/direct/channels" }
    func feed(_ channel: EntityID) -> String {
        "\(services)/messages/v1/companies/\(company)/workspaces/\(workspace)/channels/\(channel)/feed"
    }
    var threads: String { "\(services)/messages/v1/companies/\(company)/threads" }
    /// Returns the company, workspace and channel in the form of era A's queries.
    func place(_ channel: EntityID? = nil) -> String {
        "company_id=\(company)&workspace_id=\(workspace)" + (channel.map { "&channel_id=\($0)" } ?? "")
    }
    /// Returns the same in the form of a body, with more fields.
    func body(_ channel: EntityID? = nil, _ more: String = "") -> String {
        #"{"company_id":"\#(company)","workspace_id":"\#(workspace)""#
            + (channel.map { #","channel_id":"\#($0)","id":"\#($0)""# } ?? "") + (more.isEmpty ? "" : ",\(more)") + "}"
    }
}

extension JSONValue {
    /// The keys of an object, in order.
    var keys: [String] {
        if case .object(let members) = self { members.map(\.key) } else { [] }
    }
    /// Returns the texts of a field in an array of objects.
    func texts(_ key: String) -> [String] { (arrayValue ?? []).map { $0[key]?.stringValue ?? "?" } }
}

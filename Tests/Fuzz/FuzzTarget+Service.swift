import Simulation
import WeirDemoServer
import WeirEvents
import WeirJSON
import WeirWire

/// Checks that the servers of `weir serve` survive any client and answer with JSON. The first byte selects the server.
/// Each piece ends with FF, and its first byte selects the event: `<` is a message and `+` a number of seconds; any
/// other is the first letter of a method, with the target and, after a line feed, the body. `$0` to `$9` are replaced
/// by existing ids.
func fuzzService(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let pieces = input.dropFirst().split(separator: 0xFF)
    switch choice % 4 {
    case 0: serve(pieces, SimulatedServer(seed: 1, epoch: epoch, tokenLifetime: .seconds(60)))
    case 1: serve(pieces, SimulatedServer(seed: 1, epoch: epoch, tokenLifetime: .seconds(60), revision: .v3))
    case 2: serve(pieces, SimulatedServer(seed: 1, epoch: epoch, tokenLifetime: .seconds(60), edition: .last))
    default: serve(pieces, GroupMeSimulatedServer(quietSeed: 1, epoch: epoch, timeout: .seconds(60)))
    }
}

private let epoch: Int64 = 1_700_000_000_000

private func serve(_ pieces: [ArraySlice<UInt8>], _ service: some SimulatedService) {
    var service = service
    let ids = ids(of: service)
    let token = service.token(at: .zero)
    var now = Moment.zero
    var outputs: [SimulatedOutput] = []
    func hear(_ publications: [SimulatedPublication]) {
        for publication in publications { service.publish(publication, into: &outputs) }
    }
    service.open(1, at: now, into: &outputs)
    for piece in pieces {
        let text = named(String(decoding: piece.dropFirst(), as: UTF8.self), ids, token)
        switch piece.first.map({ Unicode.Scalar($0) }) {
        case "<": hear(service.receive(.text(text), from: 1, at: now, into: &outputs))
        case "+":
            now = now + .seconds(Int(piece.last ?? 0) % 128)
            hear(service.advance(to: now, into: &outputs))
        case let letter?:
            let methods: [Unicode.Scalar: String] = ["G": "GET", "P": "POST", "U": "PUT", "D": "DELETE"]
            let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let answer = service.answer(
                methods[letter] ?? "GET", String(lines.first ?? "/"), body: Array((lines.dropFirst().first ?? "").utf8),
                bearer: token.reveal(), at: now)
            require(
                answer.body.isEmpty || (try? JSONValue(parsing: answer.body[...])) != nil, "an answer is no JSON")
            hear(answer.publications)
        case nil: break
        }
        outputs.removeAll(keepingCapacity: true)
    }
}

private func ids(of service: some SimulatedService) -> [String] {
    let conversations = service.conversations.map(\.description).sorted()
    let sayings = service.sayings.map(\.id.description).sorted()
    var ids = Array((conversations.prefix(3) + sayings.prefix(3)))
    if let twake = service as? SimulatedServer {
        ids = [twake.company.description] + twake.workspaces.prefix(1).map(\.description) + [twake.me.description] + ids
    } else if let groupMe = service as? GroupMeSimulatedServer {
        ids = groupMe.people.prefix(3).map(\.description) + ids
    }
    return ids
}

private func named(_ text: String, _ ids: [String], _ token: Secret) -> String {
    guard text.contains("$") else { return text }
    return ids.enumerated().reduce(text.replacing("$t", with: token.reveal())) {
        $0.replacing("$\($1.offset)", with: $1.element)
    }
}

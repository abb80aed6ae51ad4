import Testing
import WeirWire

/// Whatever clients do, in whatever order, the machine keeps its invariants.
struct EngineIOServerTransportRandomTests {
    /// The owner's view of a session: waiting requests, and whether the end was reported.
    private struct Owner {
        var machine: EngineIOServerTransport
        var now: Int64 = 0
        var waiting: Set<Int> = []
        var answered: Set<Int> = []
        var closings = 0
        var problems: [String] = []

        mutating func run(_ step: (inout EngineIOServerTransport, inout [EngineIOServerTransport.Effect]) -> Void) {
            var effects: [EngineIOServerTransport.Effect] = []
            step(&machine, &effects)
            for effect in effects {
                switch effect {
                case .respond(let request, _):
                    if waiting.remove(request.number) == nil { problems.append("\(request.number) answered unasked") }
                    if !answered.insert(request.number).inserted { problems.append("\(request.number) twice") }
                case .closed: closings += 1
                case .received: if closings > 0 { problems.append("a packet after the end") }
                case .send, .closeSocket: break
                }
            }
        }
    }

    @Test(arguments: Array(0..<400) as [UInt64])
    func `every request is answered once, and the end is reported once`(seed: UInt64) {
        var random = RandomSource(seed: seed)
        let revision: EngineIO.Revision = seed.isMultiple(of: 2) ? .v3 : .v4
        let socket: EngineIOServerTransport.SocketID? = seed.isMultiple(of: 5) ? .init(0) : nil
        var owner = Owner(
            machine: EngineIOServerTransport(
                EngineIOServerTransport.Configuration(revision: revision, maxPayload: 64), on: socket))
        var post: Int?
        for request in 1...60 {
            step(request, &post, &owner, &random)
        }
        if post != nil { owner.run { $0.endPost(into: &$1) } }
        let end = ms(owner.now)
        owner.run { $0.close(.lost("the end"), at: end, into: &$1) }
        #expect(owner.problems == [])
        #expect(owner.closings == 1)
        #expect(owner.waiting == [])
        #expect(owner.machine.pendingBytes == 0)
        #expect(owner.machine.deadline == nil)
    }

    private func step(_ request: Int, _ post: inout Int?, _ owner: inout Owner, _ random: inout RandomSource) {
        let bodies = [
            "4a", "1", "4a\u{1E}4b", "2:4a", "3:4é", "9:", "b*", "", "\u{1E}", String(repeating: "4", count: 65),
        ]
        let packets = ["2probe", "5", "4a", "b*", "bAQID", ""]
        let socket = EngineIOServerTransport.SocketID(Int.random(in: 0...3, using: &random))
        let now = owner.now
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            owner.waiting.insert(request)
            owner.run { $0.poll(.init(request), into: &$1) }
        case 2:
            owner.waiting.insert(request)
            owner.run { $0.beginPost(.init(request), into: &$1) }
            if owner.waiting.contains(request) { post = request }
        case 3, 4:
            let whole = post ?? request
            if post == nil {
                owner.waiting.insert(whole)
                owner.run { $0.beginPost(.init(whole), into: &$1) }
            }
            let body = Array(bodies[Int.random(in: 0..<bodies.count, using: &random)].utf8)
            owner.run { $0.receive(body[...], contentType: nil, of: .init(whole), into: &$1) }
            owner.run { $0.endPost(into: &$1) }
            post = nil
        case 5: owner.run { $0.send(.text("4x"), into: &$1) }
        case 6: owner.run { $0.send(.binary([4, 1, 2]), into: &$1) }
        case 7: owner.run { $0.open(socket, at: ms(now), into: &$1) }
        case 8:
            let packet = packets[Int.random(in: 0..<packets.count, using: &random)]
            owner.run { $0.receive(.text(packet), on: socket, at: ms(now), into: &$1) }
        case 9:
            owner.now += Int64.random(in: 0..<15_000, using: &random)
            owner.run { $0.advance(to: ms(now), into: &$1) }
        case 10:
            // The client of a waiting request goes away; its answer would reach no one.
            guard let given = owner.waiting.sorted().first, Bool.random(using: &random) else { return }
            owner.waiting.remove(given)
            if post == given { post = nil }
            owner.run { $0.aborted(.init(given), into: &$1) }
        case _ where Int.random(in: 0..<10, using: &random) == 0:
            owner.run { $0.close(.orderly("enough"), at: ms(now), into: &$1) }
        case _: owner.run { $0.closed(socket, into: &$1) }
        }
    }
}

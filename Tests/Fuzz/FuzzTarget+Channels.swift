import WeirEvents
import WeirJSON
import WeirWire

/// Checks that Bayeux's state machines survive any conversation and send only valid Bayeux. The first byte selects
/// client or server; each incoming frame ends with FF.
func fuzzChannels(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let frames = input.dropFirst().split(separator: 0xFF)
    if choice & 1 == 0 { converseAsClient(frames, acknowledges: choice & 2 == 0) } else { converseAsServer(frames) }
}

private let channel = Bayeux.Channel("/group/1")

/// Runs a client. Checks that each publication ends exactly once.
private func converseAsClient(_ frames: [ArraySlice<UInt8>], acknowledges: Bool) {
    guard let channel else { fatalError("a channel's name is none") }
    let configuration = BayeuxClient.Configuration(connectionType: .websocket, acknowledges: acknowledges)
    var client = BayeuxClient(configuration, seed: 1)
    var effects: [BayeuxClient.Effect] = []
    var published: [Int] = []
    func close() -> BayeuxClient.Memory {
        let memory = client.transportClosed(into: &effects)
        var ended: [Int] = []
        for effect in effects {
            switch effect {
            case .send(let outgoing): checkFrame(outgoing.bytes)
            case .published(let number), .unpublished(let number, _): ended.append(number)
            default: break
            }
        }
        require(ended.sorted() == published, "of what was published, \(published), these ended: \(ended)")
        (effects, published) = ([], [])
        return memory
    }
    client.start(at: .zero, into: &effects)
    client.subscribe(channel, at: .zero, into: &effects)
    for (step, frame) in frames.enumerated() {
        let now = Moment.zero + .seconds(step)
        client.advance(to: now, into: &effects)
        client.receive(frame, at: now, into: &effects)
        if step % 3 == 1 { published.append(client.publish(channel, data, at: now, into: &effects)) }
        if step % 7 == 6 {
            client = BayeuxClient(configuration, memory: close(), seed: 1)
            client.start(at: now, into: &effects)
        }
    }
    _ = close()
}

/// Runs a server. Checks that each exchange is answered exactly once.
private func converseAsServer(_ frames: [ArraySlice<UInt8>]) {
    guard let channel else { fatalError("a channel's name is none") }
    var server = BayeuxServer(BayeuxServer.Configuration(mostSessions: 3), seed: 1)
    var effects: [BayeuxServer.Effect] = []
    for (step, frame) in frames.enumerated() {
        let now = Moment.zero + .seconds(step)
        server.advance(to: now, into: &effects)
        let isSocket = frame.first == UInt8(ascii: "s")
        server.receive(
            frame.dropFirst(), on: isSocket ? 0 : step + 1, isSocket: isSocket, at: now,
            policy: { if case .publish = $0 { "no" } else { nil } }, into: &effects)
        if step % 4 == 3 { server.publish(channel, data, into: &effects) }
    }
    server.advance(to: .zero + .seconds(100_000), into: &effects)
    var answered: Set<Int> = []
    for effect in effects {
        switch effect {
        case .send(let link, let bytes):
            checkFrame(bytes)
            require(link == 0 || answered.insert(link).inserted, "an exchange is answered twice")
        case .refuse(let link, _): require(answered.insert(link).inserted, "an exchange is answered twice")
        case .close, .occasion: break
        }
    }
    for step in frames.indices where frames[step].first != UInt8(ascii: "s") {
        require(answered.contains(step + 1), "an exchange is not answered")
    }
}

private let data = RawJSON(unchecked: ArraySlice(#"{"text":"hi"}"#.utf8))

private func checkFrame(_ bytes: [UInt8]) {
    guard let frame = try? Bayeux.Frame(parsing: bytes[...]) else { fatalError("a frame that was sent is none") }
    require(frame.malformed.isEmpty, "a frame that was sent holds what is no message")
}

/// Checks that any JSON published by GroupMe yields an event, or a failure with a valid position. The first byte
/// selects the channel.
func fuzzGroupMe(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let channels = ["/user/20000001", "/group/10000001", "/direct_message/20000001_20000002", "/somewhere"]
    guard let data = try? RawJSON(checking: input.dropFirst()) else { return }
    do throws(DecodingFailure) {
        let event = Event.groupMe(try GroupMe.Event(channel: channels[Int(choice) % channels.count], data: data))
        _ = (event.kind, event.room, event.actor, event.summary, event.isKnown, event.serverTime)
    } catch {
        require((0...data.bytes.count).contains(error.offset), "a failure outside the text")
    }
}

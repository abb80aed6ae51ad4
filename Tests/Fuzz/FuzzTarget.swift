import WeirEvents
import WeirJSON
import WeirRecording
import WeirWire

/// The targets of fuzzing. Each accepts any bytes. In addition to not trapping, each checks properties of accepted
/// input.
enum FuzzTarget: String, CaseIterable {
    case json, packet, payload, websocket, deflate, client, server, event, recording, filter, rooms, session, printing
    case screen, channels, groupme, http, transport, conversion, repair, redaction
    case tools, service, difflog, compressed, captured, yaml, profile

    /// The target of this process. Set once, before libFuzzer runs on the same thread.
    nonisolated(unsafe) static var chosen = json

    /// Runs the target on one input.
    func run(_ input: ArraySlice<UInt8>) {
        switch self {
        case .json: fuzzJSON(input)
        case .packet: fuzzPacket(input)
        case .payload: fuzzPayload(input)
        case .websocket: fuzzWebSocket(input)
        case .deflate: fuzzDeflate(input)
        case .client: fuzzClient(input)
        case .server: fuzzServer(input)
        case .event: fuzzEvent(input)
        case .recording: fuzzRecording(input)
        case .filter: fuzzFilter(input)
        case .rooms: fuzzRooms(input)
        case .session: fuzzSession(input)
        case .printing: fuzzPrinting(input)
        case .screen: fuzzScreen(input)
        case .channels: fuzzChannels(input)
        case .groupme: fuzzGroupMe(input)
        case .http: fuzzHTTP(input)
        case .transport: fuzzTransport(input)
        case .conversion: fuzzConversion(input)
        case .repair: fuzzRepair(input)
        case .redaction: fuzzRedaction(input)
        case .tools: fuzzTools(input)
        case .service: fuzzService(input)
        case .difflog: fuzzDiffLog(input)
        case .compressed: fuzzCompressed(input)
        case .captured: fuzzCaptured(input)
        case .yaml: fuzzYAML(input)
        case .profile: fuzzProfile(input)
        }
    }
}

/// Ends the process with a message unless the condition holds. (An optimized build omits the message of a
/// precondition.)
func require(_ isSo: Bool, _ words: @autoclosure () -> String) {
    if !isSo { fatalError(words()) }
}

/// Checks that a parsed JSON text, written and parsed again, has the same value.
private func fuzzJSON(_ input: ArraySlice<UInt8>) {
    guard let value = try? JSONValue(parsing: input) else { return }
    var writer = JSONWriter()
    writer.value(value)
    guard let again = try? JSONValue(parsing: writer.bytes[...]) else {
        return require(false, "written JSON does not read")
    }
    // A value kept as text may contain a control character, which is written as an escape.
    var second = JSONWriter()
    second.value(again)
    require(again == value || second.bytes == writer.bytes, "written JSON reads as another value")
}

/// Checks that a parsed Socket.IO packet can be written and parsed again, and is then written the same way.
private func fuzzPacket(_ input: ArraySlice<UInt8>) {
    guard let (revision, rest) = takeRevision(input) else { return }
    guard let packet = try? SocketIO.Packet(parsing: rest, revision: revision) else { return }
    // A rejection whose payload is a bare number is parsed as an ack id, since the grammar cannot distinguish them.
    if case .connectError(_, let payload?) = packet, payload.bytes.first.map({ 0x30...0x39 ~= $0 }) == true { return }
    let written = packet.message.bytes
    guard let again = try? SocketIO.Packet(parsing: written.dropFirst(), revision: revision) else {
        fatalError("a written packet cannot be read")
    }
    require(again.message.bytes == written, "a packet that was written and read is written otherwise")
}

/// Checks that a polling body yields the same packets whole and in pieces.
private func fuzzPayload(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first, let step = input.dropFirst().first else { return }
    let revision: EngineIO.Revision? = [nil, .v3, .v4][Int(choice) % 3]
    let body = input.dropFirst(2)
    let whole = packets(of: body, revision, step: max(1, body.count))
    let pieces = packets(of: body, revision, step: Int(step) % 16 + 1)
    require(whole == pieces, "a polling body reads otherwise in pieces")
}

private func packets(
    of body: ArraySlice<UInt8>, _ revision: EngineIO.Revision?, step: Int
) -> Result<[WebSocketMessage], EngineIO.MalformedPayload.Reason> {
    var reader = EngineIO.PayloadReader(revision, maximumPacket: 1 << 16)
    var packets: [WebSocketMessage] = []
    do throws(EngineIO.MalformedPayload) {
        var rest = body
        while !rest.isEmpty {
            try reader.read(rest.prefix(step), into: &packets)
            rest = rest.dropFirst(step)
        }
        try reader.finish(into: &packets)
        return .success(packets)
    } catch {
        // The position at which an error is noticed depends on the pieces.
        return .failure(error.reason)
    }
}

/// Checks that the client's state machine survives any conversation.
private func fuzzClient(_ input: ArraySlice<UInt8>) {
    guard let (revision, rest) = takeRevision(input) else { return }
    var client = SocketIOClientMachine(SocketIOClientMachine.Configuration(revision: revision), openedAt: .zero)
    var effects: [SocketIOClientMachine.Effect] = []
    for (step, message) in conversation(rest).enumerated() {
        client.receive(message, at: .zero + .seconds(step), into: &effects)
        client.advance(to: .zero + .seconds(step), into: &effects)
    }
    client.emit("event", arguments: nil, wantsAck: true, into: &effects)
    client.disconnect(into: &effects)
}

/// Checks that the server's state machine survives any conversation.
private func fuzzServer(_ input: ArraySlice<UInt8>) {
    guard let (revision, rest) = takeRevision(input) else { return }
    let configuration = SocketIOServer.Configuration(revision: revision, sid: "fuzz", namespaces: ["/", "/custom"])
    var server = SocketIOServer(configuration, openedAt: .zero)
    var effects: [SocketIOServer.Effect] = []
    server.start(into: &effects)
    for (step, message) in conversation(rest).enumerated() {
        server.receive(message, at: .zero + .seconds(step), into: &effects)
        server.advance(to: .zero + .seconds(step), into: &effects)
    }
}

/// Checks that any JSON yields an event, or a failure with a valid position.
private func fuzzEvent(_ input: ArraySlice<UInt8>) {
    guard let choice = input.first else { return }
    let names = [
        "realtime:resource", "realtime:event", "realtime:join:success", "realtime:join:error", "unauthorized", "other",
    ]
    let text = input.dropFirst()
    let name = names[Int(choice) % names.count]
    let array = (Array("[\"\(name)\",".utf8) + text + [UInt8(ascii: "]")])[...]
    let byArray = try? Twake.Event(array: array)
    guard (try? JSONValue(parsing: array)) != nil else {
        return require(byArray == nil, "an event that is no JSON")
    }
    // The second decoder receives only text that the packet reader has validated.
    guard let argument = try? RawJSON(checking: text) else { return }
    do throws(DecodingFailure) {
        let decoded = try Twake.Event(name: name, arguments: [argument])
        require(decoded == byArray, "the array is decoded otherwise than its elements")
        let event = Event.twake(decoded)
        _ = (event.kind, event.room, event.actor, event.summary, event.isKnown, event.serverTime)
    } catch {
        require(byArray == nil, "the array is decoded though its elements are refused")
        require((0...text.count).contains(error.offset), "a failure outside the text")
    }
}

private func takeRevision(_ input: ArraySlice<UInt8>) -> (EngineIO.Revision, ArraySlice<UInt8>)? {
    input.first.map { ($0 % 2 == 0 ? .v4 : .v3, input.dropFirst()) }
}

/// Splits the input into messages, which end with FF, a byte that does not occur in UTF-8. A message that begins with
/// 00 is binary.
private func conversation(_ input: ArraySlice<UInt8>) -> [WebSocketMessage] {
    input.split(separator: 0xFF).map { $0.first == 0 ? .binary($0.dropFirst()) : .text($0) }
}

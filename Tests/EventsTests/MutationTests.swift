import Testing
import WeirEvents
import WeirJSON
import WeirWire

@Suite struct `Nothing a peer sends traps` {
    /// Fragments that many samples share, so that a mutation yields well-formed text of the wrong shape.
    static let pieces = [
        "null", "{}", "[]", "\"\"", "0", "-1", "1e400", "1e18", "9223372036854775808", "true", "[[[", "\"\\ud800\"",
        "\"id\":", ",", "}",
        "]", "\u{0}", "\u{202E}", "\"last_message\":[1]", "\"resource\":7,",
    ].map { Array($0.utf8) }

    static func mutated(_ bytes: ArraySlice<UInt8>, _ generator: inout RandomSource) -> [UInt8] {
        var bytes = Array(bytes)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.replaceSubrange(place..<end, with: Self.pieces.randomElement(using: &generator) ?? [])
            case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            default: bytes.removeSubrange(end...)
            }
            if bytes.isEmpty { break }
        }
        return bytes
    }

    @Test func `ten thousand mutated events decode or are refused inside their text`() {
        var generator = RandomSource(seed: 5)
        let samples = (Sample.events + Sample.malformed).filter { !$0.arguments.isEmpty }
        var decoded = 0
        var refused = 0
        for round in 0..<10_000 {
            let sample = samples[round % samples.count]
            let bytes = Self.mutated(sample.arguments[0].bytes, &generator)
            do {
                let event = Event.twake(
                    try Twake.Event(name: sample.name, arguments: [RawJSON(unchecked: bytes[...])]))
                // The derived properties must work for every event.
                _ = (event.kind, event.room, event.actor, event.summary, event.isKnown, event.serverTime)
                decoded += 1
            } catch {
                #expect(
                    (0...bytes.count).contains(error.offset) && !error.message.isEmpty && error.subject == sample.name)
                refused += 1
            }
        }
        #expect(decoded > 500 && refused > 1000, "\(decoded) decoded, \(refused) refused")
    }

    @Test
    func `mutated event arrays decode as their name and arguments do, or are refused as invalid JSON`()
        throws
    {
        var generator = RandomSource(seed: 7)
        var decoded = 0
        var refused = 0
        for round in 0..<10_000 {
            let sample = Sample.events[round % Sample.events.count]
            let arguments = sample.arguments.map(\.description)
            let text = "[" + (["\"\(sample.name)\""] + arguments).joined(separator: round % 2 == 0 ? "," : " , ") + "]"
            let bytes =
                round < Sample.events.count * 2 ? Array(text.utf8) : Self.mutated(ArraySlice(text.utf8), &generator)
            let event = try? Twake.Event(array: bytes[...])
            let whole = try? JSONValue(parsing: bytes[...])
            guard case .array(let elements) = whole, let name = name(elements.first) else {
                #expect(event == nil)
                refused += 1
                continue
            }
            #expect(event == (try? Twake.Event(name: name, arguments: try elementTexts(bytes))))
            decoded += event == nil ? 0 : 1
        }
        #expect(decoded > 1000 && refused > 1000, "\(decoded) decoded, \(refused) refused")
    }

    /// An event's name: a text, or a number converted to text.
    private func name(_ first: JSONValue?) -> String? {
        switch first {
        case .string(let name): name
        case .integer(let number): String(number)
        case .number, .text, .null, .bool, .array, .object, nil: nil
        }
    }

    /// The texts of all elements of an array except the first.
    private func elementTexts(_ array: [UInt8]) throws -> [RawJSON] {
        var reader = JSONReader(array.span)
        var texts: [RawJSON] = []
        try reader.beginArray()
        while try reader.nextElement() { texts.append(try reader.raw()) }
        return Array(texts.dropFirst())
    }

    @Test func `ten thousand mutated answers decode or are refused inside their text`() {
        var generator = RandomSource(seed: 6)
        var decoded = 0
        var refused = 0
        for round in 0..<10_000 {
            let sample = Sample.answers[round % Sample.answers.count]
            let bytes = Self.mutated(sample.body, &generator)
            do throws(DecodingFailure) {
                try decode(sample.name, bytes[...])
                decoded += 1
            } catch {
                #expect((0...bytes.count).contains(error.offset) && !error.message.isEmpty)
                refused += 1
            }
        }
        #expect(decoded > 500 && refused > 1000, "\(decoded) decoded, \(refused) refused")
    }

    private func decode(_ what: String, _ body: ArraySlice<UInt8>) throws(DecodingFailure) {
        switch what {
        case "account": _ = try Twake.account(from: body)
        case "channels": _ = try Twake.channels(from: body, user: EntityID("U1"))
        case "channel": _ = try Twake.channel(from: body)
        case "messages": _ = try Twake.messages(from: body)
        case "message": _ = try Twake.message(from: body)
        case "members": _ = try Twake.members(from: body, channel: EntityID("CH"))
        case "badges": _ = try Twake.badges(from: body)
        case "badge_counts": _ = try Twake.badgeCounts(from: body)
        case "rooms": _ = try Twake.rooms(from: body)
        case "authentication": _ = try Twake.authentication(from: body)
        case "accounts": _ = try Twake.accounts(from: body)
        case "workspace_users": _ = try Twake.workspaceUsers(from: body)
        case "companies":
            _ = try Twake.companies(from: body)
            _ = try Twake.places(from: body)
        case "company": _ = try Twake.company(from: body)
        case "workspaces": _ = try Twake.workspaces(from: body)
        case "workspace": _ = try Twake.workspace(from: body)
        default: try decodeRest(what, body)
        }
    }

    private func decodeRest(_ what: String, _ body: ArraySlice<UInt8>) throws(DecodingFailure) {
        switch what {
        case "reactions": _ = try Twake.reactions(from: body)
        case "file": _ = try Twake.file(from: body)
        case "online_statuses": _ = try Twake.onlineStatuses(from: body)
        case "push": _ = try Twake.pushNotification(from: body)
        default: throw DecodingFailure(subject: what, message: "", offset: -1)
        }
    }

    @Test func `mutated entities of the diff log are read or refused`() {
        var generator = RandomSource(seed: 7)
        var maker = EntityMaker(seed: 8)
        var refused = 0
        for _ in 0..<2000 {
            var writer = JSONWriter()
            maker.channel().encode(into: &writer)
            let channel = Self.mutated(writer.bytes[...], &generator)
            writer.reset()
            maker.message().encode(into: &writer)
            let message = Self.mutated(writer.bytes[...], &generator)
            var reader = JSONReader(channel.span)
            if (try? Twake.Channel(decoding: &reader)) == nil { refused += 1 }
            reader = JSONReader(message.span)
            if (try? Twake.Message(decoding: &reader)) == nil { refused += 1 }
        }
        #expect(refused > 1000, "\(refused) refused")
    }

    @Test func `deeply nested values are refused`() {
        let deep = String(repeating: "[", count: 100_000)
        for argument in [deep, #"{"data":"# + deep, #"{"err":"# + deep, #"{"resource":"# + deep] {
            let arguments = [RawJSON(unchecked: Array(argument.utf8)[...])]
            #expect(throws: DecodingFailure.self) { try Twake.Event(name: "realtime:event", arguments: arguments) }
            #expect(throws: DecodingFailure.self) { try Twake.Event(name: "realtime:resource", arguments: arguments) }
            #expect(throws: Never.self) { try Twake.Event(name: "unauthorized", arguments: arguments) }
        }
        let nested = String(repeating: #"{"err":"#, count: 100_000)
        #expect(throws: Never.self) {
            try Twake.Event(name: "unauthorized", arguments: [RawJSON(unchecked: Array(nested.utf8)[...])])
        }
    }
}

import Foundation
import Testing
import WeirJSON
import WeirWire

@testable import WeirPipeline

/// Tests for the first draft of a profile, generated from an AsyncAPI document.
@Suite struct AsyncAPIProfileTests {
    static let samples = ["socketio-chat-2.yaml", "socketio-chat-3.yaml", "gateway-2.yaml", "gateway-3.json"]

    private func sample(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../samples/asyncapi")
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    private func made(_ name: String) throws -> (made: AsyncAPIProfile, profile: Profile) {
        let made = try AsyncAPIProfile(of: try sample(name))
        return (made, try Profile(parsing: Array(made.text.utf8)))
    }

    @Test func `Socket.IO events keep their names, rooms, kinds and rows, and a join is acknowledged`() throws {
        let (_, profile) = try made("socketio-chat-3.yaml")
        #expect(profile.name == "harbour-chat")
        #expect(profile.realtime.transport == .socketio)
        #expect(profile.realtime.path == "/socket.io/")
        #expect(
            profile.events.map(\.event) == [
                "message:created", "message:updated", "message:deleted", "typing", "user:changed",
            ])
        #expect(profile.events.map(\.kind) == ["message", "edit", "deletion", "typing", nil])
        #expect(profile.events.map { $0.room?.text } == ["roomId", "roomId", "roomId", "roomId", nil])
        #expect(profile.events.map(\.entity) == ["message", "message", "message", nil, "account"])
        #expect(profile.events[2].then.onlyRemoves)
        let fields = try #require(profile.entities.first { $0.name == "message" }).fields
        #expect(fields.first { $0.name == "likes" }?.type == .integer)
        #expect(fields.first { $0.name == "pinned" }?.type == .boolean)
        #expect(fields.first { $0.name == "at" }?.type == .time)
        #expect(profile.rooms?.name.text == "room:{id}")
        #expect(profile.rooms?.join?.event == "join")
        #expect(profile.rooms?.join?.answer == .ack)
        #expect(profile.rooms?.join?.arguments.map(\.json.raw.description) == [#"{"roomId":"{id}","asGuest":false}"#])
        #expect(profile.rooms?.leave?.event == "leave")
        #expect(profile.services.map(\.url) == ["https://chat.example.com/api/v2"])
        #expect(profile.writes.map(\.path.text) == ["/rooms/{id}/messages"])
        #expect(profile.writes[0].body?.json.raw.description == #"{"text":"{text}"}"#)
    }

    @Test func `in version 2 the server describes the events that the client subscribes to`() throws {
        let (made, profile) = try made("socketio-chat-2.yaml")
        #expect(profile.realtime.namespace == "/chat")
        #expect(profile.events.map(\.event) == ["message", "user joined", "notice", "server metric"])
        #expect(profile.events[2].text?.text == ".")
        #expect(profile.events[0].time?.text == "ts")
        #expect(profile.rooms?.join?.answer == .ack)
        #expect(made.text.contains("publishes its own, as in AsyncAPI 2"))
        #expect(made.unmapped.contains { $0.contains("namespace '/admin'") })
        #expect(made.unmapped.contains { $0.contains("weir emit URL 'new message'") })
    }

    @Test func `WebSocket messages are distinguished by the field with one constant value in each`() throws {
        let (made, profile) = try made("gateway-3.json")
        #expect(profile.realtime.transport == .websocket)
        #expect(profile.realtime.message?.name?.text == "type")
        #expect(profile.realtime.message?.data?.text == "data")
        #expect(profile.events.map(\.event) == ["hello", "message.new", "message.deleted"])
        #expect(profile.events[1].room?.text == "feed_id")
        #expect(profile.events[1].time?.text == "timestamp")
        #expect(profile.events.map(\.kind) == [nil, "message", "deletion"])
        #expect(profile.events[2].entity == "message" && profile.events[2].then.onlyRemoves)
        #expect(
            profile.realtime.identify?.json.raw.description
                == #"{"type":"auth","data":{"token":"{token}","client":"web {{1}}"}}"#)
        #expect(profile.rooms?.join?.message?.json.raw.description == #"{"type":"subscribe","data":{"room":"{room}"}}"#)
        #expect(made.text.contains("--query access_token=env:TOKEN"))
        for words in ["the server 'bus': its protocol is 'kafka'", "--query compress=", "'/feeds/{feedId}'", "'ping'"] {
            #expect(made.unmapped.contains { $0.contains(words) }, "\(words): \(made.unmapped)")
        }
        let old = try self.made("gateway-2.yaml")
        #expect(old.profile.realtime.message?.name?.text == "event")
        #expect(old.profile.events.map(\.event) == ["systemStatus", "subscriptionStatus", "line", "binary"])
        #expect(old.profile.entities.first?.key.text == "uuid")
        #expect(old.made.unmapped.contains { $0.contains("apache.avro") })
    }

    @Test func `a document with endless self-references is read quickly`() throws {
        let list = (0..<20).map { _ in "{$ref: '#/components/schemas/a'}, {$ref: '#/components/schemas/b'}" }.joined(
            separator: ", ")
        let made = try AsyncAPIProfile(
            of: Array(
                """
                asyncapi: 2.6.0
                channels: {c: {subscribe: {message: {name: m, payload: {$ref: '#/components/schemas/a'}}}}}
                components:
                  schemas:
                    a: {allOf: [\(list)], properties: {b: {$ref: '#/components/schemas/b'}, text: {type: string}}}
                    b: {anyOf: [\(list)], properties: {a: {$ref: '#/components/schemas/a'}, id: {type: string}}}
                """.utf8))
        #expect(try Profile(parsing: Array(made.text.utf8)).events.map(\.event) == ["m"])
    }

    @Test func `whatever names a document uses, the profile is valid`() throws {
        for name in [
            "a\\nb: c", "\\\"q\\\"", "# no", "- list", "true", "null", "*alias", "{x}", "\\u001b[31m", "1", "~", "a'b",
            "{{", "%", "\\u007f", "\\uFFFF",
        ] {
            let text = """
                {"asyncapi": "3.0.0", "info": {"title": "\(name)"},
                 "servers": {"\(name)": {"host": "\(name)", "pathname": "/\(name)", "protocol": "wss"}, "w": {"host": "\(name)", "protocol": "https"}},
                 "channels": {"c": {"address": "\(name)", "parameters": {"\(name)": {}}, "messages": {
                   "\(name)": {"payload": {"properties": {"\(name)": {"type": "string"}, "id": {"type": "string"}, "text": {"const": "\(name)"}}}},
                   "join": {"payload": {"properties": {"\(name)": {"const": "\(name)"}, "room": {"default": "\(name)"}}}}}}},
                 "operations": {"a": {"action": "send", "channel": {"$ref": "#/channels/c"}},
                   "b": {"action": "receive", "channel": {"$ref": "#/channels/c"}}},
                 "components": {"securitySchemes": {"\(name)": {"type": "\(name)"}}}}
                """
            let made = try AsyncAPIProfile(of: Array(text.utf8))
            #expect(throws: Never.self, "\(made.text)") { _ = try Profile(parsing: Array(made.text.utf8)) }
        }
    }

    @Test(arguments: samples)
    func `a mutated document is refused at a position or yields a profile`(_ name: String) throws {
        let sample = try sample(name)
        let rounds = Int(ProcessInfo.processInfo.environment["WEIR_ROUNDS"] ?? "") ?? 300
        var random = RandomSource(seed: 61)
        var accepted = 0
        for _ in 0..<rounds {
            var text = sample
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(text.count))
                switch random.next() % 4 {
                case 0: text[place] = UInt8(truncatingIfNeeded: random.next() % 128)
                case 1: text.remove(at: place)
                case 2:
                    // Replaces one value by another.
                    let words = ["null", "[]", "{}", "7", "true", "'x'", "{$ref: '#/channels'}"]
                    let end = text[place...].firstIndex { $0 == 0x0A || $0 == 0x2C } ?? text.count
                    let start = text[..<place].lastIndex { $0 == 0x3A }.map { $0 + 1 } ?? place
                    text.replaceSubrange(start..<end, with: Array((" " + words[Int(random.next() % 7)]).utf8))
                default:
                    if random.next() % 8 == 0 { text.removeLast(text.count - place) }
                    let from = Int(random.next() % UInt64(max(text.count, 1)))
                    text.insert(contentsOf: text[from..<min(from + 12, text.count)], at: min(place, text.count))
                }
                if text.isEmpty { text = [0x20] }
            }
            do throws(Profile.Invalid) {
                let made = try AsyncAPIProfile(of: text)
                accepted += 1
                #expect(throws: Never.self, "\(String(decoding: text, as: UTF8.self))\n\(made.text)") {
                    _ = try Profile(parsing: Array(made.text.utf8))
                }
            } catch {
                #expect(error.problems.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.message.isEmpty })
            }
        }
        #expect(accepted > 0 && accepted < rounds)
    }
}

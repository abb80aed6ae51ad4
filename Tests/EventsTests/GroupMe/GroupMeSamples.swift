import WeirEvents
import WeirJSON

/// A delivery of the push service in `samples/events/groupme-events.json`, and its expected kind and summary.
struct GroupMeSample: Sendable, CustomStringConvertible {
    var note = ""
    var channel = ""
    var data = RawJSON(unchecked: [])
    var kind = ""
    var isKnown = true
    var summary = ""

    var description: String { note }

    static let events = (try? load()) ?? []

    /// Decodes the sample whose note starts with `note`. The samples are part of the tests, so a
    /// missing one is an error in the test.
    static func push(_ note: String) throws -> GroupMe.Push {
        guard let sample = events.first(where: { $0.note.hasPrefix(note) }) else {
            throw DecodingFailure(subject: note, message: "no such sample", offset: 0)
        }
        return try sample.push
    }

    var push: GroupMe.Push {
        get throws {
            guard case .push(let push) = try GroupMe.Event(channel: channel, data: data) else {
                throw DecodingFailure(subject: note, message: "no push", offset: 0)
            }
            return push
        }
    }

    private static func load() throws -> [GroupMeSample] {
        var samples: [GroupMeSample] = []
        let bytes = Sample.file("groupme-events")
        var reader = JSONReader(bytes.span)
        try reader.beginArray()
        while try reader.nextElement() {
            var sample = GroupMeSample()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch reader.string(key) {
                case "note": sample.note = try reader.string()
                case "channel": sample.channel = try reader.string()
                case "data": sample.data = RawJSON(unchecked: bytes[try reader.skip()])
                case "kind": sample.kind = try reader.string()
                case "known": sample.isKnown = try reader.bool()
                default: sample.summary = try reader.string()
                }
            }
            samples.append(sample)
        }
        return samples
    }
}

extension GroupMe.Push {
    /// A push on the user's channel, unless `channel` is given.
    init(_ text: String, on channel: String = "/user/20000001") throws {
        guard case .push(let push) = try GroupMe.Event(channel: channel, data: RawJSON(text)) else {
            throw DecodingFailure(subject: text, message: "no push", offset: 0)
        }
        self = push
    }
}

/// Thrown when a push decodes to another case than the tested one.
struct Unexpected: Error {}

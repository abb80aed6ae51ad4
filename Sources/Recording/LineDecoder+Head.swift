import JSONText

extension LineDecoder {
    /// The members of a head, before it is known whether those that must be there are.
    private struct HeadMembers {
        var format: String?
        var major: Int?
        var minor = 0
        var recording: String?
        var segment: Int?
        var previous: String?
        var start: Int64?
        var clock: String?
        var boot: String?
        var tool: String?
        var system: String?
        var context: String?
        var title: String?
        var tags: [String] = []
        var idleLimit: Int?
        var redactions: [String] = []
        var filter: String?
        var seed: String?
        var session: RawJSON?
    }

    mutating func head() throws(JSONError) -> Record? {
        let members = try headMembers()
        guard require(members.format == RecordFormat.name ? members.format : nil, "fmt") != nil,
            let major = require(members.major, "v"), let recording = require(members.recording, "rec"),
            let start = require(members.start, "w0"), let tool = require(members.tool, "tool")
        else { return nil }
        // What another major version says of its session is not ours to judge.
        let isOurs = major == RecordFormat.major
        guard let seed = require(isOurs ? members.seed.flatMap { UInt64($0) } : 0, "seed"),
            let session = require(isOurs ? members.session : RawJSON(unchecked: ArraySlice("{}".utf8)), "session")
        else { return nil }
        return .head(
            Record.Head(
                major: major, minor: members.minor, recording: recording, segment: members.segment ?? 1,
                previous: members.previous, wallStart: start, clock: members.clock ?? "", boot: members.boot,
                tool: tool,
                system: members.system, context: members.context, title: members.title, tags: members.tags,
                idleLimit: members.idleLimit.map { Int64($0) }, redactions: members.redactions,
                filter: members.filter, seed: seed, session: session))
    }

    private mutating func headMembers() throws(JSONError) -> HeadMembers {
        var members = HeadMembers()
        while let key = try reader.nextKey() {
            if try !identity(key, &members), try !description(key, &members) { try other(key) }
        }
        return members
    }

    /// Takes a member that tells which file this is, and when and by what it was made.
    private mutating func identity(_ key: JSONKey, _ members: inout HeadMembers) throws(JSONError) -> Bool {
        if reader.matches(key, "fmt") {
            members.format = try text()
        } else if reader.matches(key, "v") {
            members.major = try count()
        } else if reader.matches(key, "minor") {
            members.minor = try count() ?? 0
        } else if reader.matches(key, "rec") {
            members.recording = try text()
        } else if reader.matches(key, "seg") {
            members.segment = try count()
        } else if reader.matches(key, "prev") {
            members.previous = try text()
        } else if reader.matches(key, "w0") {
            members.start = try wallClock()
        } else if reader.matches(key, "clock") {
            members.clock = try text()
        } else if reader.matches(key, "boot") {
            members.boot = try text()
        } else if reader.matches(key, "tool") {
            members.tool = try text()
        } else if reader.matches(key, "os") {
            members.system = try text()
        } else {
            return false
        }
        return true
    }

    /// Takes a member that tells what is in the file.
    private mutating func description(_ key: JSONKey, _ members: inout HeadMembers) throws(JSONError) -> Bool {
        if reader.matches(key, "ctx") {
            members.context = try text()
        } else if reader.matches(key, "title") {
            members.title = try text()
        } else if reader.matches(key, "tags") {
            members.tags = try texts()
        } else if reader.matches(key, "idle_limit") {
            members.idleLimit = try count()
        } else if reader.matches(key, "redact") {
            members.redactions = try texts()
        } else if reader.matches(key, "filter") {
            members.filter = try text()
        } else if reader.matches(key, "seed") {
            members.seed = try text()
        } else if reader.matches(key, "session") {
            members.session = try object()
        } else {
            return false
        }
        return true
    }
}

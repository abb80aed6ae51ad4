import JSONText

/// The fields of an `event` while it is being read: those of the data of all types, each under its own name. Ids
/// are numbers or strings (GroupMe GM-24).
struct SystemEventFields {
    var type = ""
    var users: [String: GroupMe.Person] = [:]
    var added: [GroupMe.Person] = []
    var texts: [String: String] = [:]
    var numbers: [String: Int] = [:]
    var times: [String: Timestamp] = [:]
    var flags: [String: Bool] = [:]
    var likeIcon: GroupMe.ReactionSymbol?
    var edit: (text: String?, attachments: [GroupMe.Attachment]?)?
    var poll: GroupMe.Poll?
    var options: [GroupMe.Poll.Option] = []
    var calendar: (id: GroupMe.CalendarID?, name: String?)?
    var updatedFields: [String] = []

    init() {}

    /// Reads an object of `type` and `data`.
    init(reading reader: inout JSONReader) throws(Mismatch) {
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "type") {
                type = try reader.textIfAny() ?? ""
            } else if reader.isNamed(key, "data") {
                try takeData(from: &reader)
            } else {
                try reader.pass()
            }
        }
    }

    private mutating func takeData(from reader: inout JSONReader) throws(Mismatch) {
        guard try reader.openIfAny() else { return }
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            switch try reader.kind() {
            case .object: try takeObject(key, from: &reader)
            case .array: try takeList(key, from: &reader)
            case .bool: flags[reader.string(key)] = try reader.flagIfAny()
            case .string, .number: try takeScalar(reader.string(key), from: &reader)
            case .null: try reader.pass()
            }
        }
    }

    /// Reads a string or a number. It is stored as text, and as a number or a time if it can be one.
    private mutating func takeScalar(_ name: String, from reader: inout JSONReader) throws(Mismatch) {
        let start = reader.offset
        let text = try reader.kind() == .string ? try reader.text() : try reader.idIfAny()?.description ?? ""
        texts[name] = text
        if let number = Int(text) { numbers[name] = number }
        guard name.hasSuffix("_at") || name == "expiration" else { return }
        let end = reader.offset
        reader.seek(to: start)
        times[name] = try reader.deletionTime(.wire)
        reader.seek(to: end)
    }

    private mutating func takeObject(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) {
        if reader.isNamed(key, "like_icon") {
            likeIcon = try GroupMe.ReactionSymbol.ifAny(reading: &reader)
        } else if reader.isNamed(key, "message") {
            try takeEdit(from: &reader)
        } else if reader.isNamed(key, "poll") {
            poll = try GroupMe.Poll.ifAny(reading: &reader)
        } else if reader.isNamed(key, "event") {
            try takeCalendar(from: &reader)
        } else {
            users[reader.string(key)] = try GroupMe.Person.ifAny(reading: &reader)
        }
    }

    private mutating func takeList(_ key: JSONKey, from reader: inout JSONReader) throws(Mismatch) {
        if reader.isNamed(key, "added_users") || reader.isNamed(key, "users") {
            guard try reader.openListIfAny() else { return }
            while try reader.another() {
                if let person = try GroupMe.Person.ifAny(reading: &reader) { added.append(person) }
            }
        } else if reader.isNamed(key, "options") {
            guard try reader.openListIfAny() else { return }
            while try reader.another() { options.append(try GroupMe.Poll.Option(reading: &reader)) }
        } else if reader.isNamed(key, "updated_fields") {
            updatedFields = try reader.loggedTexts()
        } else {
            try reader.pass()
        }
    }

    private mutating func takeEdit(from reader: inout JSONReader) throws(Mismatch) {
        var edit: (text: String?, attachments: [GroupMe.Attachment]?)
        _ = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "text") {
                edit.text = try reader.text()
            } else if reader.isNamed(key, "attachments") {
                edit.attachments = try GroupMe.Attachment.list(reading: &reader)
            } else {
                try reader.pass()
            }
        }
        self.edit = edit
    }

    private mutating func takeCalendar(from reader: inout JSONReader) throws(Mismatch) {
        var event: (id: GroupMe.CalendarID?, name: String?)
        _ = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "id") {
                event.id = try reader.groupMeID()
            } else if reader.isNamed(key, "name") {
                event.name = try reader.textIfAny()
            } else {
                try reader.pass()
            }
        }
        calendar = event
    }
}

extension GroupMe.Poll {
    fileprivate static func ifAny(reading reader: inout JSONReader) throws(Mismatch) -> Self? {
        var poll = Self(id: "")
        let start = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                poll.id = try reader.groupMeID() ?? poll.id
            } else if reader.isNamed(key, "subject") {
                poll.subject = try reader.text()
            } else if reader.isNamed(key, "expiration") {
                poll.expiration = try reader.instantIfAny(.wire)
            } else {
                try reader.pass()
            }
        }
        try poll.id.entity.require("id", at: start)
        return poll
    }
}

extension GroupMe.Poll.Option {
    fileprivate init(reading reader: inout JSONReader) throws(Mismatch) {
        self.init(id: "", title: nil, votes: 0, voters: [])
        _ = try reader.open()
        while let key = try reader.field() {
            if try reader.isNull() { continue }
            if reader.isNamed(key, "id") {
                id = try reader.idIfAny()?.description ?? ""
            } else if reader.isNamed(key, "title") {
                title = try reader.text()
            } else if reader.isNamed(key, "votes") {
                votes = try reader.countIfAny() ?? 0
            } else if reader.isNamed(key, "voter_ids") {
                voters = try reader.groupMeIDs()
            } else {
                try reader.pass()
            }
        }
    }
}

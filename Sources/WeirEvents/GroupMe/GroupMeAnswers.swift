import WeirJSON

extension GroupMe {
    /// The error in an answer that is not a success (GroupMe GM-27). The HTTP status decides about success: the code
    /// may have five digits and is not a status.
    package struct Refusal: Hashable, Sendable {
        /// The code in the envelope; `nil` if there is no envelope.
        package var code: Int?
        /// The server's error texts, which are untrusted.
        package var errors: [String]

        /// Reads any body: an envelope, no bytes, or something else.
        package init(body: ArraySlice<UInt8>) {
            var reader = JSONReader(body.span)
            let envelope = try? Envelope(reading: &reader)
            code = envelope?.code
            errors = envelope?.errors ?? []
        }

        /// Whether the server rejects the token, which the status 401 alone does not show (GroupMe GM-46).
        package var isUnauthorized: Bool { errors.first == "unauthorized" }
    }

    /// The envelope of an answer while it is being read.
    struct Envelope {
        var code: Int?
        var errors: [String] = []
        /// The start offset of the response; `nil` if it is null or missing.
        var response: Int?
        var hasResponse = false

        init(reading reader: inout JSONReader) throws(Mismatch) {
            _ = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "response") {
                    hasResponse = true
                    let isNull = try reader.kind() == .null
                    let range = try reader.pass()
                    response = isNull ? nil : range.lowerBound
                } else if reader.isNamed(key, "meta") {
                    try takeMeta(from: &reader)
                } else {
                    try reader.pass()
                }
            }
        }

        private mutating func takeMeta(from reader: inout JSONReader) throws(Mismatch) {
            guard try reader.kind() == .object else {
                try reader.pass()
                return
            }
            _ = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "code") {
                    code = try reader.looseIntegerIfAny()
                } else if reader.isNamed(key, "errors"), try reader.kind() == .array {
                    _ = try reader.openListIfAny()
                    while try reader.another() {
                        let isText = try reader.kind() == .string
                        errors.append(isText ? try reader.text() : try reader.keptText().description)
                    }
                } else {
                    try reader.pass()
                }
            }
        }
    }

    /// Reads the `response` of an envelope, which must be present.
    static func response<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value {
        guard let value = try page(body, subject, read) else {
            throw DecodingFailure(subject: subject, message: "response: missing", offset: 0)
        }
        return value
    }

    /// Reads the `response` of an envelope; returns `nil` if the answer states the end of the list. A failed answer never states it,
    /// whatever it lacks: a page that could not be fetched is not the last one.
    static func page<Value>(
        _ body: ArraySlice<UInt8>, _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value? {
        if body.isEmpty { return nil }
        return try decoded(body, as: subject) { (reader) throws(Mismatch) in
            let envelope = try Envelope(reading: &reader)
            let end = reader.offset
            if let response = envelope.response {
                reader.seek(to: response)
                let value = try read(&reader)
                reader.seek(to: end)
                return value
            }
            if envelope.code == 304 { return nil }
            guard envelope.hasResponse, envelope.errors.isEmpty else { throw Mismatch(.missing("response"), at: 0) }
            return nil
        }
    }
}

/// Decoders of REST answers: they read the `response` of the envelope (GroupMe GM-27). Their input is the body of an
/// answer with a success status, or of 304, which is an empty page.
extension GroupMe {
    /// The messages of a conversation in one answer (GroupMe GM-33).
    package struct MessagePage: Hashable, Sendable {
        /// The messages in the order of the answer: newest first, but oldest first after `after_id`. The last of them
        /// is the cursor of the next page. An empty page is the end; a short page is not.
        package var messages: [Message] = []
        /// The number of messages ever sent in the conversation. It may be too high or too low,
        /// so nothing may wait for it.
        package var count: Int?
        /// For a direct, the point up to which the other user read it.
        package var receipt: ReadReceipt?
    }

    /// The members that were added, once the server is done (GroupMe GM-42). Members that it could not add are missing.
    package struct AddedMembers: Hashable, Sendable {
        /// The members who are in the group now.
        package var members: [Member]
        /// The number of members that the server could not add, as newer servers report it.
        package var failures = 0
    }

    /// Decodes the session's user (`GET /users/me`).
    package static func user(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> User {
        try response(body, "user") { (reader) throws(Mismatch) in try User(reading: &reader, .wire) }
    }

    /// Decodes a page of groups, or the user's former groups. An empty page is the end.
    package static func groups(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [GroupRecord] {
        try page(body, "groups") { (reader) throws(Mismatch) in
            try reader.elements(sieve) { (reader) throws(Mismatch) in
                try GroupRecord(reading: &reader, sieve)
            }
        } ?? []
    }

    /// Decodes one group that was fetched, created or changed.
    package static func group(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> GroupRecord {
        try response(body, "group") { (reader) throws(Mismatch) in
            try reader.wrapped("group") { (reader) throws(Mismatch) in
                try GroupRecord(reading: &reader, sieve)
            }
        }
    }

    /// Decodes the states of all memberships of the user (`GET /memberships/states`).
    package static func standings(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [MembershipReport] {
        try page(body, "membership states") { (reader) throws(Mismatch) in
            try reader.elements(sieve) { (reader) throws(Mismatch) in try MembershipReport(reading: &reader) }
        } ?? []
    }

    /// Decodes a page of the messages of `conversation`, or of its liked messages. All forms of "no more" give an empty
    /// page: a body without bytes, as for 304, the code 304 in the envelope, a `response` that is null or an empty
    /// list, and an empty list of messages. A missing list is an error.
    package static func messages(
        from body: ArraySlice<UInt8>, of conversation: ConversationID, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> MessagePage {
        try page(body, "messages") { (reader) throws(Mismatch) in
            try MessagePage(reading: &reader, in: conversation, sieve)
        } ?? MessagePage()
    }

    /// Decodes one message after it was sent: `{"message":{…}}`, `{"direct_message":{…}}`.
    package static func message(
        from body: ArraySlice<UInt8>, of conversation: ConversationID
    ) throws(DecodingFailure) -> Message {
        try response(body, "message") { (reader) throws(Mismatch) in
            try reader.wrapped("message", or: "direct_message") { (reader) throws(Mismatch) in
                try Message(reading: &reader, .wire, in: conversation)
            }
        }
    }

    /// Decodes a page of the directs of `user`, the requesting user. An empty page is the end.
    package static func chats(
        from body: ArraySlice<UInt8>, user: UserID?, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Chat] {
        try page(body, "chats") { (reader) throws(Mismatch) in
            try reader.elements(sieve) { (reader) throws(Mismatch) in
                try Chat(reading: &reader, .wire, of: user)
            }
        } ?? []
    }

    /// Decodes the id with which to fetch the results of adding members (`POST /groups/:id/members/add`).
    package static func resultsID(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> String {
        try response(body, "members to be added") { (reader) throws(Mismatch) in
            let start = reader.offset
            let id = try reader.member("results_id") { (reader) throws(Mismatch) in try reader.idIfAny() }
            return try id.required("results_id", at: start).description
        }
    }

    /// Decodes the members that were added to `group`.
    package static func addedMembers(
        from body: ArraySlice<UInt8>, to group: GroupID, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> AddedMembers {
        try response(body, "added members") { (reader) throws(Mismatch) in
            var added: [Member]?
            var failures = 0
            let start = try reader.open()
            while let key = try reader.field() {
                if reader.isNamed(key, "members") {
                    added = try Member.list(reading: &reader, of: group, sieve)
                } else if reader.isNamed(key, "failed") {
                    guard try reader.openListIfAny() else { continue }
                    while try reader.another() {
                        try reader.pass()
                        failures += 1
                    }
                } else {
                    try reader.pass()
                }
            }
            return AddedMembers(members: try added.required("members", at: start), failures: failures)
        }
    }

    /// Decodes all reactions to a message after one was added or removed; returns `nil` if the
    /// answer does not contain them.
    package static func reactions(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [Reaction]? {
        try page(body, "reactions") { (reader) throws(Mismatch) in
            guard try reader.kind() == .object else {
                try reader.pass()
                return nil
            }
            return try reader.member("reactions") { (reader) throws(Mismatch) -> [Reaction]? in
                try reader.isNull() ? nil : try Reaction.list(reading: &reader)
            }
        } ?? nil
    }

    /// Decodes the address of an uploaded picture from the image service's `payload`, which is not an envelope.
    package static func pictureURL(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> String {
        try decoded(body, as: "picture") { (reader) throws(Mismatch) in
            try reader.wrapped("payload") { (reader) throws(Mismatch) in
                var url: String?
                let start = try reader.open()
                while let key = try reader.field() {
                    if reader.isNamed(key, "picture_url") || reader.isNamed(key, "url") {
                        url = try reader.textIfAny()?.unlessEmpty ?? url
                    } else {
                        try reader.pass()
                    }
                }
                return try url.required("picture_url", at: start)
            }
        }
    }
}

extension GroupMe.MessagePage {
    init(
        reading reader: inout JSONReader, in conversation: GroupMe.ConversationID, _ sieve: RowSieve?
    ) throws(Mismatch) {
        self.init()
        guard try reader.kind() == .object else {
            guard try reader.openListIfAny() else { return }
            if try reader.another() { throw Mismatch(.unusable("not a page of messages"), at: reader.offset) }
            return
        }
        var hasMessages = false
        let start = try reader.open()
        while let key = try reader.field() {
            if reader.isNamed(key, "messages") || reader.isNamed(key, "direct_messages") {
                hasMessages = true
                messages = try reader.elements(sieve) { (reader) throws(Mismatch) in
                    try GroupMe.Message(reading: &reader, .wire, in: conversation)
                }
            } else if reader.isNamed(key, "count") {
                count = try reader.countIfAny()
            } else if reader.isNamed(key, "read_receipt"), try reader.kind() == .object {
                receipt = try GroupMe.ReadReceipt(reading: &reader, in: conversation)
            } else {
                try reader.pass()
            }
        }
        guard hasMessages else { throw Mismatch(.missing("messages"), at: start) }
    }
}

extension JSONReader {
    /// Reads every element of an array; null counts as an empty list.
    fileprivate mutating func elements<Value>(
        _ sieve: RowSieve?, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(Mismatch) -> [Value] {
        var values: [Value] = []
        guard try openListIfAny() else { return values }
        try rows(through: sieve) { (reader) throws(Mismatch) in values.append(try read(&reader)) }
        return values
    }

    /// Reads the member `name` or `other` of an object if it is an object, else the object itself.
    fileprivate mutating func wrapped<Value>(
        _ name: StaticString, or other: StaticString = "", _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(Mismatch) -> Value {
        guard try kind() == .object else { return try read(&self) }
        var start = offset
        let end = try pass().upperBound
        seek(to: start)
        _ = try open()
        while let key = try field() {
            let isInner = isNamed(key, name) || isNamed(key, other)
            if try kind() == .object, isInner { start = offset }
            try pass()
        }
        seek(to: start)
        let value = try read(&self)
        seek(to: end)
        return value
    }
}

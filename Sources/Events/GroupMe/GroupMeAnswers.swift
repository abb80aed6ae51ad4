import JSONText

/// Decoders of REST answers: what stands in the `response` of their envelope (3.1). They are given the bodies of answers that are
/// successes by their status, and of 304, which is an empty page.
extension GroupMe {
    /// Messages of a conversation, as many as fit into one answer (3.4).
    package struct MessagePage: Hashable, Sendable {
        /// The messages, in the order of the answer: newest first, but oldest first after `after_id`. The last of them is the cursor
        /// of the next page. None means that there are no more; few do not.
        package var messages: [Message] = []
        /// How many were ever said in the conversation. May be wrong either way, so that nothing is to wait for it.
        package var count: Int?
        /// Of a direct: up to where the other one read it.
        package var receipt: ReadReceipt?
    }

    /// Members that were added, once the server is done (3.5). Whom it could not add is not among them.
    package struct AddedMembers: Hashable, Sendable {
        /// Those in the group now.
        package var members: [Member]
        /// How many the server says it could not add; newer servers do.
        package var failures = 0
    }

    /// The user (`GET /users/me`).
    package static func user(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> User {
        try response(body, "user") { (reader) throws(Mismatch) in try User(reading: &reader, .wire) }
    }

    /// A page of groups, or the former ones. None means that there are no more.
    package static func groups(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [GroupRecord] {
        try page(body, "groups") { (reader) throws(Mismatch) in
            try reader.elements(sieve) { (reader) throws(Mismatch) in
                try GroupRecord(reading: &reader, sieve)
            }
        } ?? []
    }

    /// One group, as it is shown, made or changed.
    package static func group(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> GroupRecord {
        try response(body, "group") { (reader) throws(Mismatch) in
            try reader.wrapped("group") { (reader) throws(Mismatch) in
                try GroupRecord(reading: &reader, sieve)
            }
        }
    }

    /// How the user stands to all groups (`GET /memberships/states`).
    package static func standings(
        from body: ArraySlice<UInt8>, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Standing] {
        try page(body, "membership states") { (reader) throws(Mismatch) in
            try reader.elements(sieve) { (reader) throws(Mismatch) in try Standing(reading: &reader) }
        } ?? []
    }

    /// A page of the messages of `conversation`; also those that are liked. All forms of "no more" give an empty page: a body of no
    /// bytes, as 304 has it, the code 304 in the envelope, `response` null or an empty list, and an empty list of messages. A list that
    /// is missing is none of them.
    package static func messages(
        from body: ArraySlice<UInt8>, of conversation: ConversationID, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> MessagePage {
        try page(body, "messages") { (reader) throws(Mismatch) in
            try MessagePage(reading: &reader, in: conversation, sieve)
        } ?? MessagePage()
    }

    /// One message, as it was sent: `{"message":{…}}`, `{"direct_message":{…}}`.
    package static func message(
        from body: ArraySlice<UInt8>, of conversation: ConversationID
    ) throws(DecodingFailure) -> Message {
        try response(body, "message") { (reader) throws(Mismatch) in
            try reader.wrapped("message", or: "direct_message") { (reader) throws(Mismatch) in
                try Message(reading: &reader, .wire, in: conversation)
            }
        }
    }

    /// A page of the directs of `user`, who asked. None means that there are no more.
    package static func chats(
        from body: ArraySlice<UInt8>, user: UserID?, _ sieve: RowSieve? = nil
    ) throws(DecodingFailure) -> [Chat] {
        try page(body, "chats") { (reader) throws(Mismatch) in
            try reader.elements(sieve) { (reader) throws(Mismatch) in
                try Chat(reading: &reader, .wire, of: user)
            }
        } ?? []
    }

    /// Under which id it can be asked who was added (`POST /groups/:id/members/add`).
    package static func resultsID(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> String {
        try response(body, "members to be added") { (reader) throws(Mismatch) in
            let start = reader.offset
            let id = try reader.member("results_id") { (reader) throws(Mismatch) in try reader.idIfAny() }
            return try id.required("results_id", at: start).description
        }
    }

    /// Who was added to `group`.
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

    /// A membership of `group` as it is after a change: bare, or in `member` (3.5).
    static func member(
        from body: ArraySlice<UInt8>, of group: GroupID
    ) throws(DecodingFailure) -> Member {
        try response(body, "member") { (reader) throws(Mismatch) in
            try reader.wrapped("member", or: "membership") { (reader) throws(Mismatch) in
                try Member(reading: &reader, of: group)
            }
        }
    }

    /// All reactions to a message after one was made or taken back; nil when the answer does not say.
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

    /// The address of a picture that was uploaded: the image service's `payload`, which is no envelope.
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
    /// Every element of an array; null counts as none.
    fileprivate mutating func elements<Value>(
        _ sieve: RowSieve?, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(Mismatch) -> [Value] {
        var values: [Value] = []
        guard try openListIfAny() else { return values }
        try rows(through: sieve) { (reader) throws(Mismatch) in values.append(try read(&reader)) }
        return values
    }

    /// Reads the member called `name` or `other` of an object where that is an object, else the object itself.
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

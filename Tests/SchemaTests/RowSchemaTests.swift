import Testing
import TestSupport
import WeirEvents
import WeirJSON
import WeirPipeline

/// Checks rows of every type, each with every field set, against the schema of the diff log.
@Suite struct RowSchemaTests {
    private static let time = "1631600000000"

    /// The encoded row of each type.
    private static let rows: [String: String] = [
        "hole": #"{"section":["messages","CH"],"from":\#(time),"to":\#(time),"count":3}"#,
        "declared": #"{"text":"hi","at":\#(time),"tags":["a"],"author":{"name":"Ann"}}"#,
        "twake.channel":
            #"{"id":"CH","company_id":"C","workspace_id":"W","visibility":"public","name":"n","icon":"i","description":"d","owner":"U","archived":true,"members":["U"],"last_activity":\#(time),"last_message":{"date":\#(time),"sender":"U","sender_name":"n","title":"t","text":"t"},"last_access":\#(time),"updated_at":\#(time),"created_at":\#(time),"is_default":true,"member_type":"member","favorite":true,"notification_level":"all","is_member":true,"role":"owner","permissions":["P"],"members_count":1,"messages_count":2,"is_readonly":true,"archived_at":\#(time),"channel_group":"g","connectors":["A"]}"#,
        "twake.message":
            #"{"id":"M","thread_id":"T","channel_id":"CH","user_id":"U","sender_name":"n","text":"t","subtype":"system","created_at":\#(time),"updated_at":\#(time),"edited_at":\#(time),"pinned":true,"reactions":[{"name":":heart:","count":1,"users":["U"]}],"replies":1,"thread_activity":\#(time),"type":"event","application_id":"A","sender_picture":"p","blocks":[{"type":"twacode"}],"files":[{"id":"F","company_id":"C","message_id":"M","source":"internal","external_id":"X","name":"n","extension":"png","size":1,"mime":"image/png","preview":"/p","download":"/d","thumbnails":[{"index":0,"url":"/t","type":"image/png","size":1,"width":1,"height":1}]}],"pinned_at":\#(time),"pinned_by":"U","override":{"title":"t","picture":"p"},"ephemeral":{"id":"E","version":"1","recipient":"U","recipient_context_id":"X"},"status":"delivered","quote_message":{"id":"Q","thread_id":"Q","text":"q","pinned":false},"links":[{"url":"u"}],"context":{"a":1},"bookmarks":[{"a":1}]}"#,
        "twake.member":
            #"{"channel_id":"CH","company_id":"C","workspace_id":"W","user_id":"U","type":"member","last_access":\#(time),"favorite":true,"notification_level":"all","updated_at":\#(time),"created_at":\#(time),"expiration":\#(time),"last_increment":1,"email":"e"}"#,
        "twake.badge":
            #"{"company_id":"C","workspace_id":"W","channel_id":"CH","thread_id":"T","user_id":"U","message_id":"M"}"#,
        "twake.badge_count": #"{"type":"company","id":"C","count":1}"#,
        "twake.account":
            #"{"id":"U","name":"f","full_name":"f","first_name":"a","last_name":"b","username":"u","email":"e","picture":"p","provider":"console","provider_id":"P","status":"s","status_icon":"i","language":"en","last_activity":\#(time),"created_at":\#(time),"is_verified":true,"deleted":true}"#,
        "twake.company":
            #"{"id":"C","name":"n","logo":"/l","members_count":1,"guests_count":1,"created_at":\#(time),"role":"admin","permissions":["P"],"status":"active","plan":{"name":"free","members":1,"guests":1,"storage":1},"notification_rooms":["r"]}"#,
        "twake.workspace":
            #"{"id":"W","company_id":"C","name":"n","logo":"/l","color":"red","members_count":1,"created_at":\#(time),"user_last_access":\#(time),"role":"member","permissions":["P"],"private":true,"default":true,"archived":true}"#,
        "twake.presence": #"{"user_id":"U","company_id":"C","online":true,"last_seen":\#(time)}"#,
        "groupme.group":
            #"{"id":"10","name":"n","type":"private","description":"d","image_url":"i","creator_user_id":"1","created_at":\#(time),"updated_at":\#(time),"messages":{"count":1,"last_message_id":"7","last_message_created_at":\#(time),"last_message_updated_at":\#(time),"preview":{"nickname":"n","text":"t","image_url":"i"}},"members_count":1,"max_members":1,"share_url":"s","like_icon":{"type":"emoji","pack_id":1,"pack_index":1},"theme_name":"t","muted_until":\#(time),"requires_approval":true,"unread_count":1,"last_read_message_id":"7","last_read_at":\#(time),"parent_id":"9","children_count":1,"message_edit_period":15,"message_deletion_mode":["sender"]}"#,
        "groupme.chat":
            #"{"conversation_id":"1+2","other_user":{"id":"2","name":"n","image_url":"i","locale":"en","share_url":"s","created_at":\#(time),"updated_at":\#(time)},"created_at":\#(time),"updated_at":\#(time),"messages_count":1,"last_message":{"id":"7","conversation_id":"1+2"}}"#,
        "groupme.message":
            #"{"id":"7","conversation_id":"1+2","sender_id":"2","sender_type":"user","name":"n","avatar_url":"a","recipient_id":"1","text":"t","created_at":\#(time),"updated_at":\#(time),"source_guid":"g","system":false,"attachments":[{"type":"image","url":"u"}],"favorited_by":["2"],"reactions":[{"type":"unicode","code":"👍","user_ids":["2"]}],"event":{"type":"message.pinned","data":{}},"pinned":true,"pinned_at":\#(time),"pinned_by":"2","deleted":true,"deleted_at":\#(time),"deletion_actor":"sender","parent_id":"9","platform":"gm"}"#,
        "groupme.member":
            #"{"id":"5","group_id":"10","user_id":"2","nickname":"n","name":"n","image_url":"i","muted":true,"autokicked":true,"roles":["admin"],"guid":"g"}"#,
        "groupme.user":
            #"{"id":"2","name":"n","image_url":"i","locale":"en","share_url":"s","created_at":\#(time),"updated_at":\#(time)}"#,
        "groupme.receipt": #"{"conversation_id":"1+2","message_id":"7","user_id":"2","read_at":\#(time)}"#,
    ]
    private static let types = BackendModule.entityTypes.keys.sorted()

    private func names(_ value: JSONValue?) -> [String] {
        if case .object(let members)? = value { members.map(\.key) } else { [] }
    }

    /// Returns the names of the fields in a type's table.
    private func table(_ type: any ItemEntity.Type) -> [String] {
        func names<Entity: FieldedEntity>(_ type: Entity.Type) -> [String] {
            Entity.fields.compactMap { $0.name?.description }
        }
        return (type as? any FieldedEntity.Type).map { names($0) } ?? []
    }

    @Test(arguments: types)
    func `a row with every field set round-trips and has the fields that the schema names`(
        _ name: String
    ) throws {
        let type = try #require(BackendModule.entityTypes[name])
        let sample = try #require(Self.rows[name], "there is no sample of \(name)")
        let bytes = Array(sample.utf8)
        var reader = JSONReader(bytes.span)
        var writer = JSONWriter()
        try type.init(decoding: &reader).encode(into: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == sample)
        let set = names(try JSONValue(parsing: bytes[...]))
        // Fields that only the user may see are not in a row.
        let secrets = name == "groupme.user" ? ["email", "phone_number"] : []
        for field in table(type) where !secrets.contains(field) {
            #expect(set.contains(field), "\(name).\(field) is not set")
        }
        let definition = try WrittenFormat.diffLog.schema().root["$defs"]?[name.replacing(".", with: "_")]
        guard name != "declared" else { return #expect(definition != nil) }
        #expect(names(definition?["properties"]) == set)
    }

    @Test(.enabled(if: SchemaTests.isInstalled, "jsonschema-rs is not installed: run Tests/run"))
    func `a line with a row of each type is valid`() throws {
        let lines = try Self.types.map { type in
            let line =
                #"{"v":1,"seq":1,"n":1,"t":0,"insert":[{"to":[0,0],"id":["\#(type == "declared" ? "order" : "message")","x"],"section":["x"],"sort":0,"type":"\#(type)","entity":\#(Self.rows[type] ?? "null")}]}"#
            return try JSONValue(parsing: Array(line.utf8)[...])
        }
        let refusals = try Validator().refusals(of: lines, under: WrittenFormat.diffLog.schema().closed)
        #expect(refusals.sorted { $0.key < $1.key }.map { "\(Self.types[$0.key]): \($0.value)" } == [])
    }
}

/// Texts like those a Twake server sends, with features worth mutating: nesting, escapes, other
/// scripts, long and unusual numbers.
enum TwakeDocuments {
    static let all: [[UInt8]] = [activity, channel, message, member, badge, event, packet, pretty].map {
        Array($0.utf8)
    }

    static let activity = #"""
        {"action":"updated","room":"/companies/56393af2-e5fe-11e9-b894-0242ac120004/workspaces/2d2cf1be-5b05-11eb-8d2c-0242ac120003/channels?type=public",\#
        "type":"channel_activity","path":"/companies/56393af2-e5fe-11e9-b894-0242ac120004/workspaces/2d2cf1be-5b05-11eb-8d2c-0242ac120003/channels/2982dc0a-65aa-47ae-a13c-082b2e3cc2a9",\#
        "resource":{"company_id":"56393af2-e5fe-11e9-b894-0242ac120004","workspace_id":"2d2cf1be-5b05-11eb-8d2c-0242ac120003",\#
        "id":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9","last_activity":1620987774000,"last_message":{"date":1620987774000,\#
        "sender":"46a68a02-dcae-11eb-b4c1-0242ac120003","sender_name":"First Last","title":"📄 ch1 in TestCompany • WS1","text":"Message 2"}}}
        """#

    static let channel = #"""
        {"action":"saved","room":"/companies/C/workspaces/W/channels?type=public","type":"channel","path":"/companies/C/workspaces/W/channels/CH",\#
        "resource":{"is_default":false,"archived":true,"members":[],"connectors":[{"id":null}],"last_activity":0,"company_id":"C",\#
        "workspace_id":"W","id":"2982dc0a-65aa-47ae-a13c-082b2e3cc2a9","archivation_date":0,"channel_group":"","description":"",\#
        "icon":"\ud83d\udcc4","name":"Primary \"channel\" \u00e9t\u00e9\n\\o/","owner":"U1","visibility":"public","updated_at":1620987956123,\#
        "created_at":1620987900000,"stats":{"members":12,"messages":-3,"ratio":0.25,"score":1.5e-7}}}
        """#

    static let message = #"""
        {"action":"created","room":"/companies/C/workspaces/W/channels/CH/feed","type":"message","path":"/companies/C/threads/T/M","resource":{\#
        "thread_id":"c920712e-b49d-11eb-8ed2-0242ac120003","id":"5828c718-b49e-11eb-8ae0-0242ac120003","ephemeral":null,"type":"message",\#
        "subtype":null,"created_at":1620987774123,"updated_at":1620987774130,"user_id":"U1","application_id":null,\#
        "text":"Привет, 世界! Xin chào các bạn – đây là tin nhắn","blocks":[{"type":"twacode","elements":["Message 2",{"start":"@","content":"user",\#
        "end":" "},[[["deep"]]]]}],"files":null,"context":null,"edited":{"edited_at":9007199254740993},"pinned_info":null,\#
        "reactions":[{"name":":heart:","count":2,"users":["U1","U2"]},{"name":"❤️","count":18446744073709551615,"users":[]}],"bookmarks":null}}
        """#

    static let member = #"""
        {"action":"saved","room":"/companies/C/workspaces/W/channels?type=private&user=U1","type":"channel_member","path":"/","resource":{\#
        "company_id":"C","workspace_id":"W","id":"CH","user_member":{"user_id":"U1","last_access":1620987780123,"last_increment":0,\#
        "favorite":false,"notification_level":"mentions","expiration":null,"big":-9223372036854775808,"tiny":5e-324,"huge":1.7976931348623157e308}}}
        """#

    static let badge = #"""
        {"action":"deleted","room":"/notifications?type=private&user=U1","type":"user_notification_badges","path":"/","resource":{"company_id":"C",\#
        "user_id":"U1","workspace_id":"direct","thread_id":"","id":"7f0f3f0e-3c1e-4f4b-9a55-51b0d5a7d001"}}
        """#

    static let event = #"""
        {"name":"previous::channels/2982dc0a-65aa-47ae-a13c-082b2e3cc2a9/messages/updates","data":{"client_id":"system","action":"update",\#
        "message_id":"5828c718-b49e-11eb-8ae0-0242ac120003","thread_id":"","_sign":"aGVsbG8rLw=="}}
        """#

    static let packet =
        #"["realtime:join:error",{"name":"/users/online","message":"Error\twhile \/ joining\u0020room"},[["U2",true]],-1.0E+2]"#

    static let pretty = """
        {
          "resources" : [
            { "id" : 1 , "text" : "a\\u00E9\\uD83D\\uDE00\u{7F}\u{80}" } ,
            [ ] , { } , [ { } , [ -0 , 0.0 , -0.0e10 , 123456789012345678901234567890.5 ] ]
          ]\t,\r
          "next_page_token" : null
        }

        """
}

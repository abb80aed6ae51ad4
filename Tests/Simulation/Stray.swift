/// Frames that no client can use and that must not harm it (Twake TW-94, TW-95). `COMPANY`, `WORKSPACE` and
/// `USER` are placeholders for ids.
enum Stray {
    static let all: [(name: String, argument: String)] = [
        (
            "realtime:resource",
            #"{"action":"mutated","room":"/notifications?type=private&user=USER","type":"pigeon","path":null,"resource":{}}"#
        ),
        (
            "realtime:resource",
            #"{"action":"saved","room":"/companies/COMPANY/workspaces/WORKSPACE/channels?type=public","type":"channel","path":null,"resource":[]}"#
        ),
        (
            "realtime:resource",
            #"{"action":"event","room":"/users/online","type":"user:online","path":null,"resource":[["USER",true]]}"#
        ),
        (
            "realtime:resource",
            #"{"action":"created","room":"/companies/COMPANY/workspaces/WORKSPACE/channels/left/feed","type":"message","path":"/","resource":{"id":"m","thread_id":"m","text":"late","created_at":1}}"#
        ),
        (
            "realtime:resource",
            #"{"action":"deleted","room":"/companies/X/workspaces/WORKSPACE/channels?type=public","type":"channel","path":"/","resource":{"id":"unknown","company_id":"X","workspace_id":"WORKSPACE"}}"#
        ),
        (
            "realtime:resource",
            #"{"action":"updated","room":"/companies/COMPANY/workspaces/WORKSPACE/channels?type=public","type":"channel_activity","path":"/","resource":{"company_id":"COMPANY","workspace_id":"WORKSPACE","id":"unknown","last_activity":1,"last_message":{}}}"#
        ),
        (
            "realtime:resource",
            #"{"action":"saved","room":"/companies/COMPANY/workspaces/WORKSPACE/channels?type=private&user=USER","type":"channel_member","path":"/","resource":{"company_id":"COMPANY","workspace_id":"WORKSPACE","id":"unknown","user_member":null}}"#
        ),
        (
            "realtime:event",
            #"{"name":"previous::channels/unknown/messages/updates","data":{"action":"update","message_id":null,"thread_id":""}}"#
        ),
        ("realtime:event", #"{"name":"/companies/COMPANY/workspaces","data":{"type":"writing","event":null}}"#),
        ("realtime:event", #"{"name":17}"#),
        ("message", #""hello""#),
        ("realtime:join:success", #"{"name":"/companies/COMPANY/never/asked"}"#),
        ("realtime:leave:success", #"{"name":"/notifications?type=private&user=USER"}"#),
    ]

    /// Whole stray frames of GroupMe (GroupMe GM-20, Bayeux BX-21). `USER` is a placeholder for the user's id.
    static let ofGroupMe: [String] = [
        "hello", "[]", "{}", "[17]", #"[{"channel":17}]"#, #"[{"channel":"/user/USER"}]"#,
        #"[{"channel":"/user/USER","id":"a1","data":{"type":"brand.new","subject":{"x":1}}}]"#,
        #"[{"channel":"/user/USER","id":"a2","data":"text"},{"channel":"/user/USER","id":"a3","data":[1,2]}]"#,
        #"[{"channel":"/user/USER","id":"a4","data":{"type":"line.create","alert":17,"subject":[]}}]"#,
        #"[{"channel":"/user/USER","id":"a5","data":{"type":"line.create"}}]"#,
        #"[{"channel":"/user/USER","id":"a6","data":{"type":"like.create","subject":{"line":null}}}]"#,
        #"[{"channel":"/user/USER","id":"a7","data":{"type":"ping"}},{"channel":"/user/USER","data":{"ping":true}}]"#,
        #"[{"channel":"/user/USER","id":"a8","data":{"type":"subscribe"}}]"#,
        #"[{"channel":"/group/10000001","id":"a9","data":{"type":"favorite","subject":{"line":{"id":"1","group_id":"10000001"}}}}]"#,
        #"[{"channel":"/group/10000001","id":"b1","data":{"type":"message.deleted","subject":{"id":"1","group_id":"10000001","deleted_at":"soon"}}}]"#,
        #"[{"channel":"/group/99999999","id":"b2","data":{"type":"favorite","subject":{"line":{"id":"1","group_id":"99999999"},"reactions":[]}}}]"#,
        #"[{"channel":"/user/USER","id":"b3","data":{"type":"line.create","alert":"","subject":{"id":"163160900000000001","group_id":"99999999","created_at":1631609000,"text":"late","user_id":"20000002"}}}]"#,
        #"[{"channel":"/user/USER","id":"b4","data":{"type":"membership.create","subject":{"id":"99999998","name":"Nowhere"}}}]"#,
        #"[{"channel":"/user/USER","id":"b5","data":{"type":"membership.destroy","subject":{"group_id":"99999997"}}}]"#,
        #"[{"channel":"/direct_message/USER_20000002","id":"b6","data":{"type":"typing","user_id":"20000002","started":1}}]"#,
        #"[{"channel":"/meta/subscribe","id":"zzz","successful":true,"subscription":"/group/1"}]"#,
        #"[{"channel":"/meta/connect","id":"zzz","successful":false,"error":"401::Unknown client"}]"#,
        #"[{"channel":"/meta/handshake","id":"zzz","successful":true,"clientId":"other"}]"#,
        #"[{"channel":"/group/10000001","id":"zzz","successful":true}]"#,
    ]

    /// Whole stray messages of a declared gateway.
    static let ofDeclared: [String] = [
        "hello", "[]", "{}", "17", "", #"{"op":99}"#, #"{"op":11}"#, #"{"op":0,"t":17}"#,
        #"{"op":0,"t":"BRAND_NEW","d":{"x":1}}"#,
        #"{"op":0,"t":"MESSAGE_CREATE"}"#, #"{"op":0,"t":"MESSAGE_CREATE","d":null,"s":null}"#,
        #"{"op":0,"t":"MESSAGE_CREATE","d":{"channel_id":"1","content":"no id"}}"#,
        #"{"op":0,"t":"MESSAGE_CREATE","d":{"id":"m","channel_id":"1","content":"late","timestamp":"soon"}}"#,
        #"{"op":0,"t":"MESSAGE_CREATE","d":{"id":"m","channel_id":"99","content":"late","timestamp":"2026-07-29T17:00:00Z"}}"#,
        #"{"op":0,"t":"MESSAGE_UPDATE","d":[{"id":17},[]]}"#,
        #"{"op":0,"t":"MESSAGE_DELETE","d":{"id":"unknown","channel_id":"1"}}"#,
        #"{"op":0,"t":"MESSAGE_DELETE","d":{"channel_id":"1"}}"#,
        #"{"op":0,"t":"CHANNEL_UPDATE","d":{"name":"no id"}}"#,
        #"{"op":0,"t":"CHANNEL_DELETE","d":{"id":"unknown"}}"#, #"{"op":0,"t":"TYPING_START","d":[]}"#,
        #"{"op":0,"t":"TYPING_START","d":{"channel_id":{},"user_id":null}}"#,
        #"{"op":10,"d":{"heartbeat_interval":10000}}"#, #"{"op":0,"t":"RESUMED","d":{}}"#,
        #"{"op":0,"t":"READY","d":{"session_id":"other"}}"#,
    ]
}

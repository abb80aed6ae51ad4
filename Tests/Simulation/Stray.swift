/// Frames no client can use, and which must not hurt it (section 9, items 8 and 9). `COMPANY`, `WORKSPACE` and `USER` stand for the company, the workspace
/// and the user.
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
}

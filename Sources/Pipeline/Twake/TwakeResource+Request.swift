import Events

extension TwakeResource {
    /// How many messages of a channel are asked for at once.
    static let pageLength = 20

    /// Path and query of the GET that fetches this (4.3 for era A, 4.4 for era B).
    var target: String {
        switch self {
        case .server: "\(Self.core)/general/v1/server"
        case .account(.a): "\(Self.proxy)/user"
        case .account(.b): "\(Self.core)/users/v1/users/me"
        case .companies(.a): "\(Self.proxy)/companies"
        case .companies(.b): "\(Self.core)/users/v1/users/me/companies"
        case .workspaces(.a, let company): "\(Self.proxy)/workspaces?company_id=\(company.inURL)"
        case .workspaces(.b, let company): "\(Self.core)/workspaces/v1/companies/\(company.inURL)/workspaces"
        case .rooms(let company, let workspace):
            "\(Self.proxy)/workspace/notifications?company_id=\(company.inURL)&workspace_id=\(workspace.inURL)"
        case .channels(.a, let company, let workspace):
            "\(Self.proxy)/channels?company_id=\(company.inURL)&workspace_id=\(workspace.inURL)"
        case .channels(.b, let company, let workspace): "\(Self.channels(company, workspace))?mine=1&limit=1000"
        case .directs(.a, let company): "\(Self.proxy)/direct?company_id=\(company.inURL)"
        case .directs(.b, let company): "\(Self.channels(company, .direct))?mine=1&include_users=1&limit=1000"
        case .members(.a, let path): "\(Self.proxy)/channels/members?\(path.proxyQuery(channelKey: "id"))"
        case .members(.b, let path):
            "\(Self.channels(path.company, path.workspace))/\(path.channel.inURL)/members?limit=1000"
        case .feed(.a, let path):
            "\(Self.proxy)/messages?\(path.proxyQuery(channelKey: "channel_id"))&limit=\(Self.pageLength)"
        case .feed(.b, let path):
            "\(Self.core)/messages/v1/companies/\(path.company.inURL)/workspaces/\(path.workspace.inURL)"
                + "/channels/\(path.channel.inURL)/feed?limit=\(Self.pageLength)&replies_per_thread=3&include_users=1&emojis=false"
        case .thread(let company, let thread): "\(Self.thread(company, thread))?limit=1000&include_users=1"
        case .message(.a, let path, let thread, let id):
            "\(Self.proxy)/messages?\(path.proxyQuery(channelKey: "channel_id"))"
                + (thread == id ? "" : "&thread_id=\(thread.inURL)") + "&message_id=\(id.inURL)"
        case .message(.b, let path, let thread, let id):
            "\(Self.thread(path.company, thread))/\(id.inURL)?include_users=1"
        case .badges(.a, let company): "\(Self.proxy)/badges?company_id=\(company.inURL)"
        // Never with `all_companies`: the first badge would come twice (4.4).
        case .badges(.b, let company): "\(Self.core)/notifications/v1/badges?company_id=\(company.inURL)&limit=1000"
        }
    }

    private static let proxy = "/internal/mobile"
    private static let core = "/internal/services"

    private static func channels(_ company: EntityID, _ workspace: EntityID) -> String {
        "\(core)/channels/v1/companies/\(company.inURL)/workspaces/\(workspace.inURL)/channels"
    }

    private static func thread(_ company: EntityID, _ thread: EntityID) -> String {
        "\(core)/messages/v1/companies/\(company.inURL)/threads/\(thread.inURL)/messages"
    }
}

extension TwakeChannelPath {
    fileprivate func proxyQuery(channelKey: String) -> String {
        "company_id=\(company.inURL)&workspace_id=\(workspace.inURL)&\(channelKey)=\(channel.inURL)"
    }
}

extension EntityID {
    /// The workspace id of directs.
    static let direct = EntityID("direct")

    /// The id with everything but unreserved characters percent-encoded (RFC 3986): an id comes from a peer.
    /// A dot is encoded too, though unreserved: an id of dots alone would climb in the path.
    fileprivate var inURL: String {
        if case .uuid = self { return description }
        var text = ""
        for byte in description.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += byte < 16 ? "%0" : "%"
                text += String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}

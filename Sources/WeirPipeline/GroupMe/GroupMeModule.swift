import WeirEvents
import WeirJSON

extension BackendModule {
    /// The GroupMe module. Pushes come from a separate host. The service limits each user to about ten requests a
    /// second, over all of the user's clients (GroupMe GM-45).
    static let groupMe = BackendModule(
        name: "groupme", usualPath: "/faye", speaksBayeux: true, tokenHeader: "X-Access-Token", usualPace: 8,
        serviceHosts: ["push.groupme.com": "api.groupme.com"], reversedDomain: "com.groupme",
        makeBackend: { GroupMeBackend($0) },
        publishedRoom: { channel, data in
            (try? GroupMe.Event(channel: channel, data: data)).flatMap { Event.groupMe($0).room }
        },
        entities: [
            GroupMe.Group.self, GroupMe.Chat.self, GroupMe.Message.self, GroupMe.Member.self, GroupMe.User.self,
            GroupMe.ReadReceipt.self,
        ],
        eventKinds: [
            "join", "join_error", "leave", "message", "typing", "unknown", "subscribe", "ping", "edit", "deletion",
            "pin",
            "reaction", "receipt", "membership", "group", "topic", "call", "poll", "calendar", "bot", "system",
        ],
        guide: BackendGuide(kinds: { EventGuide.byKind(GroupMeGuide.all) }, names: { GroupMeGuide.all }),
        pictures: BackendPictures(
            target: GroupMePictures.target, host: GroupMePictures.host,
            addresses: GroupMePictures.addresses, address: GroupMePictures.address),
        accounts: .groupMe)
}

extension Configuration.BackendKind {
    /// The GroupMe backend, named `groupme`.
    public static let groupme = Self(.groupMe)
}

extension BackendAccounts {
    /// The account calls of GroupMe (GroupMe GM-44).
    static let groupMe = alike(
        AccountCalls(
            whoami: GroupMeEndpoints.me.call,
            account: { body throws(DecodingFailure) in
                let user = try GroupMe.user(from: body)
                let id = user.id.entity
                return BackendAccount(id: id, name: user.name ?? id.description, picture: user.imageURL)
            }, tokenPage: "https://dev.groupme.com"))
}

/// GroupMe's image service, which stores a picture and returns its URL for use in messages. Callers need no session,
/// because pictures are bytes of files.
package enum GroupMePictures {
    /// The path for uploads. The body is the picture itself, and the answer has no envelope.
    package static let target = "/pictures"

    /// Returns the host of the image service for a host of another service. Only GroupMe's own servers have a separate
    /// one.
    package static func host(for host: String) -> String {
        ["push.groupme.com", "api.groupme.com"].contains(host) ? "image.groupme.com" : host
    }

    /// The prefix of all URLs that the service returns.
    package static let addresses = "https://i.groupme.com/"

    /// Returns the picture's URL from an answer, or `nil` when the answer contains none.
    package static func address(from body: ArraySlice<UInt8>) -> String? {
        let payload = (try? JSONValue(parsing: body))?["payload"]
        return [payload?["picture_url"]?.text, payload?["url"]?.text].compactMap { $0 }.first { !$0.isEmpty }
    }
}

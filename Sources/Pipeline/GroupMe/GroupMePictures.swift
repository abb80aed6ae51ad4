import JSONText

/// GroupMe's image service: takes a picture's bytes and gives an address, which messages then have. For a hand without a session, since
/// pictures are bytes of files.
package enum GroupMePictures {
    /// Where pictures are posted; the body is the picture itself, and the answer no envelope.
    package static let target = "/pictures"

    /// The host of the image service that belongs to a host of the others: GroupMe has one of its own.
    package static func host(for host: String) -> String {
        ["push.groupme.com", "api.groupme.com"].contains(host) ? "image.groupme.com" : host
    }

    /// What the addresses begin with that the service gives.
    package static let addresses = "https://i.groupme.com/"

    /// The address in an answer; nil when it has none.
    package static func address(from body: ArraySlice<UInt8>) -> String? {
        let payload = (try? JSONValue(parsing: body))?["payload"]
        return [payload?["picture_url"]?.text, payload?["url"]?.text].compactMap { $0 }.first { !$0.isEmpty }
    }
}

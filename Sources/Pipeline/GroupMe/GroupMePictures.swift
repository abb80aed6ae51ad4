import JSONText

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

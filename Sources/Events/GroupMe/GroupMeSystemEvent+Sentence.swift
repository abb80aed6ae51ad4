// The server's messages before there were events (2013 and 2014): English sentences. Only the kind of change can be
// trusted, because a nickname may contain any of their words (GroupMe GM-21).
extension GroupMe.SystemEvent.Content {
    /// Decodes `sentence`, the text of a message of the server without an event; returns `nil` for an unknown sentence.
    init?(sentence: String) {
        let text = sentence[...]
        if let (actor, rest) = text.parted(by: " removed "), let name = rest.before(" from the group") {
            self = .membership(.removed(.named(name), by: .named(actor)))
        } else if let (actor, rest) = text.parted(by: " added "), let names = rest.before(" to the group") {
            self = .membership(.added(names.people, by: .named(actor)))
        } else if let (actor, name) = text.parted(by: " changed the group's name to ") {
            self = .group(.name(String(name)), by: .named(actor))
        } else if let (actor, _) = text.parted(by: " changed the group's avatar") {
            self = .group(.picture(url: nil), by: .named(actor))
        } else if let (person, name) = text.parted(by: " changed name to ") {
            self = .membership(.renamed(.named(person), to: String(name)))
        } else {
            return nil
        }
    }
}

extension GroupMe.Person {
    fileprivate static func named(_ name: Substring) -> Self { Self(nickname: String(name)) }
}

extension Substring {
    /// Returns the text before and after the first `words`; `nil` if they do not occur, or if nothing precedes them.
    fileprivate func parted(by words: String) -> (Substring, Substring)? {
        guard let range = firstRange(of: words), range.lowerBound > startIndex else { return nil }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }

    /// Returns the text before `words`; `nil` if they do not occur.
    fileprivate func before(_ words: String) -> Substring? {
        guard let range = firstRange(of: words) else { return nil }
        return self[..<range.lowerBound]
    }

    /// The people listed as in `A, B and C`.
    fileprivate var people: [GroupMe.Person] {
        split(separator: ", ").flatMap { $0.split(separator: " and ") }.map { part in
            GroupMe.Person.named(part.hasPrefix("and ") ? part.dropFirst(4) : part)
        }
    }
}

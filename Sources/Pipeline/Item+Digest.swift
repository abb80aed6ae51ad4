import Events
import JSONText
public import SectionedModel

// What a row feeds into a checksum: every field, each optional one with a word that says whether it is there, so that no two
// rows that differ feed the same. No text is made for it: it is done with every change of a model that keeps a checksum.
extension Item {
    /// The version of what rows feed. It stands beside every checksum that is written: one of another version says nothing of this one.
    public static let checksumVersion = 1

    /// Feeds which row it is, and of which section.
    public func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(contents.id.kind)
        digest.feed(contents.id.id)
        digest.feed(contents.id.qualifier)
        digest.feed(contents.section.name)
        digest.feed(contents.section.parent)
    }

    /// Feeds all else that makes the row what it is.
    public func feed(_ digest: inout ElementDigest) {
        digest.feed(contents.sortKey)
        // Nothing for a row as the server has it, as it was before there was anything else.
        if let delivery { digest.feed(delivery.rawValue) }
        contents.entity.value.feed(&digest)
    }
}

extension ElementDigest {
    /// A kind counts by its number; one that has none by its name.
    fileprivate mutating func feed(_ kind: Item.Kind) {
        guard let index = Item.Kind.all.firstIndex(of: kind) else { return feed(kind.rawValue) }
        feed(index + 1)
    }

    @inline(__always)
    mutating func feed(_ id: EntityID) {
        switch id {
        case .uuid(let high, let low):
            feed(1)
            feed(high)
            feed(low)
        case .text(let text):
            feed(2)
            feed(text)
        }
    }

    mutating func feed(_ ids: [EntityID]) {
        feed(ids.count)
        for id in ids { feed(id) }
    }

    /// Whether there is one, and then the value.
    @inline(__always)
    private mutating func feed<Value>(_ value: Value?, _ body: (inout Self, Value) -> Void) {
        guard let value else { return feed(0) }
        feed(1)
        body(&self, value)
    }

    @inline(__always)
    mutating func feed(_ id: EntityID?) { feed(id) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ text: String?) { feed(text) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ time: Timestamp?) { feed(time) { $0.feed($1.milliseconds) } }
    @inline(__always)
    mutating func feed(_ number: Int?) { feed(number) { $0.feed($1) } }
    @inline(__always)
    mutating func feed(_ flag: Bool?) { feed(flag) { $0.feed($1 ? 1 : 0) } }
}

// What few rows have, in a checksum. A field that is not there feeds nothing, so that rows without any of them count as they did before
// there were such fields; one that is there feeds its number and its value, so that no two rows that differ feed the same.
extension ElementDigest {
    /// The number and the value, if there is one.
    @inline(__always)
    private mutating func feed<Value>(_ number: Int, ifAny value: Value?, _ body: (inout Self, Value) -> Void) {
        guard let value else { return }
        feed(number)
        body(&self, value)
    }

    mutating func feed(_ number: Int, ifAny id: EntityID?) { feed(number, ifAny: id) { $0.feed($1) } }
    mutating func feed(_ number: Int, ifAny text: String?) { feed(number, ifAny: text) { $0.feed($1) } }
    mutating func feed(_ number: Int, ifAny time: Timestamp?) { feed(number, ifAny: time) { $0.feed($1.milliseconds) } }
    mutating func feed(_ number: Int, ifAny value: Int?) { feed(number, ifAny: value) { $0.feed($1) } }
    mutating func feed(_ number: Int, ifAny flag: Bool?) { feed(number, ifAny: flag) { $0.feed($1 ? 1 : 0) } }
    mutating func feed(_ number: Int, ifAny text: RawJSON?) {
        feed(number, ifAny: text) { digest, text in text.bytes.withUnsafeBytes { digest.feed(bytes: $0) } }
    }
}

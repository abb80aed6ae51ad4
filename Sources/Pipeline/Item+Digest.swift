import Events
import JSONText
public import SectionedModel

// Feeds a row into a checksum: every field, with a word before each optional field for its presence, so that different rows never feed the
// same. This builds no text, because it runs for every change of a model with a checksum.
extension Item {
    /// The version of what rows feed. It is stored next to every checksum, because checksums of different versions are
    /// not comparable.
    public static let checksumVersion = 1

    /// Feeds the identity of the row and its section.
    public func feedIdentity(_ digest: inout ElementDigest) {
        digest.feed(contents.id.kind)
        digest.feed(contents.id.id)
        digest.feed(contents.id.qualifier)
        digest.feed(contents.section.name)
        digest.feed(contents.section.parent)
    }

    /// Feeds the remaining contents of the row.
    public func feed(_ digest: inout ElementDigest) {
        digest.feed(contents.sortKey)
        // A row in the server's state feeds nothing here, which keeps checksums from before `delivery` existed.
        if let delivery { digest.feed(delivery.rawValue) }
        contents.entity.value.feed(&digest)
    }
}

extension ElementDigest {
    /// Feeds the number of the kind, or its name if it has no number.
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

    /// Feeds whether a value exists, and then the value.
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

// Rare fields in a checksum. An absent field feeds nothing, so that rows without any of these fields keep the checksum
// from before the fields existed. A present field feeds its number and its value, so that different rows never feed the
// same.
extension ElementDigest {
    /// Feeds the number and the value, if there is a value.
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

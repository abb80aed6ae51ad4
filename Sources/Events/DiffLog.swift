import JSONText

/// Entities as JSON, for the diff log: what `encode` writes, `init(decoding:)` reads back to an equal value.
///
/// A backend's names are those of its newest servers, but this is not the wire's form: every time is in milliseconds whatever its size, every id is a string
/// kept as it is, and nothing is normalised. Unknown members are passed over, so that a later version may add some.
extension JSONWriter {
    @inline(__always)
    mutating func member(_ name: StaticString, _ value: EntityID?) {
        value?.write(as: name, into: &self)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Timestamp?) {
        if let value { member(name, integer: value.milliseconds) }
    }

    /// Writes a list of ids, nothing when it is empty.
    @inline(__always)
    mutating func member(_ name: StaticString, _ ids: [EntityID]) {
        guard !ids.isEmpty else { return }
        key(name)
        beginArray()
        for id in ids { id.write(into: &self) }
        endArray()
    }

    /// Writes a list of texts, nothing when it is empty.
    @inline(__always)
    mutating func member(_ name: StaticString, _ texts: [String]) {
        if !texts.isEmpty { member(name, names: texts) }
    }
}

extension JSONReader {
    /// An id as it was written, the empty one included.
    mutating func loggedID() throws(Mismatch) -> EntityID { EntityID(try text()) }

    /// A list of ids as they were written.
    mutating func loggedIDs() throws(Mismatch) -> [EntityID] {
        var ids: [EntityID] = []
        guard try openListIfAny() else { return ids }
        while try another() { ids.append(try loggedID()) }
        return ids
    }

    /// A list of texts.
    mutating func loggedTexts() throws(Mismatch) -> [String] {
        var texts: [String] = []
        guard try openListIfAny() else { return texts }
        while try another() { texts.append(try text()) }
        return texts
    }

    /// A time in milliseconds.
    mutating func loggedTime() throws(Mismatch) -> Timestamp {
        do { return Timestamp(milliseconds: try int64()) } catch { throw Mismatch(error) }
    }

    /// A count, which may be negative.
    mutating func loggedCount() throws(Mismatch) -> Int {
        do { return Int(clamping: try int64()) } catch { throw Mismatch(error) }
    }

    /// A value kept as its text.
    mutating func loggedText() throws(Mismatch) -> RawJSON {
        do { return try raw() } catch { throw Mismatch(error) }
    }

    /// A Boolean.
    mutating func loggedFlag() throws(Mismatch) -> Bool {
        do { return try bool() } catch { throw Mismatch(error) }
    }

    /// Reads an entity of the log where the reader stands; the failure's offset counts as the reader's does.
    mutating func logged<Value>(
        _ subject: String, _ read: (inout JSONReader) throws(Mismatch) -> Value
    ) throws(DecodingFailure) -> Value {
        let start = offset
        do { return try read(&self) } catch {
            seek(to: start)
            throw error.failure(of: subject, in: &self)
        }
    }
}

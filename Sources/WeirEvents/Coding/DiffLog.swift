import WeirJSON

/// Encodes entities as JSON for the diff log. `init(decoding:)` reads what `encode` writes back to an equal value.
///
/// The member names are those of the backend's newest servers, but this is not the wire format: every time is in
/// milliseconds whatever its size, every id is a string kept as it is, and nothing is normalised. Readers skip unknown
/// members, so that a later version may add some.
extension JSONWriter {
    @inline(__always)
    mutating func member(_ name: StaticString, _ value: EntityID?) {
        value?.write(as: name, into: &self)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Timestamp?) {
        if let value { member(name, integer: value.milliseconds) }
    }

    /// Writes a list of ids as a member, or nothing when the list is empty.
    @inline(__always)
    mutating func member(_ name: StaticString, _ ids: [EntityID]) {
        guard !ids.isEmpty else { return }
        key(name)
        beginArray()
        for id in ids { id.write(into: &self) }
        endArray()
    }

    /// Writes a list of strings as a member, or nothing when the list is empty.
    @inline(__always)
    mutating func member(_ name: StaticString, _ texts: [String]) {
        if !texts.isEmpty { member(name, names: texts) }
    }
}

extension JSONReader {
    /// Reads an id exactly as it was written, including the empty id.
    mutating func loggedID() throws(Mismatch) -> EntityID { EntityID(try text()) }

    /// Reads a list of ids exactly as they were written; null counts as an empty list.
    mutating func loggedIDs() throws(Mismatch) -> [EntityID] {
        var ids: [EntityID] = []
        guard try openListIfAny() else { return ids }
        while try another() { ids.append(try loggedID()) }
        return ids
    }

    /// Reads a list of strings; null counts as an empty list.
    mutating func loggedTexts() throws(Mismatch) -> [String] {
        var texts: [String] = []
        guard try openListIfAny() else { return texts }
        while try another() { texts.append(try text()) }
        return texts
    }

    /// Reads a time in milliseconds since 1970.
    mutating func loggedTime() throws(Mismatch) -> Timestamp {
        do { return Timestamp(milliseconds: try int64()) } catch { throw Mismatch(error) }
    }

    /// Reads a count, which may be negative.
    mutating func loggedCount() throws(Mismatch) -> Int {
        do { return Int(clamping: try int64()) } catch { throw Mismatch(error) }
    }

    /// Reads any JSON value and keeps its text.
    mutating func loggedText() throws(Mismatch) -> RawJSON {
        do { return try raw() } catch { throw Mismatch(error) }
    }

    mutating func loggedFlag() throws(Mismatch) -> Bool {
        do { return try bool() } catch { throw Mismatch(error) }
    }

    /// Reads an entity of the log at the reader's position. The offset of a failure counts from the
    /// same start as the reader's.
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

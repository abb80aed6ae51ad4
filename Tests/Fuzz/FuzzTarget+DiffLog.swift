import WeirEvents
import WeirModel
import WeirPipeline

/// Checks that the model stays consistent for any lines of a diff log. Lines that could be applied can be reverted, and
/// applying them again leads to the same model.
func fuzzDiffLog(_ input: ArraySlice<UInt8>) {
    let log = Array(input)
    do {
        guard var cursor = try cursor(log) else { return }
        let start = cursor.model.checksum
        // On an error the cursor stays before the line that cannot be applied.
        let refusal = failure { () throws(DiffLogError) in try cursor.seek(to: cursor.states.upperBound) }
        check(cursor)
        require((refusal == nil) == (cursor.sequence == cursor.states.upperBound), "a log that ends elsewhere")
        let end = cursor.model.checksum
        let reached = cursor.sequence
        if failure({ () throws(DiffLogError) in try cursor.seek(to: cursor.states.lowerBound) }) == nil {
            require(cursor.model.count == 0 && cursor.model.checksum == start, "what was taken back leaves something")
            try cursor.seek(to: reached)
            require(cursor.model.checksum == end, "the second time a log leads to another model")
        }
        check(cursor)
    } catch {
        fatalError("\(error)")
    }
}

/// Returns a cursor before the first line, whatever the line's number. Returns `nil` when the text is not a diff log.
private func cursor(_ log: [UInt8]) throws(DiffLogError) -> DiffLogCursor? {
    do {
        return try DiffLogCursor(log)
    } catch {
        guard case .outside(_, let first, _) = error else { return nil }
        return try DiffLogCursor(log, model: SectionedCollection(keepsChecksum: true), at: first)
    }
}

private func failure(_ body: () throws(DiffLogError) -> Void) -> DiffLogError? {
    do throws(DiffLogError) {
        try body()
        return nil
    } catch {
        // Formatting the error covers names of sections and numbers of rows.
        _ = error.description
        return error
    }
}

private func check(_ cursor: DiffLogCursor) {
    if let broken = cursor.model.snapshot.brokenInvariant() { fatalError("the model is broken: \(broken)") }
    require(cursor.states.contains(cursor.sequence), "a cursor outside of its log")
}

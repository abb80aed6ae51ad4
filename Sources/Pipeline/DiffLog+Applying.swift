package import SectionedModel

extension DiffLog {
    /// Applies a line to the model that the lines before it produced.
    ///
    /// If the model keeps a checksum, the checksum is compared with the line's before and after. When the function
    /// throws, the model is unchanged.
    ///
    /// - Parameters:
    ///   - line: The line, without its line feed.
    ///   - sequence: The result of the previous call; 0 for the first line.
    ///   - model: The model after the previous line.
    /// - Returns: The sequence number of the line.
    package static func apply(
        _ line: ArraySlice<UInt8>, after sequence: Int, to model: inout SectionedCollection<Item>
    ) throws(DiffLogError) -> Int {
        let line = try DiffLogLine(line)
        guard line.sequence == sequence + 1 else {
            throw .outOfOrder(expected: sequence + 1, found: line.sequence)
        }
        let batch = try line.batch { id throws(DiffLogError) in model.committed(id) }
        try apply(batch, of: line, entering: .before, to: &model)
        return line.sequence
    }

    /// Reverts a line of a reversible log. The model must be in the state after the line, and returns to the state
    /// before it.
    ///
    /// When the function throws, the model is unchanged.
    ///
    /// - Returns: The sequence number of the previous line.
    static func revert(
        _ line: ArraySlice<UInt8>, of sequence: Int, from model: inout SectionedCollection<Item>
    ) throws(DiffLogError) -> Int {
        let line = try DiffLogLine(line)
        guard line.sequence == sequence else { throw .outOfOrder(expected: sequence, found: line.sequence) }
        let batch = try line.batch { _ throws(DiffLogError) in throw .irreversible(sequence: sequence) }
        try apply(batch.inverted(), of: line, entering: .after, to: &model)
        return sequence - 1
    }

    /// Applies the batch of a line, or its inverse, to a model that is in the state on the given side of the line.
    private static func apply(
        _ batch: Batch<Item>, of line: DiffLogLine, entering side: DiffLogError.Side,
        to model: inout SectionedCollection<Item>
    ) throws(DiffLogError) {
        do {
            try model.apply(batch)
        } catch {
            if case .checksumDiffers(let after, let logged, let found) = error {
                let side: DiffLogError.Side = after == (side == .before) ? .after : .before
                throw .checksumDiffers(sequence: line.sequence, side: side, logged: logged, found: found)
            }
            throw .doesNotFit(sequence: line.sequence, message: error.description)
        }
    }
}

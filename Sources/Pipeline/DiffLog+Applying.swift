package import SectionedModel

extension DiffLog {
    /// Applies a line (without its line feed) to the model that the lines before it made; gives its sequence number,
    /// which is `sequence` of the next call (0 for the first). When it throws, the model stays as it was.
    ///
    /// A model that keeps a checksum is compared with what the line says of it, before and after.
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

    /// Takes a line of a reversible log back: the model, which is as the line left it, becomes what it was before. Gives the
    /// sequence number of the line before it. When it throws, the model stays as it was.
    static func revert(
        _ line: ArraySlice<UInt8>, of sequence: Int, from model: inout SectionedCollection<Item>
    ) throws(DiffLogError) -> Int {
        let line = try DiffLogLine(line)
        guard line.sequence == sequence else { throw .outOfOrder(expected: sequence, found: line.sequence) }
        let batch = try line.batch { _ throws(DiffLogError) in throw .irreversible(sequence: sequence) }
        try apply(batch.inverted(), of: line, entering: .after, to: &model)
        return sequence - 1
    }

    /// Applies the batch of a line, or its inverse, to a model that is on the side named.
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

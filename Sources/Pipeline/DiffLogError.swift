/// The reason why a line of a diff log cannot be applied or reverted.
package enum DiffLogError: Error, Hashable, Sendable {
    /// The state before a line or the state after it.
    package enum Side: String, Hashable, Sendable {
        case before, after
    }
    /// The text is not a line of a diff log. `offset` is a byte offset in the line.
    case unreadable(message: String, offset: Int)
    /// The line does not have the expected sequence number.
    case outOfOrder(expected: Int, found: Int)
    /// The batch does not fit the model to which it is applied.
    case doesNotFit(sequence: Int, message: String)
    /// The model's checksum on one side of the line differs from the checksum in the line.
    case checksumDiffers(sequence: Int, side: Side, logged: UInt64, found: UInt64)
    /// The line does not contain what it deleted or replaced, so it cannot be reverted.
    case irreversible(sequence: Int)
    /// The log has no state with this number; its states are those from `first` to `last`.
    case outside(Int, first: Int, last: Int)
}

extension DiffLogError: CustomStringConvertible {
    /// A description in one sentence, for people.
    package var description: String {
        switch self {
        case .unreadable(let message, let offset): "not a line of a diff log, at its byte \(offset): \(message)"
        case .outOfOrder(let expected, let found): "found line \(found) instead of line \(expected)"
        case .doesNotFit(let sequence, let message): "line \(sequence) does not fit the model: \(message)"
        case .checksumDiffers(let sequence, let side, let logged, let found):
            "line \(sequence): the checksum of the model \(side.rawValue) it is \(DiffLog.text(of: found)), "
                + "the line says \(DiffLog.text(of: logged))"
        case .irreversible(let sequence): "line \(sequence) lacks the replaced values and cannot be undone"
        case .outside(let sequence, let first, let last):
            "the log leads from state \(first) to state \(last), and not to \(sequence)"
        }
    }
}

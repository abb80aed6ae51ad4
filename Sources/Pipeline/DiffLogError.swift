/// Why a line of a diff log cannot be applied or taken back.
package enum DiffLogError: Error, Hashable, Sendable {
    /// One of the two states a line stands between.
    package enum Side: String, Hashable, Sendable {
        case before, after
    }
    /// The line is not one of a diff log; what is wrong and at which byte of the line.
    case unreadable(message: String, offset: Int)
    /// The line has another sequence number than the one that is due.
    case outOfOrder(expected: Int, found: Int)
    /// The batch does not fit the model it is applied to.
    case doesNotFit(sequence: Int, message: String)
    /// The model's checksum on one side of the line is another than the line says.
    case checksumDiffers(sequence: Int, side: Side, logged: UInt64, found: UInt64)
    /// The line does not hold what it deleted or replaced, so it cannot be taken back.
    case irreversible(sequence: Int)
    /// The log has no state of this number: its lines lead from the first to the last of these.
    case outside(Int, first: Int, last: Int)
}

extension DiffLogError: CustomStringConvertible {
    /// One sentence for people.
    package var description: String {
        switch self {
        case .unreadable(let message, let offset): "not a line of a diff log, at its byte \(offset): \(message)"
        case .outOfOrder(let expected, let found): "line \(found) stands where line \(expected) is due"
        case .doesNotFit(let sequence, let message): "line \(sequence) does not fit the model: \(message)"
        case .checksumDiffers(let sequence, let side, let logged, let found):
            "line \(sequence): the checksum of the model \(side.rawValue) it is \(DiffLog.text(of: found)), "
                + "the line says \(DiffLog.text(of: logged))"
        case .irreversible(let sequence): "line \(sequence) does not hold what it replaced and cannot be taken back"
        case .outside(let sequence, let first, let last):
            "the log leads from state \(first) to state \(last), and not to \(sequence)"
        }
    }
}

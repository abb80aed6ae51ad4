/// An error of a model operation. The model is unchanged when one is thrown.
public enum ModelError: Error, Hashable, Sendable {
    /// An id or a key does not equal itself, as a floating-point NaN does not: it has no position in an order.
    case unorderedKey
    /// There is no element at this path.
    case noElement(SectionPath)
    /// There is no section with this index.
    case noSection(Int)
    /// There is no element with the given id.
    case unknownID
    /// The unique value of an entity differs after a change or a merge.
    case changedID
    /// Two elements of one array have the same id. The index, from 0, is that of the second.
    case duplicateID(at: Int)
    /// A batch is not well formed or does not fit the state. The text contains the reason and the position.
    case badBatch(String)
    /// A checksum differs from the one in the batch: that of the state to which the batch is applied or, with `after`,
    /// that of the state to which it leads.
    case checksumDiffers(after: Bool, expected: UInt64, found: UInt64)
}

extension ModelError: CustomStringConvertible {
    /// The error as one sentence for people.
    public var description: String {
        switch self {
        case .unorderedKey: "an id or a key is not equal to itself and has no place in an order"
        case .noElement(let path): "no element at \(path)"
        case .noSection(let index): "no section \(index)"
        case .unknownID: "no element has this id"
        case .changedID: "the unique value of an entity must not change"
        case .duplicateID(let index): "the element at index \(index) has the id of an earlier one"
        case .badBatch(let message): message
        case .checksumDiffers(let after, _, _):
            after
                ? "the batch leads to a state other than recorded: the checksums differ"
                : "the batch is for another state: the checksums differ"
        }
    }
}

/// Why the model does not do what it was asked to do; it is then as it was before.
public enum ModelError: Error, Hashable, Sendable {
    /// An id or a key that is not equal to itself, as a floating-point NaN: it has no place in an order.
    case unorderedKey
    /// There is no element at this path.
    case noElement(SectionPath)
    /// There is no section with this index.
    case noSection(Int)
    /// There is no element with the id that was named.
    case unknownID
    /// An entity that was changed or merged has another unique value than before.
    case changedID
    /// Two elements of one array have the same id; the index, from 0, of the second.
    case duplicateID(at: Int)
    /// A batch that is not well formed or does not fit the state; what is wrong, and where.
    case badBatch(String)
    /// The checksum of the state a batch is applied to, or of the one it leads to (`after`), is another than the batch says.
    case checksumDiffers(after: Bool, expected: UInt64, found: UInt64)
}

extension ModelError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .unorderedKey: "an id or a key is not equal to itself and has no place in an order"
        case .noElement(let path): "there is no element at \(path)"
        case .noSection(let index): "there is no section \(index)"
        case .unknownID: "there is no element with this id"
        case .changedID: "the unique value of an entity must not change"
        case .duplicateID(let index): "the element at index \(index) has the id of an earlier one"
        case .badBatch(let message): message
        case .checksumDiffers(let after, _, _):
            after
                ? "the batch leads to another state than it says: the checksums differ"
                : "the batch is for another state: the checksums differ"
        }
    }
}

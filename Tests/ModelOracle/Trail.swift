import SectionedModel

/// The batches of a history so far, and what has to hold of several of them together.
struct Trail {
    mutating func append(_ batch: Batch<Row>, from old: State, to new: State) -> [String] { [] }
}

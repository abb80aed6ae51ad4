/// What waits for one reader: batches in order or, when it lags behind, one reset with the newest state.
///
/// The reader keeps up with batches or starts anew; in no case does the writer wait, and never do more than `capacity` batches
/// wait here. This is the decision only: who hands the feed from the writer's thread to the reader's guards it by a lock of its own.
public struct ChangeFeed<Element: SectionedElement>: Sendable {
    /// What a reader is given.
    public enum Delivery: Sendable {
        /// To be applied one after the other to the state the reader has; that leads to the snapshot.
        case batches([Batch<Element>], SectionedSnapshot<Element>)
        /// To be taken instead of the state the reader has: there were too many batches, or this is the first it hears.
        case reset(SectionedSnapshot<Element>)
    }

    @usableFromInline
    enum State: Sendable {
        /// Nothing new. A batch makes it `waiting`.
        case idle
        /// At least one batch. One too many makes it `lagging`; a delivery, `idle`.
        case waiting([Batch<Element>], SectionedSnapshot<Element>)
        /// Batches do not count until the reader has the newest state; a delivery makes it `idle`.
        case lagging(SectionedSnapshot<Element>)
    }

    /// The most batches that wait.
    public let capacity: Int
    @usableFromInline
    var state: State

    /// A feed whose first delivery is a reset to the state the reader starts from.
    @inlinable
    public init(startingWith snapshot: SectionedSnapshot<Element>, capacity: Int = 16) {
        self.capacity = capacity
        state = .lagging(snapshot)
    }

    /// Whether nothing waits to be taken.
    @inlinable
    public var isIdle: Bool {
        switch state {
        case .idle: true
        case .waiting, .lagging: false
        }
    }

    /// Takes in what a transaction did and the state it led to. Every batch of the model must be offered, in order.
    @inlinable
    public mutating func offer(_ batch: Batch<Element>, _ snapshot: SectionedSnapshot<Element>) {
        switch state {
        case .idle: state = capacity > 0 ? .waiting([batch], snapshot) : .lagging(snapshot)
        case .waiting(let batches, _) where batches.count >= capacity: state = .lagging(snapshot)
        case .waiting(var batches, _):
            state = .idle
            batches.append(batch)
            state = .waiting(batches, snapshot)
        case .lagging: state = .lagging(snapshot)
        }
    }

    /// Gives all that waits; nil when nothing does.
    @inlinable
    public mutating func take() -> Delivery? {
        defer { state = .idle }
        switch state {
        case .idle: return nil
        case .waiting(let batches, let snapshot): return .batches(batches, snapshot)
        case .lagging(let snapshot): return .reset(snapshot)
        }
    }
}

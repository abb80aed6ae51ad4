/// The changes that wait for one reader: batches in order or, if the reader lags behind, one
/// reset with the newest state.
///
/// The reader keeps up with batches or starts over from the whole state. The writer never waits, and at most `capacity` batches wait here.
/// The feed has no lock: the code that passes it from the writer's thread to the reader's must guard it.
public struct ChangeFeed<Element: SectionedElement>: Sendable {
    /// A delivery to the reader.
    public enum Delivery: Sendable {
        /// Batches to apply one after the other to the reader's state, which leads to the snapshot.
        case batches([Batch<Element>], SectionedSnapshot<Element>)
        /// A state that replaces the reader's: there were too many batches, or this is the first delivery.
        case reset(SectionedSnapshot<Element>)
    }

    @usableFromInline
    enum State: Sendable {
        /// Nothing waits. A batch makes it `waiting`.
        case idle
        /// At least one batch waits. One too many makes it `lagging`; a delivery makes it `idle`.
        case waiting([Batch<Element>], SectionedSnapshot<Element>)
        /// Batches are ignored until the reader has the newest state. A delivery makes it `idle`.
        case lagging(SectionedSnapshot<Element>)
    }

    /// The maximum number of batches that wait.
    public let capacity: Int
    @usableFromInline
    var state: State

    /// Creates a feed whose first delivery is a reset to the state that the reader starts from.
    @inlinable
    public init(startingWith snapshot: SectionedSnapshot<Element>, capacity: Int = 16) {
        self.capacity = capacity
        state = .lagging(snapshot)
    }

    /// Whether there is nothing to deliver.
    @inlinable
    public var isIdle: Bool {
        switch state {
        case .idle: true
        case .waiting, .lagging: false
        }
    }

    /// Adds the batch of a transaction and the state that it led to. Every batch of the model
    /// must be offered, in order.
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

    /// Returns everything that waits; `nil` if there is nothing.
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

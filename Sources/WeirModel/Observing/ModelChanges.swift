/// The changes of an observed model as an asynchronous sequence, for one reader on any task or thread.
///
/// The first delivery is a reset to the state at the call of `changes(limit:)`. Each further one has all batches since
/// the last delivery or, if these are more than the limit, a reset with the newest state. So no change is lost, the
/// writer never waits, and the model keeps the newest batches only. The sequence ends with the model.
public struct ModelChanges<Entity: ModelEntity>: AsyncSequence, Sendable {
    /// A delivery to the reader.
    public typealias Element = ChangeFeed<EntityRow<Entity>>.Delivery

    /// The newest batches and the state after them: enough for a reader that missed some. The stream holds one, and a
    /// newer one replaces it.
    @usableFromInline
    struct News: Sendable {
        @usableFromInline var batches: [Batch<EntityRow<Entity>>] = []
        /// The number of batches so far.
        @usableFromInline var count = 0
        @usableFromInline var rows: SectionedSnapshot<EntityRow<Entity>>

        @inlinable
        init(_ rows: SectionedSnapshot<EntityRow<Entity>>) { self.rows = rows }
    }

    @usableFromInline
    let news: AsyncStream<News>

    @inlinable
    init(_ news: AsyncStream<News>) { self.news = news }

    /// Receives the deliveries. The reader's task waits while there is nothing new.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline
        var news: AsyncStream<News>.Iterator
        /// The number of batches delivered; `nil` before the first reset.
        @usableFromInline
        var count: Int?

        @inlinable
        init(_ news: AsyncStream<News>.Iterator) { self.news = news }

        /// Returns the next delivery; `nil` if the model is gone or the task is cancelled.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            guard let news = await news.next(isolation: actor) else { return nil }
            let missed = count.map { news.count - $0 }
            count = news.count
            guard let missed, missed <= news.batches.count else { return .reset(news.rows) }
            return .batches(news.batches.suffix(missed), news.rows)
        }

        /// Returns the next delivery; `nil` if the model is gone or the task is cancelled.
        @inlinable
        public mutating func next() async -> Element? { await next(isolation: nil) }
    }

    /// Starts to receive. Only one iterator may be used.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(news.makeAsyncIterator()) }
}

extension ObservedModel {
    /// Ends the stream when the model releases its subscriber.
    @usableFromInline
    final class Sender {
        @usableFromInline var news: ModelChanges<Entity>.News
        @usableFromInline let stream: AsyncStream<ModelChanges<Entity>.News>.Continuation

        @inlinable
        init(_ news: ModelChanges<Entity>.News, _ stream: AsyncStream<ModelChanges<Entity>.News>.Continuation) {
            self.news = news
            self.stream = stream
            stream.yield(news)
        }

        @inlinable
        deinit { stream.finish() }
    }

    /// Returns the changes from now on, including those that are silent for observers. A reader that missed more
    /// than `limit` batches receives a reset.
    @inlinable
    public func changes(limit: Int = 16) -> ModelChanges<Entity> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ModelChanges<Entity>.News.self, bufferingPolicy: .bufferingNewest(1))
        let sender = Sender(.init(snapshot.rows), continuation)
        var subscription: Subscription?
        subscription = subscribe { [weak self] change in
            sender.news.batches = (sender.news.batches + [change.batch]).suffix(max(limit, 0))
            sender.news.count += 1
            sender.news.rows = change.snapshot.rows
            if case .terminated = sender.stream.yield(sender.news) { subscription.map { self?.cancel($0) } }
        }
        return ModelChanges(stream)
    }
}

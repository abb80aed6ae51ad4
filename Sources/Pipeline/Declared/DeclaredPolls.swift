import Events
import SectionedModel

/// Whether the polling of one row continues.
enum RowPoll: Hashable, Sendable {
    case running
    /// The user cancelled the polling, or the server refused it. It restarts only after the row was removed and came
    /// back.
    case stopped
}

// Polls single rows: a read with `each` is fetched for every row of an entity, until the row satisfies `until`.
//
//     row exists ──► fetch ──answer──► wait `every` ──► fetch …
//                      │                 │
//                      │ refused, tag    │ `until` holds, or the row is gone
//                      ▼                 ▼
//                   stopped            over
extension DeclaredBackend {
    /// Puts a row from an answer or an event into the model.
    mutating func put(_ item: Item, over known: Item?, into context: inout HandlerContext) {
        if item != known { context.model.put(item) }
        watch(item, isNew: known == nil, into: &context)
    }

    /// Starts or ends the polling of a row, according to its new state.
    mutating func watch(_ item: Item, isNew: Bool, into context: inout HandlerContext) {
        for read in readsOfRows[item.id.kind.rawValue] ?? [] {
            let resource = DeclaredResource(read, of: item.id)
            if let until = read.until, let row = item.entity.as(DeclaredRow.self), until.holds(of: row.json) {
                end(resource, into: &context)
            } else if rowPolls[resource] == nil || isNew {
                rowPolls[resource] = .running
                context.fetch(ResourceKey(resource))
            }
        }
    }

    /// Ends the polling of a row, and drops its pending request.
    mutating func end(_ resource: DeclaredResource, into context: inout HandlerContext) {
        polls[resource] = nil
        guard rowPolls.removeValue(forKey: resource) == .running else { return }
        context.plans.append(.forget(ResourceKey(resource)))
    }

    /// Remembers that a row is not polled any more. Forgets the rows that no longer exist: when one returns, its polling restarts anyway.
    mutating func stop(_ resource: DeclaredResource, in model: SectionedCollection<Item>) {
        rowPolls[resource] = .stopped
        rowPolls = rowPolls.filter { resource, poll in poll == .running || resource.row.map { model[$0] != nil } == true
        }
    }

    /// Fetches the read for every row that is being polled.
    func fetchRows(of read: Profile.Read, into context: inout HandlerContext) {
        for resource in running where resource.read == read.name { context.fetch(ResourceKey(resource)) }
    }

    private var running: [DeclaredResource] { rowPolls.filter { $0.value == .running }.keys.sorted() }

    private func tag(of resource: DeclaredResource) -> String? {
        reads[resource.read]?.tag?.filled { _ in resource.row?.id.description }
    }

    var tags: [String] { running.compactMap(tag) }

    mutating func cancel(tag: String, into context: inout HandlerContext) {
        for resource in running where self.tag(of: resource) == tag {
            end(resource, into: &context)
            stop(resource, in: context.model)
            context.notice(.info, "\(ResourceKey(resource).resource.label) is not asked any more: it was cancelled")
        }
    }
}

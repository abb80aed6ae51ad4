import Events
import SectionedModel

/// Whether a read of one row is asked again.
enum RowPoll: Hashable, Sendable {
    case running
    /// The user stopped it, or the server refused it: it begins again only when the row has been away.
    case stopped
}

// Reads that are asked for each row by itself (`each`), until the row is as `until` says.
//
//     row is there ──► asked ──answer──► wait `every` ──► asked …
//                        │                 │
//                        │ refused, tag    │ `until` holds, or the row is gone
//                        ▼                 ▼
//                     stopped            over
extension DeclaredBackend {
    /// Puts a row that was read, or that an event carries.
    mutating func put(_ item: Item, over known: Item?, into transaction: inout Transaction) {
        if item != known { transaction.model.put(item) }
        watch(item, isNew: known == nil, into: &transaction)
    }

    /// The reads of rows like this one begin or end.
    mutating func watch(_ item: Item, isNew: Bool, into transaction: inout Transaction) {
        for read in readsOfRows[item.id.kind.rawValue] ?? [] {
            let resource = DeclaredResource(read, of: item.id)
            if let until = read.until, let row = item.entity.as(DeclaredRow.self), until.holds(of: row.json) {
                end(resource, into: &transaction)
            } else if rowPolls[resource] == nil || isNew {
                rowPolls[resource] = .running
                transaction.fetch(ResourceKey(resource))
            }
        }
    }

    /// Nothing is asked about the row any more.
    mutating func end(_ resource: DeclaredResource, into transaction: inout Transaction) {
        polls[resource] = nil
        guard rowPolls.removeValue(forKey: resource) == .running else { return }
        transaction.plans.append(.forget(ResourceKey(resource)))
    }

    /// Asks again about each row about which anything is asked.
    func fetchRows(of read: Profile.Read, into transaction: inout Transaction) {
        for resource in running where resource.read == read.name { transaction.fetch(ResourceKey(resource)) }
    }

    private var running: [DeclaredResource] { rowPolls.filter { $0.value == .running }.keys.sorted() }

    private func tag(of resource: DeclaredResource) -> String? {
        reads[resource.read]?.tag?.filled { _ in resource.row?.id.description }
    }

    var tags: [String] { running.compactMap(tag) }

    mutating func cancel(tag: String, into transaction: inout Transaction) {
        for resource in running where self.tag(of: resource) == tag {
            end(resource, into: &transaction)
            rowPolls[resource] = .stopped
            transaction.notice(.info, "\(ResourceKey(resource).resource.label) is not asked any more: it was cancelled")
        }
    }
}

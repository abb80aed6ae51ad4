import WeirModel

struct Contact: ModelEntity {
    let phone: String
    var first: String
    var last: String

    var uniqueValue: String { phone }
    subscript(key: String) -> String? { nil }
}

/// A list of contacts by initial. It prints what a table view would animate.
@MainActor final class ContactScreen {
    let model = ObservedModel(
        EntityModel<Contact>(sectionedBy: { $0.last.first.map { String($0).uppercased() } }))

    func show(_ contacts: [Contact]) throws { try model.apply(difference: contacts) }
}

@main enum ContactsSample {
    @MainActor static func main() async throws {
        let screen = ContactScreen()
        // A reader, which may be another task. If it is too slow for the changes, it gets a reset instead.
        var deliveries = screen.model.changes().makeAsyncIterator()
        func draw() async {
            switch await deliveries.next() {
            case .batches(let batches, let rows):
                for batch in batches {
                    let counts = [
                        batch.deletions.count, batch.insertions.count, batch.moves.count, batch.updates.count,
                    ]
                    print("deleted, inserted, moved, updated: \(counts)")
                }
                print(rows.elements.map(\.entity.last).joined(separator: ", "))
            case .reset(let rows): print("\(rows.elements.count) rows")
            case nil: break
            }
        }
        await draw()
        try screen.show([
            Contact(phone: "1", first: "Ada", last: "Lovelace"), Contact(phone: "2", first: "Alan", last: "Turing"),
            Contact(phone: "3", first: "Edsger", last: "Dijkstra"),
        ])
        await draw()
        // A list that was fetched again: one contact is gone, one has another name, and one is new.
        try screen.show([
            Contact(phone: "1", first: "Ada", last: "King"), Contact(phone: "3", first: "Edsger", last: "Dijkstra"),
            Contact(phone: "4", first: "Grace", last: "Hopper"),
        ])
        await draw()
    }
}

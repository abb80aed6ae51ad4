import WeirEvents
import WeirModel

/// The optimistic changes that the model shows in addition to the server's state: rows that actions will create, change
/// or delete.
///
/// Handlers never see the overlay. The session lifts it before it handles an input, and lays it again before it commits
/// the model. The server's state is therefore never mixed with wishes, and a refused wish disappears because it is not
/// laid again. The overlay removes no row from the model: it marks a row to be deleted as `leaving`, so that code that
/// compares a section with a list still finds the row.
struct Overlay: Sendable {
    /// The covered rows, with the server's row under each; `nil` under a row that only the overlay shows.
    private var truth: [(id: Item.ID, row: Item?)] = []
    private var covered: Set<Item.ID> = []

    var isEmpty: Bool { truth.isEmpty }

    /// Shows a row in place of the row with the same id.
    mutating func put(_ row: Item, in model: inout SectionedCollection<Item>) {
        if covered.insert(row.id).inserted { truth.append((row.id, model[row.id])) }
        model.put(row)
    }

    /// Shows an existing row with another entity.
    mutating func change(
        _ id: Item.ID, _ view: ActionView, in model: inout SectionedCollection<Item>, _ body: (Item) -> Item.Entity?
    ) {
        guard let row = model[id], let entity = body(row) else { return }
        put(
            Item(
                id: id, section: row.sectionKey, sortKey: row.sortKey, entity: entity,
                delivery: row.delivery ?? view.delivery), in: &model)
    }

    /// Marks a row that is about to be deleted.
    mutating func leave(_ id: Item.ID, in model: inout SectionedCollection<Item>) {
        guard let row = model[id] else { return }
        put(row.shown(as: .leaving), in: &model)
    }

    /// Restores the server's state of all covered rows.
    mutating func lift(from model: inout SectionedCollection<Item>) {
        for (id, row) in truth {
            if let row { model.put(row) } else { model.remove(id) }
        }
        truth.removeAll(keepingCapacity: true)
        covered.removeAll(keepingCapacity: true)
    }
}

extension Item {
    /// Returns the row with another delivery state.
    func shown(as delivery: Delivery) -> Item {
        Item(id: id, section: sectionKey, sortKey: sortKey, entity: entity, delivery: delivery)
    }
}

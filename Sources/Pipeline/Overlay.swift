import Events
import SectionedModel

/// What the model shows beside the server's truth: rows that actions will make, change or take away.
///
/// Handlers never see it: it is lifted before an input is handled and laid again before the model is committed. So the truth is
/// never mixed with a wish, and a refused wish is gone by not being laid again. Nothing is removed from the model for a wish:
/// what is to go is marked `leaving`, so that whoever compares a section with a list still finds it.
struct Overlay: Sendable {
    /// The rows that are covered, with what they are without.
    private var truth: [(id: Item.ID, row: Item?)] = []
    private var covered: Set<Item.ID> = []

    var isEmpty: Bool { truth.isEmpty }

    /// Shows a row instead of the one of its id.
    mutating func put(_ row: Item, in model: inout SectionedCollection<Item>) {
        if covered.insert(row.id).inserted { truth.append((row.id, model[row.id])) }
        model.put(row)
    }

    /// Shows another entity in a row that is there.
    mutating func change(
        _ id: Item.ID, _ view: ActionView, in model: inout SectionedCollection<Item>, _ body: (Item) -> Item.Entity?
    ) {
        guard let row = model[id], let entity = body(row) else { return }
        put(
            Item(
                id: id, section: row.sectionKey, sortKey: row.sortKey, entity: entity,
                delivery: row.delivery ?? view.delivery), in: &model)
    }

    /// Shows that a row is to go.
    mutating func leave(_ id: Item.ID, in model: inout SectionedCollection<Item>) {
        guard let row = model[id] else { return }
        put(row.shown(as: .leaving), in: &model)
    }

    /// Makes the model the truth again, as far as it is covered.
    mutating func lift(from model: inout SectionedCollection<Item>) {
        for (id, row) in truth {
            if let row { model.put(row) } else { model.remove(id) }
        }
        truth.removeAll(keepingCapacity: true)
        covered.removeAll(keepingCapacity: true)
    }
}

extension Item {
    /// The same row with a word on what the server knows of it.
    func shown(as delivery: Delivery) -> Item {
        Item(id: id, section: sectionKey, sortKey: sortKey, entity: entity, delivery: delivery)
    }
}

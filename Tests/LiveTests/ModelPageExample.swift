import WeirModel

/// An entity in the list.
struct Contact: ModelEntity {
    let phoneNumber: String
    var firstName: String
    var lastName: String

    var uniqueValue: String { phoneNumber }

    /// Returns the value by which a contact is assigned to a section.
    subscript(key: String) -> String? {
        key == "initial" ? lastName.first.map { String($0).uppercased() } : nil
    }
}

/// Logs each change. A table view would begin and end its updates in the will and did methods.
final class ContactList: ModelObserver {
    typealias Entity = Contact
    private(set) var lines: [String] = []

    func model(didChange contact: Contact, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?) {
        lines.append("\(type) \(contact.firstName)")
    }
}

/// Makes a model of contacts by their initials, with sorted sections and sorted contacts in each.
func makeContacts(_ contacts: [Contact], shownBy list: ContactList) throws -> ObservedModel<Contact> {
    let order = EntityOrder<Contact>.ascending(\.lastName).then(.ascending(\.firstName))
    let model = ObservedModel(EntityModel(sectionKey: "initial", sortedBy: order, sectionsSortedBy: .name))
    try model.fetch(contacts)
    model.add(list)
    return model
}

/// Performs several operations, which observers receive as one change.
func rename(_ contact: Contact, to name: String, in model: ObservedModel<Contact>) throws -> SectionPath? {
    try model.perform { contacts throws(ModelError) in
        try contacts.update(contact) { $0.lastName = name }
        try contacts.sortEntities(by: .ascending(\.firstName))
    }
    return model.path(for: contact)
}

/// Updates the copy of a reader on another thread: with batches in order, or with one reset if it was too slow.
func follow<Row>(_ feed: inout ChangeFeed<Row>, _ copy: inout SectionedCollection<Row>) throws {
    switch feed.take() {
    case .batches(let batches, _): for batch in batches { try copy.apply(batch) }
    case .reset(let snapshot):
        try copy.stageDifference(from: snapshot.elements)
        _ = copy.commit()
    case nil: break
    }
}

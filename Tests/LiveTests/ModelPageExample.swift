import SectionedModel

/// What the list shows.
struct Contact: ModelEntity {
    let phoneNumber: String
    var firstName: String
    var lastName: String

    var uniqueValue: String { phoneNumber }

    /// The section a contact belongs to.
    subscript(key: String) -> String? {
        key == "initial" ? lastName.first.map { String($0).uppercased() } : nil
    }
}

/// Draws what it is told; a table view would begin and end its updates in will and did.
final class ContactList: ModelObserver {
    typealias Entity = Contact
    private(set) var lines: [String] = []

    func model(didChange contact: Contact, at path: SectionPath?, for type: ModelChangeType, newPath: SectionPath?) {
        lines.append("\(type) \(contact.firstName)")
    }
}

/// Contacts by their initials, each section and all of them in order.
func makeContacts(_ contacts: [Contact], shownBy list: ContactList) throws -> ObservedModel<Contact> {
    let order = EntityOrder<Contact>.ascending(\.lastName).then(.ascending(\.firstName))
    let model = ObservedModel(EntityModel(sectionKey: "initial", sortedBy: order, sectionsSortedBy: .name))
    try model.fetch(contacts)
    model.add(list)
    return model
}

/// Any number of operations, told as one change.
func rename(_ contact: Contact, to name: String, in model: ObservedModel<Contact>) throws -> SectionPath? {
    try model.perform { contacts throws(ModelError) in
        try contacts.update(contact) { $0.lastName = name }
        try contacts.sortEntities(by: .ascending(\.firstName))
    }
    return model.path(for: contact)
}

/// What a reader on another thread keeps up with: batches in order, or one reset when it was too slow.
func follow<Row>(_ feed: inout ChangeFeed<Row>, _ copy: inout SectionedCollection<Row>) throws {
    switch feed.take() {
    case .batches(let batches, _): for batch in batches { try copy.apply(batch) }
    case .reset(let snapshot):
        try copy.stageDifference(from: snapshot.elements)
        _ = copy.commit()
    case nil: break
    }
}

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

    /// A deleted section has its old index only, an inserted one its new index only, and a moved one both.
    func model(
        didChange section: SectionInfo<Contact>, atSectionIndex index: Int?, for type: ModelChangeType,
        newSectionIndex newIndex: Int?
    ) {
        switch (index, newIndex) {
        case (let index?, let newIndex?): lines.append("move section \(section.name) from \(index) to \(newIndex)")
        case (let index?, nil): lines.append("delete section \(section.name) at \(index)")
        case (nil, let newIndex?): lines.append("insert section \(section.name) at \(newIndex)")
        case (nil, nil): break
        }
    }

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

/// A model that the user interface owns. Sections are named by a function instead of a key.
@MainActor
final class ContactScreen {
    private let model = ObservedModel(EntityModel<Contact>(sectionedBy: { $0.lastName.first.map(String.init) }))
    private let list = ContactList()

    init() { model.add(list) }

    func show(_ contacts: [Contact]) throws { try model.apply(difference: contacts) }
}

/// A model that an actor owns, for readers anywhere.
actor ContactBook {
    private let model = ObservedModel(EntityModel<Contact>(sectionKey: "initial"))

    /// The changes from now on.
    var changes: ModelChanges<Contact> { model.changes() }

    func insert(_ contacts: [Contact]) throws { try model.insert(contacts) }
}

/// Follows the book of another actor.
func follow(_ book: ContactBook, show: (SectionedSnapshot<EntityRow<Contact>>) -> Void) async {
    for await delivery in await book.changes {
        switch delivery {
        case .batches(_, let rows), .reset(let rows): show(rows)
        }
    }
}

import Events

/// What of a backend can be fetched, each with what its request needs to know.
protocol BackendResource: Hashable, Sendable {
    /// A short name for people.
    var label: String { get }
    /// What the resource belongs to.
    var tags: [RequestTag] { get }
    /// Whether the session cannot do without it, so that it is asked for until there is an answer.
    var isPersistent: Bool { get }
    /// Whether more than one room may be about it.
    var isShared: Bool { get }
    /// Whether it says something of a row that stays when the room is left.
    var outlivesRoom: Bool { get }
    /// Whether an answer of that status means that the resource does not exist.
    func isMissing(by status: Int) -> Bool
    /// Whether an answer of that status is to be read.
    func isSuccess(_ status: Int) -> Bool
}

extension BackendResource {
    var isShared: Bool { false }
    var outlivesRoom: Bool { false }
    func isMissing(by status: Int) -> Bool { status == 404 || status == 410 }
    func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status }
}

/// Names a resource of some backend, so that its refetches can be told apart and gathered.
struct ResourceKey: Hashable, Sendable {
    let resource: any BackendResource

    init(_ resource: some BackendResource) { self.resource = resource }

    static func == (a: ResourceKey, b: ResourceKey) -> Bool { a.resource.equals(b.resource) }
    func hash(into hasher: inout Hasher) { resource.hash(into: &hasher) }
}

/// What requests belong to. Leaving it cancels all of them, and only them.
enum RequestTag: Hashable, Sendable {
    case company(EntityID)
    /// `direct` is no workspace of its own: it comes with its company.
    case workspace(EntityID, company: EntityID)
    case channel(EntityID)
    case messages(of: EntityID)
}

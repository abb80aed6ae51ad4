import Events

/// A resource that a backend can fetch, with the parameters of its request.
protocol BackendResource: Hashable, Sendable {
    /// A short name of the resource, for people.
    var label: String { get }
    /// The companies, workspaces, channels and message lists that the resource belongs to.
    var tags: [RequestTag] { get }
    /// Whether the session depends on the resource, and retries it until it is answered.
    var isPersistent: Bool { get }
    /// Whether more than one room can require the resource.
    var isShared: Bool { get }
    /// Whether the resource describes a row that remains after the room is left.
    var outlivesRoom: Bool { get }
    /// Returns whether an answer with this status means that the resource does not exist.
    func isMissing(by status: Int) -> Bool
    /// Returns whether the body of an answer with this status must be read.
    func isSuccess(_ status: Int) -> Bool
}

extension BackendResource {
    var isShared: Bool { false }
    var outlivesRoom: Bool { false }
    func isMissing(by status: Int) -> Bool { status == 404 || status == 410 }
    func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status }
}

/// A key for a resource of any backend. The refetcher uses it to tell resources apart and to merge refetches.
struct ResourceKey: Hashable, Sendable {
    let resource: any BackendResource

    init(_ resource: some BackendResource) { self.resource = resource }

    static func == (a: ResourceKey, b: ResourceKey) -> Bool { a.resource.equals(b.resource) }
    func hash(into hasher: inout Hasher) { resource.hash(into: &hasher) }
}

/// The owner of a group of requests. Leaving it cancels exactly the requests of this group.
enum RequestTag: Hashable, Sendable {
    case company(EntityID)
    /// A workspace of a company. `direct` is not a workspace of its own: it is left with its company.
    case workspace(EntityID, company: EntityID)
    case channel(EntityID)
    case messages(of: EntityID)
}

import WeirEvents
import WeirJSON
import WeirModel
import WeirWire

// Creates the requests of the profile's reads, and applies their answers to the rows.
extension DeclaredBackend {
    /// Schedules the next request of a periodic read, counted from its last answer.
    private mutating func pollAgain(_ resource: DeclaredResource, at now: Moment) {
        guard resource.row == nil || rowPolls[resource] == .running else { return }
        if let span = reads[resource.read]?.every { polls[resource] = now + span }
    }

    func fetch(_ name: String, of room: String?, into context: inout HandlerContext) {
        guard let read = reads[name] else { return }
        guard read.each == nil else { return fetchRows(of: read, into: &context) }
        context.fetch(ResourceKey(DeclaredResource(read, of: room)))
    }

    func request(for key: ResourceKey, page: String?) -> RESTCall? {
        guard let resource = key.declared, let read = reads[resource.read] else { return nil }
        return endpoint(read, resource, page: page, pages: 0)?.call
    }

    func service(_ name: String?) -> Profile.Service? {
        name.flatMap { name in profile.services.first { $0.name == name } } ?? profile.services.first
    }

    /// Returns a text with percent encoding, for a path or a query.
    static func encoded(_ text: String) -> String { (("\(text)") as RESTTarget).text }

    private func endpoint(
        _ read: Profile.Read, _ resource: DeclaredResource, page: String?, pages: Int
    ) -> Endpoint<[Profile.Entity.Reading]>? {
        let (places, row) = (places(resource.room, nil), resource.row)
        let name = row.map { $0.kind.rawValue + ".id" }
        let values = { $0 == name ? row?.id.description : places($0) }
        guard let call = call(of: read, values, page: page) else { return nil }
        let entity = read.entity.flatMap { entities[$0] }
        return Endpoint(call) { body, sieve throws(DecodingFailure) in
            try read.rows(of: entity, in: body, page: page, isLast: pages + 1 >= read.pages?.most ?? 1, sieve)
        }
    }

    /// Returns the request of a read, or `nil` when a place has no value.
    func call(of read: Profile.Read, _ values: (String) -> String?, page: String? = nil) -> RESTCall? {
        guard var target = read.get.filled(values, encoded: Self.encoded) else { return nil }
        var query: [(String, String)] = []
        for parameter in read.query {
            guard let value = parameter.value.filled(values) else { return nil }
            query.append((parameter.name, value))
        }
        if let pages = read.pages, let page = page ?? pages.from.map(String.init) { query.append((pages.query, page)) }
        for (name, value) in query {
            target += (target.contains("?") ? "&" : "?") + Self.encoded(name) + "=" + Self.encoded(value)
        }
        return call(.get, target, of: read.service)
    }

    /// Returns a request to a service. `path` follows the path of the service.
    func call(_ method: RESTCall.Method, _ path: String, body: RawJSON? = nil, of name: String?) -> RESTCall {
        let service = service(name)
        var call = RESTCall(
            method, RESTTarget(stringLiteral: (service?.basePath ?? "") + path),
            body: body.map { Array($0.bytes) } ?? [],
            carriesToken: service?.token ?? true)
        if let service, service.hasOwnAddress { call.service = service.name }
        return call
    }

    mutating func apply(
        _ body: ArraySlice<UInt8>, of key: ResourceKey, isCurrent: Bool, into context: inout HandlerContext
    ) throws(DecodingFailure) {
        guard let resource = key.declared, let read = reads[resource.read] else { return }
        let paging = context.refetcher.paging[key]
        guard let endpoint = endpoint(read, resource, page: paging?.next, pages: paging?.pages ?? 0) else { return }
        guard let rows = try context.list(of: key, to: endpoint, body) else { return }
        told.wentWell(key)
        if let row = resource.row, context.model[row] == nil { return end(resource, into: &context) }
        pollAgain(resource, at: context.now)
        if read.name == profile.account, let first = rows.first { learn(user: first.id, into: &context) }
        guard let entity = read.entity.flatMap({ entities[$0] }) else { return }
        let parent = resource.room.map { EntityID(profile.id(ofRoom: $0)) }
        var listed: [Item.ID: Item] = [:]
        var news: [Item.ID] = []
        for row in rows {
            let id = entity.itemID(row.id)
            let known = context.model[id]
            if let known { context.confirmed.append(known) }
            if let known, entity.once || !isCurrent && entity.freshness(row, known, isWhole: true) != .newer {
                listed[id] = known
                continue
            }
            let item = entity.row(row, over: known, parent: parent)
            listed[id] = item
            if known == nil { news.append(id) }
            put(item, over: known, into: &context)
        }
        if read.name == profile.rooms?.list {
            listedNames = [:]
            for item in listed.values {
                guard let name = item.channelName?.lowercased() else { continue }
                listedNames[name] = min(listedNames[name] ?? item.id.id.description, item.id.id.description)
            }
            for row in rows { context.want(profile.room(of: row.id.description)) }
        }
        guard context.leftOut.isHarmless, read.replaces != .none else { return }
        // Some rows of an overtaken answer may already be gone.
        guard isCurrent else { return unproven.formUnion(news) }
        remove(read, section(of: entity, resource.room), butNot: listed, into: &context)
    }

    /// Removes the held rows that the answer should have listed.
    private mutating func remove(
        _ read: Profile.Read, _ section: Item.Section, butNot listed: [Item.ID: Item],
        into context: inout HandlerContext
    ) {
        let first = read.replaces == .window ? listed.values.map(\.sortKey).min() ?? .min : .min
        for row in context.model.rows(in: section) {
            let isDoubted = [doubted.remove(row.id), unproven.remove(row.id)].contains { $0 != nil }
            guard listed[row.id] == nil, row.sortKey >= first || isDoubted else { continue }
            context.model.remove(row.id)
            guard read.name == profile.rooms?.list else { continue }
            context.plans.append(.unwant(room: profile.room(of: row.id.id.description)))
        }
    }

    private mutating func learn(user id: EntityID, into context: inout HandlerContext) {
        guard user != id.description else { return }
        user = id.description
        subscribeToOwn(into: &context)
        context.plans.append(.account(id))
    }

    mutating func gone(_ key: ResourceKey, body: ArraySlice<UInt8>, into context: inout HandlerContext) -> Bool {
        guard let resource = key.declared, let read = reads[resource.read] else { return true }
        if resource.row == nil || read.missing == .ignore { pollAgain(resource, at: context.now) }
        guard !body.isPage else {
            tell(key, "something before the service answers with a page (404)", into: &context)
            context.fetch(key, after: Self.waitAfterPage)
            return false
        }
        guard read.missing == .remove, let entity = read.entity.flatMap({ entities[$0] }) else {
            tell(key, "the service has no such resource (404)", into: &context)
            return true
        }
        if let row = resource.row {
            end(resource, into: &context)
            if context.model[row] != nil { context.model.remove(row) }
            return true
        }
        for row in context.model.rows(in: section(of: entity, resource.room)) { context.model.remove(row.id) }
        return true
    }

    private static let waitAfterPage: Duration = .seconds(30)

    mutating func failed(_ key: ResourceKey, why: String, _ answer: Answer?, into context: inout HandlerContext) {
        guard let resource = key.declared else { return }
        // Only on these connections does a refused read of the account show that the token is bad. On Bayeux, without
        // that read, the user's channel cannot even be named.
        let isTold = profile.realtime.transport == .bayeux || profile.realtime.transport == .none
        if isTold, resource.read == profile.account, why == Refetcher.tokenRefusal {
            return context.plans.append(.tokenRefused("the service does not accept the token"))
        }
        var why = why
        if case .response(let status, let body, _)? = answer {
            if let words = reads[resource.read]?.why?.words(in: body) { why = "\(words.prefix(300)) (\(why))" }
            // A service that refuses one row means it; polling on would be useless.
            if resource.row != nil, 400..<500 ~= status, !Refetcher.isPassing(status), status != 401, status != 403 {
                stop(resource, in: context.model)
                why += "; it is not asked again"
            }
        }
        pollAgain(resource, at: context.now)
        tell(key, why, into: &context)
    }

    private mutating func tell(_ key: ResourceKey, _ why: String, into context: inout HandlerContext) {
        guard told.isNews(key) else { return }
        context.notice(.warning, "\(key.resource.label) cannot be fetched: \(why)")
    }
}

/// A read of a profile as a refetch key, for a room or a single row if the read names one.
struct DeclaredResource: BackendResource, Comparable {
    let read: String
    let room: String?
    let row: Item.ID?
    private let id: EntityID?

    init(_ read: Profile.Read, of room: String?) {
        self.read = read.name
        // A read that names no room has one key, whichever room caused it.
        let isOfRoom = (read.get.places + read.query.flatMap(\.value.places)).contains { $0 == "room" || $0 == "id" }
        self.room = isOfRoom ? room : nil
        id = self.room.map { EntityID($0) }
        row = nil
    }

    init(_ read: Profile.Read, of row: Item.ID) { (self.read, self.row, room, id) = (read.name, row, nil, nil) }

    var label: String { (room ?? row?.id.description).map { "\(read) of \($0)" } ?? read }
    var tags: [RequestTag] { id.map { [.channel($0)] } ?? [] }
    /// Lists are retried until they succeed, because the model needs them. A refused read of one row ends.
    var isPersistent: Bool { row == nil }
    var isShared: Bool { room == nil }

    static func < (a: Self, b: Self) -> Bool { (a.read, a.room ?? "", a.rowText) < (b.read, b.room ?? "", b.rowText) }
    private var rowText: String { row?.id.description ?? "" }
}

extension ResourceKey {
    var declared: DeclaredResource? { resource as? DeclaredResource }
}

extension Profile.Read {
    /// Decodes the rows of an answer, and notes the cursor of the next page in the sieve.
    func rows(
        of entity: Profile.Entity?, in body: ArraySlice<UInt8>, page: String?, isLast: Bool, _ sieve: RowSieve
    ) throws(DecodingFailure) -> [Profile.Entity.Reading] {
        let answer: RawJSON
        do throws(JSONError) { answer = try RawJSON(checking: body) } catch {
            throw DecodingFailure(subject: name, message: error.description, offset: 0)
        }
        guard let entity else { return [] }
        guard let found = (rows ?? .whole).inValue.value(in: answer) else {
            throw DecodingFailure(subject: name, message: "nothing at \(rows?.text ?? ".")", offset: 0)
        }
        let elements = found.elements
        var readings: [Profile.Entity.Reading] = []
        for element in elements {
            do throws(Profile.Entity.Unreadable) { readings.append(try entity.reading(element)) } catch {
                // If the whole answer is a single undecodable row, it is the wrong answer.
                if element == found { throw DecodingFailure(subject: name, message: error.message, offset: 0) }
                sieve.leaveOut(element, DecodingFailure(subject: "row", message: error.message, offset: 0))
            }
        }
        guard let pages, !isLast else { return readings }
        if let next = pages.next?.inValue.value(in: answer)?.plainText { sieve.note(nextPage: next) }
        if let last = pages.last, let id = elements.last.flatMap({ last.inValue.value(in: $0)?.plainText }) {
            sieve.note(nextPage: id)
        }
        if let first = pages.from, !elements.isEmpty {
            sieve.note(nextPage: "\((page.flatMap { Int($0) } ?? first) + 1)")
        }
        return readings
    }
}

extension ArraySlice<UInt8> {
    /// Whether the body is an HTML page, which comes from an intermediary and not from the service.
    var isPage: Bool { first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "<") }
}

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

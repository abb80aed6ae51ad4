import WeirJSON
import WeirNetwork
import WeirPipeline
package import WeirWire

// The REST API: one route for each read and write of the profile.
extension DeclaredService {
    /// A request that matched a route, with the values of the route's placeholders.
    private struct Asked {
        var user: DeclaredUser?
        /// The placeholder values of the path, the query and the body. Earlier ones win.
        var values: [String: JSONValue]
        var query: [(name: String, value: String)]
        var body: JSONValue = .null

        func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
    }

    /// Answers a request with an optional bearer token, as `answer(_:at:)` does.
    package mutating func answer(
        _ method: String, _ target: String, body: [UInt8], bearer: String?, at now: Moment
    ) -> (status: Int, body: [UInt8], news: DeclaredNews?) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let request = ServerRequest(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : "",
            headers: bearer.map { [("authorization", "Bearer \($0)")] } ?? [], body: body)
        let (response, news) = answer(request, at: now)
        return (response.status, response.body, news)
    }

    /// Answers a request. `news` notifies other clients of the change it made.
    mutating func answer(_ request: ServerRequest, at now: Moment) -> (response: HTTPResponse, news: DeclaredNews?) {
        clock.asked(at: now)
        let query = PercentText.pairs(request.query)
        do throws(RESTError) {
            if request.method == "GET" {
                guard let (read, values) = read(for: request.path, query) else {
                    throw .notFound("no such path")
                }
                let user = try caller(request, service(read.service))
                let answer = try rows(read, Asked(user: user, values: values, query: query))
                return (Self.response(200, answer), nil)
            }
            if let answer = try login(request) { return (Self.response(200, answer), nil) }
            guard let (write, values) = write(for: request) else { throw .notFound("no such path") }
            do throws(RESTError) {
                let user = try caller(request, service(write.service))
                var asked = Asked(user: user, values: values, query: query)
                try read(request.body, for: write, into: &asked)
                let (status, answer, news) = try perform(write, asked, at: now)
                return (Self.response(status, answer), news)
            } catch {
                return (Self.response(error.status, Self.refusal(error, at: write.why)), nil)
            }
        } catch {
            return (Self.response(error.status, Self.refusal(error, at: nil)), nil)
        }
    }

    private static func refusal(_ error: RESTError, at why: ProfilePath?) -> JSONValue {
        var body = JSONValue.object([])
        (why.map(JSONPlace.init) ?? JSONPlace([.key("error")])).put(.string(error.message), into: &body)
        return body
    }

    private static func response(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("content-type", "application/json; charset=utf-8")], body: Array(body.raw.bytes))
    }

    /// Returns the user of the request's token; `nil` for a service without tokens.
    private func caller(_ request: ServerRequest, _ service: Profile.Service?) throws(RESTError) -> DeclaredUser? {
        guard service?.token ?? true else { return nil }
        var token = request.header((service?.header ?? "Authorization").lowercased())
        if service?.header == nil, let text = token, text.lowercased().hasPrefix("bearer ") {
            token = String(text.dropFirst(7))
        }
        guard let user = user(of: token, at: service) else { throw RESTError(status: 401, message: Self.wrongToken) }
        return user
    }

    // MARK: - Logging in

    /// Answers a login by the name or id of a user who has a token, and a renewal. Both return the user's token, which
    /// does not expire. Returns `nil` for any other request.
    private func login(_ request: ServerRequest) throws(RESTError) -> JSONValue? {
        guard let login = profile.login else { return nil }
        for call in [login.call, login.renew].compactMap({ $0 }) {
            guard let path = values(call.path, profile.services.first, in: request.path) else { continue }
            let body = (try? JSONValue(parsing: request.body[...])) ?? .null
            guard let told = call.body.map({ $0.values(in: body) }) ?? [:] else { continue }
            let given = path.merging(told) { first, _ in first }.compactMapValues(\.plainText)
            let token =
                if let refresh = given["refresh"] { user(of: refresh) == nil ? nil : refresh } else {
                    given["password"] == EraB.password ? given["user"].flatMap(token(of:)) : nil
                }
            guard let token else { throw RESTError(status: 403, message: "wrong name or password") }
            var answer = JSONValue.object([])
            for path in [login.token, login.refresh].compactMap({ $0 }) {
                JSONPlace(path).put(.string(token), into: &answer)
            }
            if let path = login.expires { JSONPlace(path).put(.integer(31_536_000), into: &answer) }
            return answer
        }
        return nil
    }

    // MARK: - Routes

    private func service(_ name: String?) -> Profile.Service? {
        name.flatMap { name in profile.services.first { $0.name == name } } ?? profile.services.first
    }

    /// Returns the values of a path's placeholders, or `nil` when the path does not match.
    private func values(_ template: Template, _ service: Profile.Service?, in path: String) -> [String: JSONValue]? {
        let prefix = service?.basePath ?? ""
        guard path.hasPrefix(prefix) else { return nil }
        let found = template.values(in: String(path.dropFirst(prefix.count)), stop: "/")
        // A placeholder is never empty.
        if found?.values.contains("") == true { return nil }
        return found?.mapValues { .string($0.percentDecoded(plusIsSpace: false)) }
    }

    /// Returns the read that matches a path and a query. Among several, the one that matches the most parameters wins.
    private func read(
        for path: String, _ query: [(name: String, value: String)]
    ) -> (Profile.Read, [String: JSONValue])? {
        var best: (read: Profile.Read, values: [String: JSONValue], score: Int)?
        for read in profile.reads {
            guard var values = values(read.get, service(read.service), in: path) else { continue }
            var score = 0
            for parameter in read.query {
                let given = query.first { $0.name == parameter.name }.flatMap { parameter.value.values(in: $0.value) }
                // People who try a path with curl leave out constant parameters.
                if given != nil { score += 1 } else if !parameter.value.places.isEmpty { score -= 1000 }
                for (name, text) in given ?? [:] { values[name] = .string(text) }
            }
            if score >= 0, score > best?.score ?? -1 { best = (read, values, score) }
        }
        return best.map { ($0.read, $0.values) }
    }

    private func write(for request: ServerRequest) -> (Profile.Write, [String: JSONValue])? {
        // The first write with a matching path is the fallback, so that its error is returned.
        var other: (Profile.Write, [String: JSONValue])?
        for write in profile.writes where write.method.rawValue.uppercased() == request.method {
            guard let values = values(write.path, service(write.service), in: request.path) else { continue }
            // The body selects between writes of the same path.
            let body = try? JSONValue(parsing: request.body[...])
            let fits = write.body.map { template in body.map { template.values(in: $0) != nil } ?? false } ?? true
            if fits { return (write, values) }
            other = other ?? (write, values)
        }
        return other
    }

    /// Parses a request's body and extracts the placeholder values of the write's body template.
    private func read(_ body: [UInt8], for write: Profile.Write, into asked: inout Asked) throws(RESTError) {
        guard let template = write.body else { return }
        do throws(JSONError) { asked.body = try JSONValue(parsing: body[...]) } catch {
            throw .badRequest("the body is not JSON: \(error.description)")
        }
        guard let values = template.values(in: asked.body) else {
            throw .badRequest("the body is not like \(template.json.raw)")
        }
        asked.values.merge(values) { first, _ in first }
    }

    /// Returns the id of the room that a request concerns. Throws when the room is unknown or the caller may not see
    /// it.
    private func room(_ asked: Asked) throws(RESTError) -> JSONValue? {
        guard let id = roomID(asked.values) else { return nil }
        if let why = refusal(of: id, to: asked.user ?? DeclaredUser(id: "", name: "")) {
            let isThere = speech.roomEntity.map { tables.row(id, of: $0) != nil } ?? true
            throw RESTError(status: isThere ? 403 : 404, message: why)
        }
        guard let entity = speech.roomEntity, let row = tables.row(id, of: entity) else { return .string(id) }
        return JSONPlace(entity.key).value(in: row.json)
    }

    // MARK: - Reads

    /// The number of rows in an answer when the query contains none.
    private static let usualRows = 50
    private static let mostRows = 1000

    private func rows(_ read: Profile.Read, _ asked: Asked) throws(RESTError) -> JSONValue {
        guard let entity = tables.entity(read.entity) else { return .object([]) }
        if read.name == profile.account {
            guard let row = asked.user.flatMap({ tables.row($0.id, of: entity) }) else {
                throw .notFound("no such user")
            }
            return Self.shaped(row.json, read, next: nil)
        }
        if let id = key(read.get, entity, asked) {
            guard let row = tables.row(id, of: entity) else { throw tables.missing(id, entity) }
            return Self.shaped(row.json, read, next: nil)
        }
        var found = tables.rows(of: entity, in: try room(asked)?.plainText)
        for parameter in read.query where !parameter.value.places.isEmpty {
            guard let field = entity.fields.first(where: { [$0.name, $0.place.text].contains(parameter.name) }) else {
                continue
            }
            found = found.filter { field.place.value(in: $0.json)?.plainText == asked.parameter(parameter.name) }
        }
        return page(of: found, read, asked)
    }

    /// Returns the key of the single row that a path ends with; `nil` when it ends with anything else, or with the
    /// parent of the rows.
    private func key(_ path: Template, _ entity: Profile.Entity, _ asked: Asked) -> String? {
        if let id = asked.values[entity.name + ".id"]?.plainText { return id }
        guard case .place(let name)? = path.parts.last, let value = asked.values[name]?.plainText else { return nil }
        let isRoom = name == "id" || name == "room"
        guard isRoom else { return value }
        return entity.name == speech.roomEntity?.name || entity.parent == nil ? roomID(asked.values) : nil
    }

    private func page(of rows: [DeclaredTables.Row], _ read: Profile.Read, _ asked: Asked) -> JSONValue {
        let sizes = ["limit", "per_page", "page_size", "size", "count", "n"].compactMap { asked.parameter($0) }
        let size = max(1, min(sizes.compactMap { Int($0) }.first ?? Self.usualRows, Self.mostRows))
        guard let pages = read.pages else {
            // A list without pages is complete if the profile requires that.
            let kept = read.replaces == .all ? rows[...] : rows.suffix(size)
            return Self.shaped(.array(kept.map(\.json)), read, next: nil)
        }
        // The first page of a window contains the newest rows.
        let rows = read.replaces == .window ? rows.reversed() : rows
        var begin = 0
        if let page = asked.parameter(pages.query) {
            if let last = pages.last {
                begin =
                    rows.firstIndex { JSONPlace(last).value(in: $0.json)?.plainText == page }.map { $0 + 1 }
                    ?? rows.count
            } else {
                let first = pages.from ?? 0
                begin = max(0, min(max(Int(page) ?? first, 0), 1 << 20) - first) * size
            }
        }
        let kept = rows.dropFirst(begin).prefix(size)
        let next: JSONValue = begin + size < rows.count ? .string(String(begin / size + 1)) : .null
        return Self.shaped(.array(kept.map(\.json)), read, next: pages.next == nil ? nil : next)
    }

    /// Returns an answer in the shape from which a client reads these rows.
    private static func shaped(_ rows: JSONValue, _ read: Profile.Read, next: JSONValue?) -> JSONValue {
        var answer = JSONValue.object([])
        (read.rows.map(JSONPlace.init) ?? JSONPlace([])).put(rows, into: &answer)
        if let next, let path = read.pages?.next { JSONPlace(path).put(next, into: &answer) }
        return answer
    }

    // MARK: - Writes

    private mutating func perform(
        _ write: Profile.Write, _ asked: Asked, at now: Moment
    ) throws(RESTError) -> (status: Int, answer: JSONValue, news: DeclaredNews?) {
        let room = try room(asked)
        guard let entity = tables.entity(write.entity) else { return (200, .object([]), nil) }
        let time = clock.time(at: now)
        func answered(
            _ status: Int, _ row: JSONValue, _ change: DeclaredSpeech.Change?
        ) -> (Int, JSONValue, DeclaredNews?) {
            var answer = JSONValue.object([])
            (write.at.map(JSONPlace.init) ?? JSONPlace([])).put(row, into: &answer)
            return (status, answer, change.flatMap { speech.news(of: $0, row, entity, by: asked.user, at: time) })
        }
        guard let id = asked.values["message"]?.plainText ?? key(write.path, entity, asked) else {
            guard write.method != .delete else { throw .badRequest("the path does not identify a row") }
            var json = JSONValue.object([])
            if let parent = entity.parent { JSONPlace(parent).fill(room, into: &json) }
            fill(&json, write, entity, asked)
            if let echo = write.echo.flatMap({ entity.place(of: $0) }), let mark = echo.value(in: json),
                let known = tables.rows(of: entity).first(where: {
                    echo.value(in: $0.json) == mark && entity.parentID(of: $0.json) == entity.parentID(of: json)
                })
            {
                // The client repeats a request whose answer was lost, so no second row is created.
                return answered(200, known.json, nil)
            }
            json = speech.completed(json, of: entity, by: asked.user, at: time)
            return answered(201, try tables.insert(json, into: entity).json, .made)
        }
        guard let known = tables.row(id, of: entity) else { throw tables.missing(id, entity) }
        if let room = room?.plainText, let parent = entity.parentID(of: known.json), parent != room {
            throw tables.missing(id, entity)
        }
        if write.method == .delete { return answered(200, try tables.remove(id, of: entity).json, .deleted) }
        var json = known.json
        fill(&json, write, entity, asked)
        json = speech.touched(json, of: entity, at: time)
        return answered(200, try tables.change(id, of: entity, to: json).json, .changed)
    }

    /// Copies values of a request into a row: the values of the body that the row also has, and the values that the
    /// client shows in the meantime.
    private func fill(_ json: inout JSONValue, _ write: Profile.Write, _ entity: Profile.Entity, _ asked: Asked) {
        let places = Set(
            entity.fields.map(\.place) + [entity.key, entity.parent].compactMap { $0 }.map(JSONPlace.init))
        for place in write.body?.leaves ?? [] where places.contains(place) {
            if let value = place.value(in: asked.body) { place.put(value, into: &json) }
        }
        var values = asked.values
        values["user"] = asked.user.map { .string($0.id) }
        for shown in write.shows {
            guard let field = entity.fields.first(where: { $0.name == shown.name }),
                !(write.body?.leaves.contains(field.place) ?? false)
            else { continue }
            if let name = shown.value.onlyPlace {
                if let value = values[name] { field.place.put(value, into: &json) }
            } else if let text = shown.value.text(values) {
                field.place.put(.string(text), into: &json)
            }
        }
    }
}

extension Template {
    /// Returns the text with each placeholder filled; `nil` when one has no value.
    fileprivate func text(_ values: [String: JSONValue]) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .place(let name):
                guard let value = values[name]?.plainText else { return nil }
                text += value
            }
        }
        return text
    }
}

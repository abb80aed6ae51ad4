import WeirEvents
import WeirJSON
import WeirModel

// Runs actions of several steps, as the profile declares them. Each step makes one or more requests; later steps know
// the rows that it finds or makes.
//
//     look ──a row──────────────────────────► next step
//       │ no row, and there is a write
//       ▼
//     write ──done───────────────────────────► next step
//       │ 409: another client has made it     ▲
//       ▼                                     │
//     look again ──a row──────────────────────┘
//
// The server's uniqueness constraint decides which client makes a row; this code only looks again. A write whose
// outcome is unknown is not sent again: the step looks first (`Outbox.wait`), or sends the key that lets the server
// recognise the repetition (`echo`).
extension DeclaredBackend {
    private func procedure(_ name: String) -> Profile.Procedure? { profile.procedures.first { $0.name == name } }

    /// Returns the current step of an action, or `nil` when the profile has none.
    func step(of run: Action.Run) -> Profile.Step? {
        guard let steps = procedure(run.name)?.steps, steps.indices.contains(run.step) else { return nil }
        return steps[run.step]
    }

    func write(of step: Profile.Step?) -> Profile.Write? { profile.writes.first { $0.name == step?.write } }

    /// Whether the action's current request is the write of its step.
    func isWriting(_ action: Action) -> Bool {
        guard case .run(let run) = action.operation, let step = step(of: run) else { return false }
        return step.read == nil || run.phase == .write
    }

    func tag(of action: Action) -> String? {
        guard case .run(let run) = action.operation, let tag = procedure(run.name)?.tag else { return nil }
        return tag.filled { run.values[$0] }
    }

    private func values(_ run: Action.Run, of action: Action) -> (String) -> String? {
        let user = user
        return { place in
            switch place {
            case "user": user
            // Each step sends a key of its own.
            case "action": "\(action.id)-\(run.step)"
            default: run.values[place]
            }
        }
    }

    /// Returns the request for the current step of an action.
    func step(
        for run: Action.Run, of action: Action, fetched: [ResourceKey], in model: SectionedCollection<Item>
    ) -> ActionStep {
        guard let procedure = procedure(run.name) else {
            let known = profile.procedures.map(\.name).joined(separator: ", ")
            return .impossible(
                "the profile '\(profile.name)' has no action '\(run.name)'" + (known.isEmpty ? "" : "; it has " + known)
            )
        }
        if let problem = procedure.problem(with: run.values) { return .impossible(problem) }
        guard let step = step(of: run) else { return .impossible("'\(run.name)' has no step \(run.step + 1)") }
        guard var run = atNextRow(run, step, in: model) else { return .follow(advanced(run, subject: nil)) }
        let values = values(run, of: action)
        if let row = unchanging(step, values).flatMap({ model[$0] }) {
            if let name = step.row { run.note([row], as: name) }
            return .follow(advanced(run, subject: row.id.id))
        }
        if !isWriting(action), let read = step.read.flatMap({ reads[$0] }) {
            if let asked = asking(for: read.places, fetched) { return asked }
            guard let call = call(of: read, values) else { return lacking(read.places, for: read.name, values) }
            run.makesSomething = false
            return .request(.run(run), call)
        }
        guard let write = write(of: step) else { return .impossible("step \(run.step + 1) has no write") }
        if let asked = asking(for: write.places, fetched) { return asked }
        guard let call = call(of: write, values, as: { procedure.filling($0, run.values[$0]) }) else {
            return lacking(write.places, for: write.name, values)
        }
        run.makesSomething = step.read == nil && write.echo == nil && write.method == .post
        return .request(.run(run), call)
    }

    /// Returns the run with the next row of its step selected, or `nil` when all rows are done.
    private func atNextRow(_ run: Action.Run, _ step: Profile.Step, in model: SectionedCollection<Item>) -> Action.Run?
    {
        guard let name = step.each, let entity = step.read.flatMap({ reads[$0]?.entity }).flatMap({ entities[$0] })
        else { return run }
        var run = run
        run.drop(from: name) { entity.once && model[entity.itemID(EntityID($0))] != nil }
        guard let id = run.listed(name).first else { return nil }
        run.values[name + ".id"] = id
        return run
    }

    /// Returns the lane of an action. Actions that would download the same immutable row share one, so that the later
    /// ones find it.
    func lane(of action: Action, in model: SectionedCollection<Item>) -> EntityID? {
        guard case .run(let run) = action.operation, let step = step(of: run),
            let id = atNextRow(run, step, in: model).flatMap({ unchanging(step, values($0, of: action)) }),
            model[id] == nil
        else { return action.lane }
        return EntityID("\(id.kind.rawValue) \(id.id)")
    }

    private func lacking(_ places: [String], for name: String, _ values: (String) -> String?) -> ActionStep {
        let place = places.first { values($0) == nil } ?? "a place"
        return .impossible("'\(name)' lacks a value for {\(place)}")
    }

    mutating func follow(_ action: Action, _ answer: Answer, into context: inout HandlerContext) -> ActionFollowing? {
        guard case .run(let run) = action.operation, let step = step(of: run), let status = answer.status else {
            return nil
        }
        let wrote = isWriting(action)
        let body: ArraySlice<UInt8> = if case .response(_, let body, _) = answer, status < 300 { body } else { [] }
        let rows: [Item]
        do throws(DecodingFailure) {
            let write = write(of: step)
            let read = wrote ? nil : step.read.flatMap { reads[$0] }
            guard !body.isEmpty, let entity = (wrote ? write?.entity : read?.entity).flatMap({ entities[$0] }) else {
                return followed(run, step, [], wrote, status)
            }
            var readings: [Profile.Entity.Reading] = []
            if let read {
                readings = try read.rows(of: entity, in: body, page: nil, isLast: true, RowSieve())
            } else if let write {
                readings = [try made(by: write, entity, body)]
            }
            rows = readings.map { reading in
                let known = context.model[entity.itemID(reading.id)]
                if let known, entity.once || entity.freshness(reading, known) == .older { return known }
                let row = entity.row(reading, over: known, parent: nil)
                put(row, over: known, into: &context)
                return row
            }
        } catch {
            return .refused(why: "the answer cannot be read: \(error.message)")
        }
        return followed(run, step, rows, wrote, status)
    }

    /// Returns what follows a step that produced these rows.
    private func followed(
        _ run: Action.Run, _ step: Profile.Step, _ rows: [Item], _ wrote: Bool, _ status: Int
    ) -> ActionFollowing {
        var run = run
        if wrote, status == 409, step.read != nil {
            run.phase = .verify
            return .next(.run(run))
        }
        if !wrote, rows.isEmpty {
            if run.phase == .verify {
                return .refused(
                    why: "the server reports that it already exists, but '\(step.read ?? "")' does not find it")
            }
            if step.write != nil {
                run.phase = .write
                return .next(.run(run))
            }
            if step.row != nil { return .refused(why: "'\(step.read ?? "")' finds nothing") }
        }
        if let name = step.row { run.note(rows, as: name) }
        if let name = step.each {
            let asked = run.values[name + ".id"]
            run.drop(from: name) { $0 == asked }
            if !run.listed(name).isEmpty { return .next(.run(run)) }
        }
        return advanced(run, subject: rows.first?.id.id)
    }

    /// Returns the action at its next step, or its end.
    private func advanced(_ run: Action.Run, subject: EntityID?) -> ActionFollowing {
        var run = run
        run.phase = .look
        run.step += 1
        guard let procedure = procedure(run.name), run.step < procedure.steps.count else { return .finished(subject) }
        return .next(.run(run))
    }

    /// Returns the row that the step would read, if that row is immutable.
    private func unchanging(_ step: Profile.Step, _ values: (String) -> String?) -> Item.ID? {
        guard let read = step.read.flatMap({ reads[$0] }), let entity = read.entity.flatMap({ entities[$0] }),
            entity.once,
            let id = read.get.places.last.flatMap({ values($0) })
        else { return nil }
        return entity.itemID(EntityID(id))
    }

    /// Decodes the row in the answer to a write.
    private func made(
        by write: Profile.Write, _ entity: Profile.Entity, _ body: ArraySlice<UInt8>
    ) throws(DecodingFailure) -> Profile.Entity.Reading {
        guard let answer = try? RawJSON(checking: body), let value = (write.at ?? .whole).inValue.value(in: answer)
        else {
            throw DecodingFailure(subject: write.name, message: "nothing at \(write.at?.text ?? ".")", offset: 0)
        }
        do throws(Profile.Entity.Unreadable) { return try entity.reading(value) } catch {
            throw DecodingFailure(subject: write.name, message: error.message, offset: 0)
        }
    }
}

extension Action.Run {
    /// Returns the ids of an earlier step's rows that are not done yet.
    fileprivate func listed(_ name: String) -> [String] {
        values[name + ".all"].map { $0.split(separator: "\n").map(String.init) } ?? []
    }

    fileprivate mutating func drop(from name: String, where isDone: (String) -> Bool) {
        values[name + ".all"] = listed(name).filter { !isDone($0) }.joined(separator: "\n")
    }

    /// Stores the result of a step for later steps: the first row's id and fields, and the ids of all rows.
    fileprivate mutating func note(_ rows: [Item], as name: String) {
        guard let row = rows.first else { return }
        values[name + ".all"] = rows.map(\.id.id.description).joined(separator: "\n")
        values[name + ".id"] = row.id.id.description
        guard let object = row.entity.as(DeclaredRow.self)?.json, let fields = try? JSONValue(parsing: object.bytes),
            case .object(let members) = fields
        else { return }
        for member in members {
            if let text = member.value.raw.plainText { values[name + "." + member.key] = text }
        }
    }
}

extension Profile.Read {
    /// The names of the places in all templates of the read.
    var places: [String] { self.get.places + query.flatMap(\.value.places) }
}

extension Profile.Procedure {
    /// All parameters: texts, JSON values and files.
    package var allParameters: [String] { parameters + json + files }

    /// Returns the problem with the parameters' values, or `nil`. A name with a dot belongs to a row of an earlier step
    /// and is not checked.
    package func problem(with values: [String: String]) -> String? {
        for name in values.keys.sorted() where !allParameters.contains(name) && !name.contains(".") {
            return "'\(self.name)' has no parameter '\(name)'; it has " + allParameters.joined(separator: ", ")
        }
        for name in json {
            guard let value = values[name], (try? RawJSON(checking: Array(value.utf8)[...])) == nil else { continue }
            return "\(name): invalid JSON '\(value)'; write it like true, 12 or '\"text\"'"
        }
        return allParameters.first { values[$0] == nil }.map { "'\(name)' needs \($0)=VALUE" }
    }

    /// Returns the value of a parameter that fills a body with something other than text: a file or JSON.
    func filling(_ name: String, _ value: String?) -> JSONTemplate.Filling? {
        guard let value else { return nil }
        if files.contains(name) { return .file(path: value) }
        return json.contains(name) ? (try? RawJSON(checking: Array(value.utf8)[...])).map { .json($0) } : nil
    }
}

extension Profile.Service {
    /// Whether the service has its own address, on another server than the connection.
    package var hasOwnAddress: Bool { url.hasPrefix("https://") || url.hasPrefix("http://") }

    /// The part of the service's own address after the scheme: host and path.
    private var rest: Substring { url.drop { $0 != ":" }.dropFirst(3) }
    /// The host and port of the service's own address.
    var host: Substring { rest.prefix { $0 != "/" } }
    /// The prefix of the paths of all requests, on the service's host.
    package var basePath: String { hasOwnAddress ? String(rest.drop { $0 != "/" }) : url }
}

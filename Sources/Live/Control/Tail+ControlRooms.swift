import JSONText
import Pipeline
import Terminal

// Rooms over the control socket.
extension Tail {
    /// Performs a room request. It is answered now or later.
    func performRooms(_ call: ControlCall) {
        guard let method = RoomCall.Method(rawValue: String(call.method.rawValue.dropFirst("rooms.".count))) else {
            return call.answer(.failure(ControlError(.method, "there is no method \(call.method.rawValue)")))
        }
        let given = call.arguments
        var wish = RoomCall(method: method, rooms: given.texts("rooms"), all: given.flag("all"))
        wish.lasting = given.span("for")
        wish.wait = given.span("wait")
        wish.since = given.integer("since_ms").map { Int64($0) }
        wish.older = given.flag("older")
        perform(wish) { result in
            switch result {
            case .success(let text):
                call.answer(.success(ControlResult { $0.raw(RawJSON(unchecked: text[...])) }))
            case .failure(let error): call.answer(.failure(ControlError(error.kind.code, error.message)))
            }
        }
    }
}

extension Tail {
    /// Refetches the resources of the given rooms, the named resources, or everything if the request names neither.
    func refetch(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        var names: [String] = []
        if !arguments.texts("rooms").isEmpty {
            let wish: RoomExpression
            do throws(RoomPatternError) {
                wish = try RoomExpression(words: arguments.texts("rooms"))
            } catch {
                throw ControlError(.parameters, "params.rooms: " + RoomCallError(error).message)
            }
            names = session.roomViews.filter { wish.matches($0.facts) }.map(\.facts.name)
                .filter { !session.resources(named: $0).isEmpty }
            if names.isEmpty { throw ControlError(.nothing, "no joined room with resources matches \(wish)") }
        }
        for name in arguments.texts("resources") {
            guard !session.resources(named: name).isEmpty else {
                let near = Suggestion.phrase(for: name, among: session.resources(named: ""))
                throw ControlError(.nothing, "no joined room has a resource with that name" + near)
            }
            names.append(name)
        }
        if names.isEmpty { names = [""] }
        var resources: [String] = []
        for name in names {
            for resource in session.resources(named: name) where !resources.contains(resource) {
                resources.append(resource)
            }
            feed(.refetch(name))
        }
        return ControlResult { writer in
            writer.beginObject()
            writer.member("resources", names: resources)
            writer.endObject()
        }
    }
}

extension RoomCallError.Kind {
    fileprivate var code: ControlError.Code {
        switch self {
        case .parameters: .parameters
        case .nothing: .nothing
        case .unsupported: .failed
        }
    }
}

import JSONText
import Pipeline

// Rooms, by the control socket.
extension Tail {
    /// Does what a client wants of the rooms; it is answered now or later.
    func performRooms(_ call: ControlCall) {
        guard let method = RoomCall.Method(rawValue: String(call.method.rawValue.dropFirst("rooms.".count))) else {
            return call.answer(.failure(ControlError(.method, "there is no method \(call.method.rawValue)")))
        }
        let given = call.arguments
        var wish = RoomCall(method: method, rooms: given.texts("rooms"), all: given.flag("all"))
        wish.lasting = given.span("for")
        wish.wait = given.span("wait")
        wish.since = given.integer("since_ms").map { Int64($0) }
        perform(wish) { result in
            switch result {
            case .success(let text):
                call.answer(.success(ControlResult { $0.raw(RawJSON(unchecked: text[...])) }))
            case .failure(let error): call.answer(.failure(ControlError(error.kind.code, error.message)))
            }
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

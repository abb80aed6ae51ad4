import JSONText
import Pipeline

// The filter of the view, over the control socket.
extension Tail {
    /// The maximum number of earlier filters to return to.
    private static let mostFilters = 32

    func performFilter(_ call: ControlCall) throws(ControlError) -> ControlResult {
        guard let filter = configuration.filter else { throw ControlError(.nothing, "the tail shows nothing") }
        let (old, text) = (filter.text, call.arguments.text("filter") ?? "")
        switch call.method {
        case .filterSet:
            try set(filter, to: text)
            earlierFilters = []
        case .filterPush:
            guard earlierFilters.count < Self.mostFilters else {
                throw ControlError(.limit, "\(Self.mostFilters) filters are already pushed: filter.pop removes one")
            }
            // Parse the new filter by itself first: a text that is not a complete expression must not become valid in
            // combination.
            try set(filter, to: text)
            if !old.isEmpty, !text.isEmpty { try set(filter, to: "(\(old)) and (\(text))") }
            earlierFilters.append(old)
        case .filterPop:
            guard let earlier = earlierFilters.popLast() else { throw ControlError(.nothing, "no filter was pushed") }
            try set(filter, to: earlier)
        default: break
        }
        return ControlResult { [earlierFilters] writer in
            writer.beginObject()
            writer.member("filter", filter.text)
            writer.member("pushed", earlierFilters.count)
            writer.endObject()
        }
    }

    private func set(_ filter: ViewFilter, to text: String) throws(ControlError) {
        do throws(FilterError) {
            try filter.set(text, origin: "params.filter")
        } catch {
            throw ControlError(.parameters, "params.filter, column \(error.column): \(error.message)")
        }
    }
}

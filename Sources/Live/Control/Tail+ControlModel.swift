import Events
import JSONText
import Pipeline
import SectionedModel

// The model, as clients of the control socket ask for it.
extension Tail {
    /// A part of the model is no longer than that: what it is asked for beyond is asked for again.
    private static let mostBytes = 1 << 20

    /// What `model.sections` gives.
    var sections: ControlResult {
        ControlResult { writer in
            writer.beginArray()
            for (index, key) in session.model.sectionKeys.enumerated() {
                writer.beginObject()
                writer.member("section", key.name)
                writer.member("parent", key.parent?.description)
                writer.member("rows", session.model.elementCount(at: index))
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// What `model.get` gives.
    func rows(_ arguments: ControlArguments) throws(ControlError) -> ControlResult {
        let index = arguments.integer("section") ?? 0
        guard let key = session.model.sectionKey(at: index) else {
            throw ControlError(.nothing, "there is no section \(index); there are \(session.model.sectionKeys.count)")
        }
        let offset = arguments.integer("offset") ?? 0
        let count = session.model.elementCount(at: index)
        let end = min(offset + (arguments.integer("limit") ?? 50), count)
        return ControlResult { writer in
            writer.beginObject()
            writer.member("section", key.name)
            writer.member("parent", key.parent?.description)
            writer.member("count", count)
            writer.key("rows")
            writer.beginArray()
            var place = offset
            while place < end, writer.count < Self.mostBytes {
                session.model.element(at: SectionPath(section: index, item: place))?.encode(into: &writer)
                place += 1
            }
            writer.endArray()
            writer.key("next")
            if place < count, place > offset { writer.integer(place) } else { writer.null() }
            writer.endObject()
        }
    }

    /// What `model.item` gives.
    func row(_ id: String) throws(ControlError) -> ControlResult {
        var found: Item?
        session.model.forEachElement { _, item in
            if found == nil, item.id.id.description == id { found = item }
        }
        guard let found else { throw ControlError(.nothing, "there is no row of that id") }
        return ControlResult { found.encode(into: &$0) }
    }
}

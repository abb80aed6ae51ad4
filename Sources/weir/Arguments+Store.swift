import Live
import Network

extension Arguments {
    /// Where it is remembered what was seen; nil for nowhere. Required when it was asked for by name.
    func store() throws(UsageError) -> (path: String?, isRequired: Bool) {
        switch self[.store] {
        case "none": return (nil, false)
        case let path?: return (path, true)
        case nil: return (StateFolder.storePath, false)
        }
    }
}

import Glibc

/// What goes wrong with a store.
public enum StoreError: Error, Hashable, Sendable {
    /// The system refused: what was tried, on which file, and the `errno` it gave.
    case system(operation: String, path: String, code: Int32)
    /// The file or its folder is not one to keep private things in; why.
    case unsafe(path: String, why: String)
    /// A database of another program.
    case foreign(path: String)
    /// Written by a newer version of this program.
    case newer(path: String, version: Int)
    /// Another process kept the file locked for longer than anybody waits.
    case busy(path: String)
    /// The disk, or the space the store may take, is full. What was committed before is safe.
    case full(path: String)
    /// The file is damaged. It is set aside the next time it is opened.
    case damaged(path: String, message: String)
    /// Anything else that SQLite says.
    case database(operation: String, path: String, message: String)
    /// The account was logged out: nothing is kept of it any more.
    case loggedOut(server: String, user: String)
    /// A thing that the store does not have could not be downloaded; why.
    case notDownloaded(String)
    /// The store was closed.
    case closed(path: String)
}

extension StoreError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        case .unsafe(let path, let why): "\(path) cannot hold a store: \(why)"
        case .foreign(let path): "\(path) is a database of another program"
        case .newer(let path, let version): "\(path) was written by a newer weir (version \(version) of the store)"
        case .busy(let path): "\(path) is locked by another process"
        case .full(let path): "\(path) cannot grow: the disk, or the space the store may take, is full"
        case .damaged(let path, let message): "\(path) is damaged: \(message)"
        case .database(let operation, let path, let message): "\(path): \(message) (\(operation))"
        case .loggedOut(let server, let user): "user \(user) of \(server) was logged out: nothing is kept any more"
        case .notDownloaded(let why): "cannot be downloaded: \(why)"
        case .closed(let path): "\(path) is closed"
        }
    }
}

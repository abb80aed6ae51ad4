import Glibc

/// The errors of the store.
public enum StoreError: Error, Hashable, Sendable {
    /// A system call failed with `errno` equal to `code`.
    case system(operation: String, path: String, code: Int32)
    /// The file or its folder is not safe for private data; `why` gives the reason.
    case unsafe(path: String, why: String)
    /// The file is a database of another program.
    case foreign(path: String)
    /// A newer version of this program wrote the file; `version` is its schema version.
    case newer(path: String, version: Int)
    /// Another process held its lock on the file for longer than the store's patience.
    case busy(path: String)
    /// The disk is full, or the store has reached its maximum size. Earlier commits are safe.
    case full(path: String)
    /// The file is damaged. The next opening renames it.
    case damaged(path: String, message: String)
    /// Any other error of SQLite.
    case database(operation: String, path: String, message: String)
    /// The account was logged out, so the store accepts no more data for it.
    case loggedOut(server: String, user: String)
    /// The store does not hold the thing, and its download failed for the given reason.
    case notDownloaded(String)
    /// The store was already closed.
    case closed(path: String)
}

extension StoreError: CustomStringConvertible {
    /// One sentence that describes the error to a user.
    public var description: String {
        switch self {
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        case .unsafe(let path, let why): "\(path) cannot hold a store: \(why)"
        case .foreign(let path): "\(path) is a database of another program"
        case .newer(let path, let version): "\(path) was written by a newer weir (version \(version) of the store)"
        case .busy(let path): "\(path) is locked by another process"
        case .full(let path): "\(path) cannot grow: the disk, or the limit of the store, is full"
        case .damaged(let path, let message): "\(path) is damaged: \(message)"
        case .database(let operation, let path, let message): "\(path): \(message) (\(operation))"
        case .loggedOut(let server, let user): "user \(user) of \(server) was logged out: nothing is kept any more"
        case .notDownloaded(let why): "cannot be downloaded: \(why)"
        case .closed(let path): "\(path) is closed"
        }
    }
}

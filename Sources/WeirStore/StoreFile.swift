import Glibc

/// The file of a store: private to this user, in a folder that no other user can change.
struct StoreFile {
    let path: String
    /// The device and inode, which distinguish this file from a later one at the same path.
    private(set) var identity: (device: UInt, node: UInt)

    /// Checks the file at `path`. Creates the file (mode 0600) and its parent folders (mode 0700) when they are
    /// missing.
    init(preparing path: String) throws(StoreError) {
        let folder = Self.folder(of: path)
        try Self.makeFolders(folder)
        try Self.checkFolder(folder)
        var facts = stat()
        if lstat(path, &facts) != 0 {
            guard errno == ENOENT else { throw .system(operation: "open", path: path, code: errno) }
            try Self.create(path)
            guard lstat(path, &facts) == 0 else { throw .system(operation: "open", path: path, code: errno) }
        }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .unsafe(path: path, why: "not a regular file") }
        guard facts.st_uid == geteuid() else { throw .unsafe(path: path, why: "it belongs to another user") }
        if facts.st_mode & 0o177 != 0, chmod(path, 0o600) != 0 {
            throw .system(operation: "change the mode of", path: path, code: errno)
        }
        self.path = path
        identity = (UInt(facts.st_dev), UInt(facts.st_ino))
    }

    /// Renames a damaged file, together with its write-ahead log.
    ///
    /// - Parameter time: The current time in seconds since 1970, which becomes part of the new name.
    /// - Returns: The new path, or `nil` when another process has already replaced the file.
    func setAside(at time: Int64) throws(StoreError) -> String? {
        var facts = stat()
        guard lstat(path, &facts) == 0, (UInt(facts.st_dev), UInt(facts.st_ino)) == identity else { return nil }
        var aside = "\(path).damaged-\(time)"
        var attempt = 1
        while access(aside, F_OK) == 0 {
            attempt += 1
            aside = "\(path).damaged-\(time)-\(attempt)"
        }
        guard rename(path, aside) == 0 else { throw .system(operation: "set aside", path: path, code: errno) }
        // The log belongs to the damaged file. SQLite recreates the index of the log when it opens the new one.
        rename(path + "-wal", aside + "-wal")
        unlink(path + "-shm")
        return aside
    }

    private static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            // Another process created the file first. The caller checks it like any other file.
            if errno == EEXIST { return }
            throw .system(operation: "create", path: path, code: errno)
        }
        close(descriptor)
    }

    /// Checks that only this user can write to the folder. Anyone else who can write to it could replace the store or
    /// its logs with another file or a link.
    private static func checkFolder(_ folder: String) throws(StoreError) {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { throw .system(operation: "open", path: folder, code: errno) }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw .unsafe(path: folder, why: "it is not a folder, or it is a link to one")
        }
        guard facts.st_uid == geteuid() else { throw .unsafe(path: folder, why: "it belongs to another user") }
        guard facts.st_mode & 0o022 == 0 else { throw .unsafe(path: folder, why: "others can write to it") }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeFolders(_ folder: String) throws(StoreError) {
        let ends = folder.indices.filter { folder[$0] == "/" && $0 != folder.startIndex } + [folder.endIndex]
        for end in ends {
            let part = String(folder[..<end])
            if mkdir(part, mode_t(0o700)) != 0 && errno != EEXIST {
                let code = errno
                // A parent folder may exist although `mkdir` fails with EACCES or EROFS.
                guard access(part, F_OK) == 0 else {
                    throw .system(operation: "create folder", path: part, code: code)
                }
            }
        }
    }
}

import Glibc

/// Where a store is: a file for this user alone, in a folder that nobody else can change.
struct StoreFile {
    let path: String
    /// Tells this file from another that may stand at its path later.
    private(set) var identity: (device: UInt, node: UInt)

    /// Makes sure of the file at `path`; creates it (mode 0600) and the folders above it (mode 0700) where they are missing.
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
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .unsafe(path: path, why: "it is not a regular file") }
        guard facts.st_uid == geteuid() else { throw .unsafe(path: path, why: "it belongs to another user") }
        if facts.st_mode & 0o177 != 0, chmod(path, 0o600) != 0 {
            throw .system(operation: "change the mode of", path: path, code: errno)
        }
        self.path = path
        identity = (UInt(facts.st_dev), UInt(facts.st_ino))
    }

    /// Moves a damaged file out of the way, and its log with it; gives its new name. Nil when another process has done so already.
    ///
    /// `time` (seconds since 1970) becomes part of the name.
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
        // What the log holds belongs to the damaged file. The index of the log is made anew by whoever opens it.
        rename(path + "-wal", aside + "-wal")
        unlink(path + "-shm")
        return aside
    }

    private static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            // Another process was faster; what it made is checked as any other file.
            if errno == EEXIST { return }
            throw .system(operation: "create", path: path, code: errno)
        }
        close(descriptor)
    }

    /// Whoever can write to the folder can put another file, or a link, at the store's name and at those of its logs.
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
                // A folder above may be unwritable to us and still exist (EACCES, EROFS).
                guard access(part, F_OK) == 0 else {
                    throw .system(operation: "create folder", path: part, code: code)
                }
            }
        }
    }
}

import Glibc

/// A temporary file of this process, in memory where possible, for code that works only on files. It is removed with
/// this value.
struct ScratchFile: ~Copyable {
    private static let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    let path: String

    /// Creates a file with these bytes, or only a path when there are none.
    init(_ name: String, _ bytes: ArraySlice<UInt8>? = nil) {
        path = "\(Self.folder)/weir-fuzz.\(getpid()).\(name)"
        unlink(path)
        guard let bytes else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        require(file >= 0, "\(path) cannot be written")
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        require(written == bytes.count, "\(path) cannot be written")
        close(file)
    }

    /// The contents of the file; empty when it does not exist.
    var contents: [UInt8] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return [] }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        return Array(unsafeUninitializedCapacity: size) { bytes, count in
            count = max(0, pread(file, bytes.baseAddress, size, 0))
        }
    }

    deinit { unlink(path) }
}

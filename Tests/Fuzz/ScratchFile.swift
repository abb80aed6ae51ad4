import Glibc

/// A file of this process, in memory where there is a place for such, for what reads and writes files alone. It is there as long as the value is.
struct ScratchFile: ~Copyable {
    private static let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    let path: String

    /// A file of these bytes; nothing is there yet without any.
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

    /// What it holds; empty when it is not there.
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

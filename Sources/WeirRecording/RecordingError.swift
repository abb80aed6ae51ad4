/// An error in reading or writing an event file.
public enum RecordingError: Error, Hashable, Sendable {
    /// The file to be created already exists.
    case exists(path: String)
    /// A system call failed: the operation, its file and the `errno`.
    case system(operation: String, path: String, code: Int32)
    /// The file is not a recording, or has another major version.
    case notARecording(path: String, message: String)
    /// The file's contents are not usable here: a text file is not text, or nothing of a recording would be kept.
    case unusable(path: String, message: String)

    /// Whether the error means that output could not be written.
    public var isOfWriting: Bool {
        switch self {
        case .exists: true
        case .system(let operation, _, _):
            !["open", "read", "seek", "decompress", "find"].contains { operation.hasPrefix($0) }
        case .notARecording, .unusable: false
        }
    }
}

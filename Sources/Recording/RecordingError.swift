/// What goes wrong with event files.
public enum RecordingError: Error, Hashable, Sendable {
    /// The file exists already.
    case exists(path: String)
    /// The system refused: what was tried, on which file, and the `errno` it gave.
    case system(operation: String, path: String, code: Int32)
    /// The file is not a recording, or of a newer major version.
    case notARecording(path: String, message: String)
    /// What the file holds is of no use here: a text file is not text, or of a recording nothing would be kept.
    case unusable(path: String, message: String)

    /// Whether something could not be written: what the caller wants is not where it should be.
    public var isOfWriting: Bool {
        switch self {
        case .exists: true
        case .system(let operation, _, _):
            !["open", "read", "seek", "decompress", "find"].contains { operation.hasPrefix($0) }
        case .notARecording, .unusable: false
        }
    }
}

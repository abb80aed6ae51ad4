public import Wire

/// Where the token comes from; the token itself is never in an argument, a log or a recording.
public enum TokenReference: Sendable {
    /// An environment variable, read at each use.
    case environment(String)
    /// A file's contents without the trailing line feed, read at each use.
    case file(String)
    /// A shell command's first line of output, run at each use.
    case command(String)
    /// Asked of the program itself (the demo, tests). Called on a helper thread.
    case provider(@Sendable () throws(TokenError) -> Secret)
}

/// Why a token reference gives no token.
public struct TokenError: Error, Hashable, Sendable {
    /// What and where, without the token.
    public var message: String
    public init(message: String) { self.message = message }
}

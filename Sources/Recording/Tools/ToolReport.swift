/// What a tool did.
public struct ToolReport: Hashable, Sendable {
    /// Records that were written.
    public var written = 0
    /// Records that were read and left out.
    public var leftOut = 0
    /// What was wrong with what was read.
    public var problems = 0
    /// What was done otherwise than it was asked for, for people: a sentence each.
    public var warnings: [String] = []

    /// Nothing yet.
    public init() {}
}

/// Hears of what is wrong with a file that is read: the file's path and the problem.
public typealias ProblemListener = (String, FileProblem) -> Void

/// What a tool did.
package struct ToolReport: Hashable, Sendable {
    /// Records that were written.
    package var written = 0
    /// Records that were read and left out.
    package var leftOut = 0
    /// What was wrong with what was read.
    package var problems = 0
    /// What was done otherwise than it was asked for, for people: a sentence each.
    package var warnings: [String] = []

    /// Nothing yet.
    init() {}
}

/// Hears of what is wrong with a file that is read: the file's path and the problem.
package typealias ProblemListener = (String, FileProblem) -> Void

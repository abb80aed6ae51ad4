/// The result of a tool.
package struct ToolReport: Hashable, Sendable {
    /// The number of records written.
    package var written = 0
    /// The number of records read and left out.
    package var leftOut = 0
    /// The number of problems in the input.
    package var problems = 0
    /// Deviations from the request, each in one sentence for the user.
    package var warnings: [String] = []

    init() {}
}

/// A function called with each problem of a file: the file's path and the problem.
package typealias ProblemListener = (String, FileProblem) -> Void

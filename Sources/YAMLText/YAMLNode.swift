/// A value in a YAML text, with its position. Aliases are resolved: each is replaced by a copy of its anchor's value.
///
/// Plain scalars have the meaning of YAML 1.2's core schema (`null`, `true`, `12`, `0x1F`, `1.5`; `no` is a string).
/// The accessors apply it.
package struct YAMLNode: Hashable, Sendable {
    /// The contents of a value, by kind.
    package enum Value: Hashable, Sendable {
        /// A scalar's text, with escapes and folded lines resolved.
        case scalar(String, Style)
        case sequence([YAMLNode])
        /// The members in the order of the text. The keys are scalars, and no two have the same text.
        case mapping([Member])
    }

    /// How a scalar is written in the text.
    package enum Style: Hashable, Sendable {
        /// Written without quotes: the text determines the type. An empty value is also a plain scalar.
        case plain
        /// Written in quotes, as a block (`|`, `>`) or with the tag `!!str`: always a string.
        case quoted
    }

    /// A key of a mapping and its value.
    package struct Member: Hashable, Sendable {
        package var key: YAMLNode
        package var value: YAMLNode
    }

    package var value: Value
    /// The position at which the value begins. A value copied for an alias has the alias's position; the values inside
    /// it keep their own.
    package var position: YAMLPosition

    package init(value: Value, position: YAMLPosition) {
        self.value = value
        self.position = position
    }
}

/// A position in a text, as people and editors count it.
package struct YAMLPosition: Hashable, Sendable, CustomStringConvertible {
    /// The line, counted from 1. Lines end with LF, CRLF or CR.
    package var line: Int
    /// The column in Unicode scalars, counted from 1. A byte order mark is not counted.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

/// All the errors found in a text, in the order of the text.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One error and its position.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package var position: YAMLPosition
        /// The error in plain words, without the position. Text quoted from the file is safe to print on a terminal.
        package var message: String

        package var description: String { "\(position): \(message)" }
    }

    /// The maximum number of errors kept for one text.
    package static let mostProblems = 100

    /// The errors: at least one, at most `mostProblems`.
    package internal(set) var problems: [Problem] = []

    /// All errors, one per line.
    package var description: String { problems.map(\.description).joined(separator: "\n") }

    mutating func add(_ problem: Problem) {
        if problems.count < Self.mostProblems { problems.append(problem) }
    }

    mutating func add(_ message: String, at position: YAMLPosition) {
        add(Problem(position: position, message: message))
    }
}

/// Limits on a text, so that no file can take much time or memory.
package enum YAMLLimits {
    /// The largest text, in bytes.
    package static let bytes = 1 << 20
    /// The deepest nesting of sequences and mappings.
    package static let levels = 64
    /// The largest number of values and keys, with aliases resolved.
    package static let nodes = 100_000
    /// The largest total size of all scalars in bytes, with aliases resolved.
    package static let resolvedBytes = 4 << 20
}

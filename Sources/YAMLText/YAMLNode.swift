/// A value of a YAML text, and where it stands. Aliases are resolved: what one stands for is there again, in its place.
///
/// Plain scalars mean what the core schema of YAML 1.2 says (`null`, `true`, `12`, `0x1F`, `1.5`; `no` is a text), which the accessors ask.
package struct YAMLNode: Hashable, Sendable {
    /// What stands there.
    package enum Value: Hashable, Sendable {
        /// A text, with its escapes and folded lines resolved.
        case scalar(String, Style)
        case sequence([YAMLNode])
        /// In the order of the text. The keys are scalars, and no two have the same text.
        case mapping([Member])
    }

    /// How a scalar is written.
    package enum Style: Hashable, Sendable {
        /// Without quotes: what it is depends on what it says. Nothing at all is a plain scalar, too.
        case plain
        /// In quotes, as a block (`|`, `>`) or with the tag `!!str`: a text, whatever it says.
        case quoted
    }

    /// A key and its value.
    package struct Member: Hashable, Sendable {
        package var key: YAMLNode
        package var value: YAMLNode
    }

    package var value: Value
    /// Where it begins. What an alias stands for has the alias's place; what that holds, its own.
    package var position: YAMLPosition

    package init(value: Value, position: YAMLPosition) {
        self.value = value
        self.position = position
    }
}

/// A place in a text, for people and editors.
package struct YAMLPosition: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1. Lines end with LF, CRLF or CR.
    package var line: Int
    /// In Unicode scalars, counted from 1. A byte order mark is not counted.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

/// Why a text is none that can be used: everything that was found, in the order of the text.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One thing that is wrong.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package var position: YAMLPosition
        /// In plain words, without the place. What it repeats of the text is inert on a terminal.
        package var message: String

        package var description: String { "\(position): \(message)" }
    }

    /// What is kept of a text that is wrong everywhere.
    package static let mostProblems = 100

    /// At least one, at most `mostProblems`.
    package internal(set) var problems: [Problem] = []

    /// A line for each.
    package var description: String { problems.map(\.description).joined(separator: "\n") }

    mutating func add(_ problem: Problem) {
        if problems.count < Self.mostProblems { problems.append(problem) }
    }

    mutating func add(_ message: String, at position: YAMLPosition) {
        add(Problem(position: position, message: message))
    }
}

/// What a text may ask for, so that nobody's file takes much time or memory.
package enum YAMLLimits {
    /// Bytes of a text.
    package static let bytes = 1 << 20
    /// Levels of sequences and mappings.
    package static let levels = 64
    /// Values and keys, aliases resolved.
    package static let nodes = 100_000
    /// Bytes of all scalars, aliases resolved.
    package static let resolvedBytes = 4 << 20
}

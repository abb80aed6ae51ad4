import RegularExpressions

/// The reason why a pattern is invalid.
package struct RoomPatternError: Error, Hashable, Sendable {
    /// A description in one sentence. It may quote the pattern.
    package var message: String
    /// An unknown word, and the known words in its place.
    package var unknown: (word: String, candidates: [String])? {
        word.map { ($0, candidates) }
    }
    private var word: String?
    private var candidates: [String]

    /// Creates an error with a message.
    package init(_ message: String, word: String? = nil, among candidates: [String] = []) {
        self.message = message
        self.word = word
        self.candidates = candidates
    }
}

/// A selection of rooms, in one of the forms that users can write.
package indirect enum RoomPattern: Hashable, Sendable {
    /// The room with this name: `/companies/…/feed`, or any name in quotation marks.
    case exact(String)
    /// Rooms whose title matches: `#general`, `#eng*`. Upper and lower case are equal.
    case title(String)
    /// Rooms whose name matches a wildcard pattern: `/companies/*/users/**`.
    case glob(String)
    /// Rooms whose name matches a regular expression: `/…/`.
    case expression(String)
    /// Rooms that satisfy all these conditions: `kind=direct,unread>0`.
    case selector([RoomSelector])
    /// The rooms of a named set: `@work`. It matches nothing until its contents replace the name
    /// (`RoomExpression.expanding`).
    case set(String)
    /// The rooms of an expression in parentheses.
    case group(RoomExpression)

    /// The maximum length of a pattern in bytes. The quotation marks of a name or a title and the escapes inside do not
    /// count.
    package static let longest = 1024

    /// Parses a single pattern of an expression.
    init(parsing text: String) throws(RoomPatternError) {
        guard !text.isEmpty else { throw RoomPatternError("a pattern is empty") }
        // Each byte of a quoted title may need a backslash.
        guard text.utf8.count <= 2 * Self.longest + 3 else { throw Self.tooLong }
        if text.unicodeScalars.first == "\"" {
            let name = try Self.unquoted(text)
            guard name.utf8.count <= Self.longest else { throw Self.tooLong }
            self = .exact(name)
        } else if text.unicodeScalars.first == "#" {
            let written = String(text.unicodeScalars.dropFirst())
            let title = written.unicodeScalars.first == "\"" ? try Self.unquoted(written) : written
            guard !title.isEmpty else { throw RoomPatternError("# needs a title: #general") }
            guard title.utf8.count <= Self.longest else { throw Self.tooLong }
            self = .title(title)
        } else if text.utf8.count > Self.longest {
            throw Self.tooLong
        } else if text.unicodeScalars.first == "@" {
            self = .set(try Self.setName(String(text.unicodeScalars.dropFirst())))
        } else if text.hasPrefix("/"), text.hasSuffix("/"), text.utf8.count > 2 {
            let expression = String(text.dropFirst().dropLast())
            do throws(RegularExpression.Malformed) {
                _ = try RegularExpression(expression)
            } catch {
                throw RoomPatternError("invalid regular expression \(text): \(error.message)")
            }
            self = .expression(expression)
        } else if RoomSelector.isLike(text[...]) {
            var conditions: [RoomSelector] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                conditions.append(try RoomSelector(parsing: part))
            }
            self = .selector(conditions)
        } else {
            self = RoomGlob.hasWildcard(text) ? .glob(text) : .exact(text)
        }
    }

    private static var tooLong: RoomPatternError { RoomPatternError("a pattern is longer than \(longest) bytes") }

    /// Checks the name of a set: letters, digits, `.`, `_` and `-`, at most 64 bytes.
    package static func setName(_ name: String) throws(RoomPatternError) -> String {
        guard name.isPlainName, name.utf8.count <= 64 else {
            throw RoomPatternError("@\(name) names no set: use up to 64 letters, digits, '.', '_' and '-'")
        }
        return name
    }

    /// The name of the single room that the pattern selects, known or not; `nil` for any other pattern.
    package var exactName: String? { if case .exact(let name) = self { name } else { nil } }

    /// Whether the selection depends on more than the names of rooms.
    var dependsOnFacts: Bool {
        switch self {
        case .exact, .glob, .expression, .set: false
        case .title, .selector: true
        case .group(let expression): expression.terms.contains { $0.pattern.dependsOnFacts }
        }
    }

    private static func unquoted(_ text: String) throws(RoomPatternError) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars.dropFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                guard rest.isEmpty else { throw RoomPatternError("something follows the quotation marks: \(text)") }
                return String(result)
            }
            result.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
        }
        throw RoomPatternError("quotation marks are not closed: \(text)")
    }

    fileprivate static func quoted(_ text: String) -> String {
        var result = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { result.append("\\") }
            result.append(scalar)
        }
        result.append("\"")
        return String(result)
    }
}

extension RoomPattern: CustomStringConvertible {
    /// The pattern in the syntax that `init(parsing:)` reads.
    package var description: String {
        switch self {
        case .exact(let name):
            RoomExpression.isPlain(name) && (try? RoomPattern(parsing: name)) == self ? name : Self.quoted(name)
        case .title(let title): RoomExpression.isPlain("#" + title) ? "#" + title : "#" + Self.quoted(title)
        case .glob(let form): form
        case .expression(let text): "/\(text)/"
        case .selector(let conditions): conditions.map(\.description).joined(separator: ",")
        case .set(let name): "@" + name
        case .group(let expression): "(\(expression))"
        }
    }
}

/// A pattern compiled for tests of many rooms.
struct RoomMatcher {
    private indirect enum Form {
        case exact(String)
        case title(RoomGlob)
        case glob(RoomGlob)
        case expression(RegularExpression)
        case selector([RoomSelector])
        case group([(isExcluded: Bool, form: Form)])
        case nothing
    }
    private let form: Form

    init(_ pattern: RoomPattern) { form = Self.form(of: pattern) }

    private static func form(of pattern: RoomPattern) -> Form {
        switch pattern {
        case .exact(let name): .exact(name)
        case .title(let title): .title(RoomGlob(title.lowercased()))
        case .glob(let text): .glob(RoomGlob(text))
        case .expression(let text): (try? RegularExpression(text)).map { .expression($0) } ?? .nothing
        case .selector(let conditions): .selector(conditions)
        case .set: .nothing
        case .group(let expression): .group(expression.terms.map { ($0.isExcluded, form(of: $0.pattern)) })
        }
    }

    func matches(_ room: RoomFacts) -> Bool { Self.matches(form, room) }

    private static func matches(_ form: Form, _ room: RoomFacts) -> Bool {
        switch form {
        case .exact(let name): name == room.name
        case .title(let form): room.title.map { form.matches($0.lowercased()) } ?? false
        case .glob(let form): form.matches(room.name)
        case .expression(let expression): expression.matches(room.name)
        case .selector(let conditions): conditions.allSatisfy { $0.matches(room) }
        case .group(let terms): terms.last { matches($0.form, room) }?.isExcluded == false
        case .nothing: false
        }
    }
}

extension String {
    /// Whether the text consists of letters, digits, `.`, `_` and `-`, at least one of them. The names of sets,
    /// contexts, sockets and files must.
    package var isPlainName: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

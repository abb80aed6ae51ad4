import WeirRegex

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

/// A wildcard pattern. `*` matches any characters except a slash, and `**` matches any characters. All other characters
/// match themselves, including `?`, which is common in the names of rooms.
struct RoomGlob: Hashable, Sendable {
    let text: String
    private let parts: [Part]

    private enum Part: Hashable, Sendable {
        case byte(UInt8)
        /// A wildcard. `**` crosses slashes.
        case star(crossesSlashes: Bool)
    }

    init(_ text: String) {
        self.text = text
        var parts: [Part] = []
        for byte in text.utf8 {
            guard byte == UInt8(ascii: "*") else {
                parts.append(.byte(byte))
                continue
            }
            if case .star = parts.last {
                parts[parts.count - 1] = .star(crossesSlashes: true)
            } else {
                parts.append(.star(crossesSlashes: false))
            }
        }
        self.parts = parts
    }

    /// Returns whether text contains a wildcard.
    static func hasWildcard(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "*")) }

    /// Returns whether the pattern matches all of `subject`. The time is at most the product of both lengths.
    func matches(_ subject: String) -> Bool {
        // The positions in the pattern that the text read so far can reach.
        var places = [Bool](repeating: false, count: parts.count + 1)
        places[0] = true
        passStars(&places)
        for byte in subject.utf8 {
            var next = [Bool](repeating: false, count: parts.count + 1)
            for (index, part) in parts.enumerated() where places[index] {
                switch part {
                case .byte(byte): next[index + 1] = true
                case .byte: break
                case .star(let crossesSlashes):
                    if crossesSlashes || byte != UInt8(ascii: "/") { next[index] = true }
                }
            }
            passStars(&next)
            places = next
        }
        return places[parts.count]
    }

    /// Advances past wildcards, because a wildcard may match nothing.
    private func passStars(_ places: inout [Bool]) {
        for (index, part) in parts.enumerated() where places[index] {
            if case .star = part { places[index + 1] = true }
        }
    }
}

/// A condition of a selector, such as `kind=direct` or `unread>0`.
package struct RoomSelector: Hashable, Sendable, CustomStringConvertible {
    /// The properties that a condition can test.
    enum Field: String, CaseIterable {
        case kind, title, id, unread, company, workspace
    }

    /// The comparisons. Longer ones come first, because they begin with shorter ones.
    enum Comparison: String, CaseIterable {
        case isNot = "!="
        case atLeast = ">="
        case atMost = "<="
        case equals = "="
        case above = ">"
        case below = "<"
    }

    private let field: Field
    private let comparison: Comparison
    private let value: RoomGlob

    /// The condition as it is written.
    package var description: String { field.rawValue + comparison.rawValue + value.text }

    /// The names of all fields, for error messages.
    static var fieldNames: [String] { Field.allCases.map(\.rawValue) }

    /// Returns whether `text` begins like a selector: a lower-case word and a comparison.
    static func isLike(_ text: Substring) -> Bool {
        let word = text.prefix { ("a"..."z").contains($0) }
        guard !word.isEmpty else { return false }
        return Comparison.allCases.contains { text[word.endIndex...].hasPrefix($0.rawValue) }
    }

    /// Parses a single condition of a selector.
    init(parsing text: Substring) throws(RoomPatternError) {
        let word = text.prefix { ("a"..."z").contains($0) }
        let rest = text[word.endIndex...]
        guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw RoomPatternError("invalid condition \(text); write it like kind=direct or unread>0")
        }
        guard let field = Field(rawValue: String(word)) else {
            throw RoomPatternError(
                "rooms have no field \(word): one of \(Self.fieldNames.joined(separator: ", "))", word: String(word),
                among: Self.fieldNames)
        }
        let value = String(rest.dropFirst(comparison.rawValue.count))
        if field == .unread {
            guard Int(value) != nil else { throw RoomPatternError("unread is compared with a whole number: \(text)") }
        } else {
            guard comparison == .equals || comparison == .isNot else {
                throw RoomPatternError("\(field.rawValue) is compared with = or !=: \(text)")
            }
        }
        self.field = field
        self.comparison = comparison
        self.value = RoomGlob(value)
    }

    func matches(_ room: RoomFacts) -> Bool {
        switch field {
        case .unread: return matches(count: room.unread ?? 0)
        case .kind: return matches(text: room.kind)
        case .title: return matches(text: room.title ?? "")
        case .id: return matches(text: room.name)
        case .company: return matches(text: room.company ?? "")
        case .workspace: return matches(text: room.workspace ?? "")
        }
    }

    private func matches(text: String) -> Bool { value.matches(text) == (comparison == .equals) }

    private func matches(count: Int) -> Bool {
        guard let other = Int(value.text) else { return false }
        return switch comparison {
        case .isNot: count != other
        case .atLeast: count >= other
        case .atMost: count <= other
        case .equals: count == other
        case .above: count > other
        case .below: count < other
        }
    }
}

/// The properties of a room that patterns can test.
package struct RoomFacts: Sendable {
    /// The room's name on the wire.
    package var name: String
    /// The room's name for people, if the model contains it. Untrusted text.
    package var title: String?
    /// The contents of the room in one word: `public`, `private`, `group`, `topic` and `direct` for the messages of
    /// such a channel (`messages` while the kind is unknown), `thread`, `members`, `list`, `badges`, `places`,
    /// `people`, or `room`.
    package var kind: String
    /// The number of unread messages, as far as it is known: for a list those of the whole workspace, for places and
    /// badges those of the whole company. `nil` if there is no count.
    package var unread: Int? { countUnread?() }
    /// Counts the unread messages. The count is lazy because few callers need it.
    package var countUnread: (@Sendable () -> Int)?
    /// The id of the company to which the room belongs, if known.
    package var company: String?
    /// The id of the workspace to which the room belongs, if known.
    package var workspace: String?
    /// Whether the room announces new rooms. Such a room is joined even if no pattern matches it, unless a rule
    /// excludes it.
    package var tellsOfRooms = false

    /// Creates the facts of a room, by default of one that belongs nowhere.
    package init(
        name: String, title: String? = nil, kind: String = "room", unread: Int? = nil, company: String? = nil,
        workspace: String? = nil, tellsOfRooms: Bool = false
    ) {
        self.name = name
        self.title = title
        self.kind = kind
        if let unread { countUnread = { unread } }
        self.company = company
        self.workspace = workspace
        self.tellsOfRooms = tellsOfRooms
    }
}

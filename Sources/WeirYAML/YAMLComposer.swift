import WeirJSON

/// Builds a tree from libyaml's events.
///
/// It collects errors that allow reading to continue, and throws those that do not (grammar, limits).
struct YAMLComposer: ~Copyable {
    /// The errors collected so far.
    var error = YAMLError()
    private var events: YAMLEventReader
    private var anchors: [String: Anchor] = [:]
    /// The total size of everything read so far, with aliases resolved.
    private var size = Size()

    private struct Size {
        var nodes = 0
        var bytes = 0
    }

    private enum Anchor {
        /// The anchor's value has not ended yet.
        case open
        case closed(YAMLNode, Size)
    }

    init(_ text: [UInt8]) { events = YAMLEventReader(text) }

    /// Returns the root of the text's single document.
    mutating func document() throws(YAMLError.Problem) -> YAMLNode {
        let start = try events.next()
        guard case .documentStart = start.kind else {
            throw YAMLError.Problem(position: start.position, message: "the file is empty")
        }
        let root = try node(try events.next(), level: 0)
        _ = try events.next()
        let end = try events.next()
        if case .textEnd = end.kind { return root }
        throw YAMLError.Problem(position: end.position, message: "a second document begins here; there must be one")
    }

    /// Returns the value that starts with `event`, nested in `level` sequences and mappings.
    private mutating func node(_ event: YAMLEvent, level: Int) throws(YAMLError.Problem) -> YAMLNode {
        if case .alias(let name) = event.kind { return try resolved(name, event.position, level) }
        let before = size
        if let anchor = event.anchor { anchors[anchor] = .open }
        let node = YAMLNode(value: try value(event, level), position: event.position)
        if let anchor = event.anchor {
            let size = Size(nodes: size.nodes - before.nodes, bytes: size.bytes - before.bytes)
            anchors[anchor] = .closed(node, size)
        }
        return node
    }

    private mutating func value(_ event: YAMLEvent, _ level: Int) throws(YAMLError.Problem) -> YAMLNode.Value {
        switch event.kind {
        case .scalar(let text, let style):
            try count(Size(nodes: 1, bytes: text.utf8.count), event.position)
            return .scalar(text, self.style(of: text, style, event))
        case .sequenceStart:
            try begin(event, "seq", level)
            var elements: [YAMLNode] = []
            while let element = try member(level + 1) { elements.append(element) }
            return .sequence(elements)
        case .mappingStart:
            try begin(event, "map", level)
            var mapping = YAMLMapping()
            while let key = try member(level + 1), let value = try member(level + 1) { mapping.add(key, value, &error) }
            return .mapping(mapping.members)
        case .documentStart, .alias, .end, .textEnd: preconditionFailure("libyaml begins a value with \(event.kind)")
        }
    }

    /// Returns the next value in a sequence or a mapping, or `nil` at its end.
    private mutating func member(_ level: Int) throws(YAMLError.Problem) -> YAMLNode? {
        let event = try events.next()
        if case .end = event.kind { return nil }
        return try node(event, level: level)
    }

    /// Checks the limits and the tag at the start of a sequence or a mapping.
    private mutating func begin(_ event: YAMLEvent, _ name: String, _ level: Int) throws(YAMLError.Problem) {
        try count(Size(nodes: 1), event.position)
        try check(level: level + 1, event.position)
        if let tag = event.tag, tag != "!", tag != Self.core + name { refuse(tag, event.position) }
    }

    // MARK: Aliases

    /// Returns the value of an alias.
    private mutating func resolved(
        _ name: String, _ position: YAMLPosition, _ level: Int
    ) throws(YAMLError.Problem) -> YAMLNode {
        switch anchors[name] {
        case .closed(var node, let size):
            try count(size, position)
            try check(level: level + Self.levels(of: node), position)
            node.position = position
            return node
        case .open: error.add("the alias *\(name) is inside its own value", at: position)
        case nil: error.add("no &\(name) before this alias", at: position)
        }
        return YAMLNode(value: .scalar("", .plain), position: position)
    }

    private static func levels(of node: YAMLNode) -> Int {
        switch node.value {
        case .scalar: 0
        case .sequence(let elements): 1 + (elements.lazy.map(levels).max() ?? 0)
        case .mapping(let members): 1 + (members.lazy.map { levels(of: $0.value) }.max() ?? 0)
        }
    }

    // MARK: Limits

    private func check(level: Int, _ position: YAMLPosition) throws(YAMLError.Problem) {
        guard level > YAMLLimits.levels else { return }
        throw YAMLError.Problem(position: position, message: "nested deeper than \(YAMLLimits.levels) levels")
    }

    private mutating func count(_ more: Size, _ position: YAMLPosition) throws(YAMLError.Problem) {
        size.nodes += more.nodes
        size.bytes += more.bytes
        if size.nodes > YAMLLimits.nodes {
            let message = "more than \(YAMLLimits.nodes) values, aliases resolved"
            throw YAMLError.Problem(position: position, message: message)
        }
        if size.bytes > YAMLLimits.resolvedBytes {
            let message = "more than \(YAMLLimits.resolvedBytes) bytes of text, aliases resolved"
            throw YAMLError.Problem(position: position, message: message)
        }
    }

    // MARK: Tags

    private static let core = "tag:yaml.org,2002:"

    /// Returns the style of a scalar. A tag may override the style in which it is written.
    private mutating func style(of text: String, _ style: YAMLNode.Style, _ event: YAMLEvent) -> YAMLNode.Style {
        guard let tag = event.tag else { return style }
        let plain = YAMLNode(value: .scalar(text, .plain), position: event.position)
        let fits: Bool
        switch tag {
        case "!", Self.core + "str": return .quoted
        case Self.core + "null": fits = plain.isNull
        case Self.core + "bool": fits = plain.truth != nil
        case Self.core + "int": fits = plain.integer != nil
        case Self.core + "float": fits = plain.number != nil
        default:
            refuse(tag, event.position)
            return style
        }
        if !fits { error.add("\(shown(text)) is not one of !!\(tag.dropFirst(Self.core.count))", at: event.position) }
        return .plain
    }

    private mutating func refuse(_ tag: String, _ position: YAMLPosition) {
        let name = tag.hasPrefix(Self.core) ? "!!" + tag.dropFirst(Self.core.count) : tag
        error.add("the tag \(shown(name)) is unknown here, or not for such a value", at: position)
    }
}

/// Collects the members of a mapping.
struct YAMLMapping {
    private var own: [YAMLNode.Member] = []
    private var firsts: [String: YAMLPosition] = [:]
    /// The members of merged mappings, each with the index of the own member that it precedes.
    private var merged: [(place: Int, members: [YAMLNode.Member])] = []

    /// All members, own and merged.
    ///
    /// Merged members take the place of their `<<`. A key of the mapping itself overrides a merged one, and the first
    /// of several merged ones wins.
    var members: [YAMLNode.Member] {
        guard !merged.isEmpty else { return own }
        var (all, taken) = ([YAMLNode.Member](), Set(firsts.keys))
        var rest = own[...]
        for (place, members) in merged {
            all += rest.prefix(place - rest.startIndex)
            rest = own[place...]
            all += members.filter { taken.insert($0.key.text ?? "").inserted }
        }
        return all + rest
    }

    /// Adds a member, or adds an error about its key.
    mutating func add(_ key: YAMLNode, _ value: YAMLNode, _ error: inout YAMLError) {
        if case .scalar("<<", .plain) = key.value { return merge(value, &error) }
        guard let name = key.text else {
            return error.add("a key must be a text, not a list or a mapping", at: key.position)
        }
        if let first = firsts[name] {
            return error.add("duplicate key \(shown(name)); the first is at \(first)", at: key.position)
        }
        firsts[name] = key.position
        own.append(YAMLNode.Member(key: key, value: value))
    }

    /// Merges the members of a mapping, or of each mapping in a sequence (the merge key of YAML 1.1).
    private mutating func merge(_ value: YAMLNode, _ error: inout YAMLError) {
        let values = if case .sequence(let elements) = value.value { elements } else { [value] }
        for value in values {
            guard case .mapping(let members) = value.value else {
                error.add("'<<' merges a mapping, most often an alias of one", at: value.position)
                continue
            }
            merged.append((own.count, members))
        }
    }
}

/// Returns untrusted text in a form for messages: quoted, shortened to 40 characters, and safe to print on a terminal.
func shown(_ text: String) -> String {
    let short = text.unicodeScalars.prefix(40)
    var writer = JSONWriter()
    writer.string(String(short) + (short.endIndex < text.unicodeScalars.endIndex ? "…" : ""))
    return "'\(String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self))'"
}

/// Makes a tree of libyaml's events. What is wrong is gathered; what makes going on senseless (grammar, limits) is thrown.
struct YAMLComposer: ~Copyable {
    /// What was found so far.
    var error = YAMLError()
    private var events: YAMLEventReader
    private var anchors: [String: Anchor] = [:]
    /// Of all that was read, aliases resolved.
    private var size = Size()

    private struct Size {
        var nodes = 0
        var bytes = 0
    }

    private enum Anchor {
        /// The value that it names has not ended.
        case open
        case closed(YAMLNode, Size)
    }

    init(_ text: [UInt8]) { events = YAMLEventReader(text) }

    /// The one document of the text.
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

    /// The value that begins with an event, inside of so many sequences and mappings.
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

    /// The next value inside of a sequence or a mapping; nil at its end.
    private mutating func member(_ level: Int) throws(YAMLError.Problem) -> YAMLNode? {
        let event = try events.next()
        if case .end = event.kind { return nil }
        return try node(event, level: level)
    }

    /// Checks what begins a sequence or a mapping.
    private mutating func begin(_ event: YAMLEvent, _ name: String, _ level: Int) throws(YAMLError.Problem) {
        try count(Size(nodes: 1), event.position)
        try check(level: level + 1, event.position)
        if let tag = event.tag, tag != "!", tag != Self.core + name { refuse(tag, event.position) }
    }

    // MARK: Aliases

    /// What an alias stands for.
    private mutating func resolved(
        _ name: String, _ position: YAMLPosition, _ level: Int
    ) throws(YAMLError.Problem) -> YAMLNode {
        switch anchors[name] {
        case .closed(var node, let size):
            try count(size, position)
            try check(level: level + Self.levels(of: node), position)
            node.position = position
            return node
        case .open: error.add("the alias *\(name) stands inside of what it stands for", at: position)
        case nil: error.add("there is no &\(name) before this alias", at: position)
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

    /// The style of a scalar, which a tag may decide.
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
        if !fits { error.add("\(shown(text)) is none of !!\(tag.dropFirst(Self.core.count))", at: event.position) }
        return .plain
    }

    private mutating func refuse(_ tag: String, _ position: YAMLPosition) {
        let name = tag.hasPrefix(Self.core) ? "!!" + tag.dropFirst(Self.core.count) : tag
        error.add("the tag \(shown(name)) is unknown here, or not for such a value", at: position)
    }
}

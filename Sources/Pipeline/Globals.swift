package import Events
public import JSONText
import SectionedModel

/// What the user looks at: one value, which the session keeps up to date. A tail stores it with every change, and restores it before
/// anything else at the next start.
public struct Globals: Hashable, Sendable {
    /// Which list of channels is shown.
    public enum Tab: String, Hashable, Sendable {
        /// Public and private channels, and groups.
        case commons
        case directs
    }

    /// The server's address. Set by the tail.
    public var host = ""
    /// Where the token is, such as `env:TOKEN`; never the token. Set by the tail.
    public var token: String?
    /// The server's id of the user; nil until it has said so.
    public var user: String?
    /// Whether the realtime connection is ready.
    public var isConnected = false
    /// Id of the selected company.
    public var company: String?
    /// Id of the selected workspace of each company.
    public var workspaces: [String: String] = [:]
    /// The list of channels that is shown.
    public var tab = Tab.commons
    /// Id of the selected channel, group or conversation.
    public var channel: String?
    /// Id of the message that heads the selected thread.
    public var thread: String?

    /// Nothing is selected.
    public init() {}

    /// Id of the selected workspace.
    public var workspace: String? { company.flatMap { workspaces[$0] } }
}

extension Globals {
    package mutating func select(company: EntityID, workspace: EntityID) {
        let (company, workspace) = (company.description, workspace.description)
        if self.company != company || workspaces[company] != workspace { clearChannel() }
        self.company = company
        workspaces[company] = workspace
    }

    mutating func select(channel: EntityID, thread: EntityID? = nil, in tab: Tab) {
        (self.channel, self.thread, self.tab) = (channel.description, thread?.description, tab)
    }

    /// Selects a channel that was made.
    package mutating func select(channel: EntityID, madeAs kind: Action.ChannelDraft.Kind) {
        select(channel: channel, in: kind == .direct ? .directs : .commons)
    }

    mutating func clearChannel() { (channel, thread) = (nil, nil) }

    /// Clears what left the model.
    mutating func clear(deleted batch: borrowing Batch<Item>) {
        guard let channel else { return }
        for deletion in batch.deletions {
            let row = deletion.element
            if row.id.id.description == channel, row.channelName != nil { return clearChannel() }
            if row.id.id.description == thread { thread = nil }
        }
    }
}

// As it is stored: what the user selected.
extension Globals {
    /// A JSON object of what the user selected, without what is the run's: host, token, user, connection.
    public func encodeSelection(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("company", company)
        if !workspaces.isEmpty {
            writer.key("workspaces")
            writer.beginObject()
            for (company, workspace) in workspaces.sorted(by: { $0.key < $1.key }) {
                writer.key(company)
                writer.string(workspace)
            }
            writer.endObject()
        }
        if tab != .commons { writer.member("tab", tab.rawValue) }
        writer.member("channel", channel)
        writer.member("thread", thread)
        writer.endObject()
    }

    /// Reads what `encodeSelection` wrote. Members of another type, and those this version does not know, are passed over.
    public init(selection json: RawJSON) {
        guard let value = try? JSONValue(parsing: json.bytes) else { return }
        company = value["company"]?.text
        if case .object(let members)? = value["workspaces"] {
            for member in members { workspaces[member.key] = member.value.text }
        }
        tab = value["tab"]?.text.flatMap(Tab.init) ?? .commons
        channel = value["channel"]?.text
        thread = value["thread"]?.text
    }
}

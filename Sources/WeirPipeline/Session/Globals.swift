package import WeirEvents
public import WeirJSON
import WeirModel

/// The user, the channel and the state of the connection that a client displays outside the rows.
///
/// The session keeps this value up to date. A tail stores it after every change and restores it before anything else at
/// the next start.
public struct Globals: Hashable, Sendable {
    /// The list of channels that is shown.
    public enum Tab: String, Hashable, Sendable {
        /// Public and private channels, and groups.
        case commons
        case directs
    }

    /// The server's address, set by the tail.
    public var host = ""
    /// A reference to the token, such as `env:TOKEN`, but never the token itself. Set by the tail.
    public var token: String?
    /// The server's id of the user; `nil` until the server has sent it.
    public var user: String?
    /// Whether the realtime connection is ready.
    public var isConnected = false
    /// The id of the selected company.
    public var company: String?
    /// The ids of the selected workspaces, keyed by the id of their company.
    public var workspaces: [String: String] = [:]
    /// The list of channels that is shown.
    public var tab = Tab.commons
    /// The id of the selected channel, group or conversation.
    public var channel: String?
    /// The id of the first message of the selected thread.
    public var thread: String?

    /// Creates a value in which nothing is selected.
    public init() {}

    /// The id of the workspace that is selected in the selected company.
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

    /// Selects a channel that the user has created.
    package mutating func select(channel: EntityID, madeAs kind: Action.ChannelDraft.Kind) {
        select(channel: channel, in: kind == .direct ? .directs : .commons)
    }

    mutating func clearChannel() { (channel, thread) = (nil, nil) }

    /// Clears the selection of a channel or thread that the batch deletes.
    mutating func clear(deleted batch: borrowing Batch<Item>) {
        guard let channel else { return }
        for deletion in batch.deletions {
            let row = deletion.element
            if row.id.id.description == channel, row.channelName != nil { return clearChannel() }
            if row.id.id.description == thread { thread = nil }
        }
    }
}

// The stored form, which contains only the user's selection.
extension Globals {
    /// Writes the user's selection as a JSON object, without the members that belong to one run: host, token, user and
    /// connection.
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

    /// Creates a value from the JSON that `encodeSelection(into:)` wrote. Ignores unknown members, and members of an
    /// unexpected type.
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

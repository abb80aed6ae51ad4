extension Twake {
    /// What a user may do in a company, a workspace or a channel, by one word (section 6): `owner`, `member`, `guest` of a channel;
    /// `owner`, `admin`, `member`, `guest` of a company; `admin`, `moderator`, `member` of a workspace.
    public enum Role: WireEnumeration {
        /// `owner`: it is theirs.
        case owner
        /// `admin`: they administer it.
        case admin
        /// `moderator`: they look after it.
        case moderator
        /// `member`: they belong to it.
        case member
        /// `guest`: they are let in.
        case guest
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The role the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "owner": .owner
                case "admin": .admin
                case "moderator": .moderator
                case "member": .member
                case "guest": .guest
                default: .unknown(name)
                }
        }

        /// The wire's `role`.
        public var wireName: String {
            switch self {
            case .owner: "owner"
            case .admin: "admin"
            case .moderator: "moderator"
            case .member: "member"
            case .guest: "guest"
            case .unknown(let name): name
            }
        }
    }

    /// One thing a user may do, as era A lists them (4.3); a role says it all since July 2021.
    public enum Permission: WireEnumeration {
        /// `CREATE_WORKSPACES`, of a company.
        case createWorkspaces
        /// `EDIT_WORKSPACE`, of a workspace.
        case editWorkspace
        /// `UPDATE_NAME`, of a channel as all that follow.
        case updateName
        /// `UPDATE_DESCRIPTION`.
        case updateDescription
        /// `ADD_MEMBER`.
        case addMember
        /// `REMOVE_MEMBER`.
        case removeMember
        /// `UPDATE_PRIVACY`.
        case updatePrivacy
        /// `DELETE_CHANNEL`.
        case deleteChannel
        /// A value this version does not know, as written; never one of the above.
        indirect case unknown(String)

        /// The permission the wire calls `name`.
        public init(wire name: String) {
            self =
                switch name {
                case "CREATE_WORKSPACES": .createWorkspaces
                case "EDIT_WORKSPACE": .editWorkspace
                case "UPDATE_NAME": .updateName
                case "UPDATE_DESCRIPTION": .updateDescription
                case "ADD_MEMBER": .addMember
                case "REMOVE_MEMBER": .removeMember
                case "UPDATE_PRIVACY": .updatePrivacy
                case "DELETE_CHANNEL": .deleteChannel
                default: .unknown(name)
                }
        }

        /// The name in the wire's `permissions`.
        public var wireName: String {
            switch self {
            case .createWorkspaces: "CREATE_WORKSPACES"
            case .editWorkspace: "EDIT_WORKSPACE"
            case .updateName: "UPDATE_NAME"
            case .updateDescription: "UPDATE_DESCRIPTION"
            case .addMember: "ADD_MEMBER"
            case .removeMember: "REMOVE_MEMBER"
            case .updatePrivacy: "UPDATE_PRIVACY"
            case .deleteChannel: "DELETE_CHANNEL"
            case .unknown(let name): name
            }
        }
    }
}

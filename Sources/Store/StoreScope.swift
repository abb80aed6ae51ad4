/// Whose everything is: a user of a server.
public struct StoreAccount: Hashable, Sendable {
    /// The server's scheme, host and port.
    public var server: String
    /// The server's id of the user.
    public var user: String
    /// An account.
    public init(server: String, user: String) {
        self.server = server
        self.user = user
    }
}

/// What a session's model is of: an account, seen as the session was asked to.
public struct StoreScope: Hashable, Sendable {
    /// Whose it is.
    public var account: StoreAccount
    /// What of the account was asked for; sessions that were asked for the same share a memory. Empty for what there is by itself.
    public var view: String
    /// A scope.
    public init(_ account: StoreAccount, view: String = "") {
        self.account = account
        self.view = view
    }
}

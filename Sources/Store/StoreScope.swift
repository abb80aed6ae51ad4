/// A user of a server: the owner of everything in the store.
public struct StoreAccount: Hashable, Sendable {
    /// The server's scheme, host and port.
    public var server: String
    /// The server's id of the user.
    public var user: String
    /// Creates an account from the server's origin and its id of the user.
    public init(server: String, user: String) {
        self.server = server
        self.user = user
    }
}

/// The owner of one stored model: an account and a view of it.
public struct StoreScope: Hashable, Sendable {
    /// The account that owns the model.
    public var account: StoreAccount
    /// The part of the account that the session was configured to show. Sessions with equal views share a memory. Empty
    /// for the default view.
    public var view: String
    /// Creates a scope; without `view` it is the account's default view.
    public init(_ account: StoreAccount, view: String = "") {
        self.account = account
        self.view = view
    }
}

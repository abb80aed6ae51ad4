import Events

extension BackendAccounts {
    /// The account calls of GroupMe (GroupMe GM-44).
    static let groupMe = alike(
        AccountCalls(
            whoami: GroupMeEndpoints.me.call,
            account: { body throws(DecodingFailure) in
                let user = try GroupMe.user(from: body)
                let id = user.id.entity
                return BackendAccount(id: id, name: user.name ?? id.description, picture: user.imageURL)
            }, tokenPage: "https://dev.groupme.com"))
}

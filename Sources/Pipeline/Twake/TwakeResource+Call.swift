import Events

extension TwakeResource {
    /// What is sent to fetch this.
    var call: RESTCall {
        switch self {
        case .server: TwakeEndpoints.server.call
        case .account(let era): TwakeEndpoints.account(era).call
        case .accounts(let era, let users): TwakeEndpoints.accounts(era, users).call
        case .companies(let era): TwakeEndpoints.companies(era).call
        case .workspaces(let era, let company): TwakeEndpoints.workspaces(era, company: company).call
        case .rooms(let company, let workspace): TwakeEndpoints.rooms(company: company, workspace: workspace).call
        case .channels(let era, let company, let workspace):
            TwakeEndpoints.channels(era, company: company, workspace: workspace, user: nil).call
        case .directs(let era, let company): TwakeEndpoints.directs(era, company: company, user: nil).call
        case .channel(let path): TwakeEndpoints.channel(path).call
        case .members(let era, let path): TwakeEndpoints.members(era, path).call
        case .feed(let era, let path): TwakeEndpoints.feed(era, path).call
        case .history(let era, let path, let before): TwakeEndpoints.feed(era, path, before: before).call
        case .thread(let era, let company, let path, let id):
            TwakeEndpoints.thread(era, company: company, path, id: id).call
        case .replies(let era, let company, let path, let thread, let before):
            TwakeEndpoints.thread(era, company: company, path, id: thread, before: before).call
        case .message(let era, let path, let thread, let id):
            TwakeEndpoints.message(era, path, thread: thread, id: id).call
        case .badges(.a, let company): TwakeEndpoints.badgeCounts(company: company).call
        case .badges(.b, let company): TwakeEndpoints.badges(company: company).call
        }
    }
}

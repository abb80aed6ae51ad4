import Events

extension TwakeResource {
    /// Returns the request and the decoder for the resource.
    ///
    /// - Parameter user: The requesting user; a direct is named by its other users.
    func reader(for user: EntityID?) -> AnswerReader {
        switch self {
        case .server: AnswerReader(TwakeEndpoints.server)
        case .account(let era): AnswerReader(TwakeEndpoints.account(era))
        case .accounts(let era, let users): AnswerReader(TwakeEndpoints.accounts(era, users))
        case .companies(let era): AnswerReader(TwakeEndpoints.companies(era))
        case .workspaces(let era, let company): AnswerReader(TwakeEndpoints.workspaces(era, company: company))
        case .rooms(let company, let workspace):
            AnswerReader(TwakeEndpoints.rooms(company: company, workspace: workspace))
        case .channels(let era, let company, let workspace):
            AnswerReader(TwakeEndpoints.channels(era, company: company, workspace: workspace, user: user))
        case .directs(let era, let company): AnswerReader(TwakeEndpoints.directs(era, company: company, user: user))
        case .channel(let path): AnswerReader(TwakeEndpoints.channel(path))
        case .members(let era, let path): AnswerReader(TwakeEndpoints.members(era, path))
        case .feed(let era, let path): AnswerReader(TwakeEndpoints.feed(era, path))
        case .history(let era, let path, let before): AnswerReader(TwakeEndpoints.feed(era, path, before: before))
        case .thread(let era, let company, let path, let id):
            AnswerReader(TwakeEndpoints.thread(era, company: company, path, id: id))
        case .replies(let era, let company, let path, let thread, let before):
            AnswerReader(TwakeEndpoints.thread(era, company: company, path, id: thread, before: before))
        case .message(let era, let path, let thread, let id):
            AnswerReader(TwakeEndpoints.message(era, path, thread: thread, id: id))
        case .badges(.a, let company): AnswerReader(TwakeEndpoints.badgeCounts(company: company))
        case .badges(.b, let company): AnswerReader(TwakeEndpoints.badges(company: company))
        }
    }
}

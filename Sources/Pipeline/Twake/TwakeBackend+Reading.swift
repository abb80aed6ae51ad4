extension TwakeBackend {
    func reader(for key: ResourceKey) -> AnswerReader? {
        guard let resource = key.twake else { return nil }
        switch resource {
        case .channels(let era, let company, let workspace):
            return AnswerReader(
                TwakeEndpoints.channels(era, company: company, workspace: workspace, user: facts.user))
        case .directs(let era, let company):
            return AnswerReader(TwakeEndpoints.directs(era, company: company, user: facts.user))
        case .members(let era, let path): return AnswerReader(TwakeEndpoints.members(era, path))
        case .feed(let era, let path): return AnswerReader(TwakeEndpoints.feed(era, path))
        case .history(let era, let path, let before):
            return AnswerReader(TwakeEndpoints.feed(era, path, before: before))
        case .thread(let era, let company, let path, let id):
            return AnswerReader(TwakeEndpoints.thread(era, company: company, path, id: id))
        case .replies(let era, let company, let path, let id, let before):
            return AnswerReader(TwakeEndpoints.thread(era, company: company, path, id: id, before: before))
        case .badges(.a, let company): return AnswerReader(TwakeEndpoints.badgeCounts(company: company))
        case .badges(.b, let company): return AnswerReader(TwakeEndpoints.badges(company: company))
        default: return nil
        }
    }
}

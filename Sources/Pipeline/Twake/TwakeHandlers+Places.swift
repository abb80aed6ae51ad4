import Events
import SectionedModel

// Events of companies and workspaces contain no times and do not identify who may see them. The lists decide both.
extension TwakeHandler where Payload == Twake.Workspace {
    /// Handles `workspace`: updates a known workspace. The list decides whether an unknown one is the user's.
    static let workspaceChanged = TwakeHandler(name: "workspace") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.places), let company = sent.company ?? envelope.room.company,
            company == facts.company
        else { return }
        let known = context.model[.workspace(sent.id)]?.workspace
        let merged = known?.merged(with: sent)
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known == nil ? .unknown : merged == known ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .workspace, freshness)
        let list = TwakeResource.workspaces(facts.effectiveEra, company: company)
        context.overtake(removing: envelope.isDeletion) { $0 == list }
        if treatment.applies, let merged {
            if envelope.isDeletion {
                for channel in context.model.rows(in: .channels(sent.id)) {
                    context.removeChannel(channel.id.id, &memory)
                }
                context.model.remove(.workspace(sent.id))
            } else {
                context.model.put(.workspace(merged, of: company))
            }
        }
        if treatment.refetch == .placesSoon { context.fetchSoon(list, facts) }
    }
}

extension TwakeHandler where Payload == Twake.Company {
    /// Handles `company` in the same way as `workspace`.
    static let companyChanged = TwakeHandler(name: "company") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.places) else { return }
        let known = context.model[.company(sent.id)]?.company
        let merged = known?.merged(with: sent)
        let freshness: TwakeFreshness =
            envelope.isDeletion ? .removed : known == nil ? .unknown : merged == known ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .company, freshness)
        let list = TwakeResource.companies(facts.effectiveEra)
        context.overtake(removing: envelope.isDeletion) { $0 == list }
        if treatment.applies, let merged {
            if envelope.isDeletion {
                context.model.remove(.company(sent.id))
            } else {
                context.model.put(.company(merged))
            }
        }
        if treatment.refetch == .placesSoon { context.fetchSoon(list, facts) }
    }
}

extension TwakeHandler where Payload == Twake.CompanyUser {
    /// Handles `company_user`, a user's permissions in a company. For the user themselves, the list of companies
    /// contains the same.
    static let companyUserChanged = TwakeHandler(name: "company user") { sent, envelope, facts, memory, context in
        guard facts.following.contains(.places), sent.user == facts.user else { return }
        let known = sent.company.flatMap { context.model[.company($0)]?.company }
        let freshness: TwakeFreshness =
            envelope.isDeletion
            ? .removed : known == nil ? .unknown : known?.role == sent.role ? .same : .doubtful
        let treatment = TwakeRefetchPolicy.treatment(of: .companyUser, freshness)
        let list = TwakeResource.companies(facts.effectiveEra)
        context.overtake(removing: envelope.isDeletion) { $0 == list }
        if treatment.applies, var known {
            known.role = sent.role ?? known.role
            context.model.put(.company(known))
        }
        if treatment.refetch == .placesSoon { context.fetchSoon(list, facts) }
    }
}

extension HandlerContext {
    fileprivate mutating func fetchSoon(_ resource: TwakeResource, _ facts: TwakeFacts) {
        guard !facts.hasNoREST else { return }
        fetch(.twake(resource), after: .milliseconds(300))
    }
}

extension Twake.Workspace {
    /// Returns this workspace updated with `newer`. Fields that were not sent keep their values.
    fileprivate func merged(with newer: Twake.Workspace) -> Twake.Workspace {
        var merged = newer
        merged.company = newer.company ?? company
        merged.name = newer.name.isEmpty ? name : newer.name
        merged.logo = newer.logo ?? logo
        merged.color = newer.color ?? color
        merged.membersCount = newer.membersCount ?? membersCount
        merged.createdAt = newer.createdAt ?? createdAt
        merged.lastAccess = latest(newer.lastAccess, lastAccess)
        merged.role = newer.role ?? role
        merged.permissions = newer.permissions.isEmpty ? permissions : newer.permissions
        merged.isPrivate = newer.isPrivate ?? isPrivate
        merged.isDefault = newer.isDefault ?? isDefault
        return merged
    }
}

extension Twake.Company {
    /// Returns this company updated with `newer`. Fields that were not sent keep their values.
    fileprivate func merged(with newer: Twake.Company) -> Twake.Company {
        var merged = newer
        merged.name = newer.name.isEmpty ? name : newer.name
        merged.logo = newer.logo ?? logo
        merged.membersCount = newer.membersCount ?? membersCount
        merged.guestsCount = newer.guestsCount ?? guestsCount
        merged.createdAt = newer.createdAt ?? createdAt
        merged.role = newer.role ?? role
        merged.permissions = newer.permissions.isEmpty ? permissions : newer.permissions
        merged.status = newer.status ?? status
        merged.plan = newer.plan ?? plan
        merged.notificationRooms = newer.notificationRooms.isEmpty ? notificationRooms : newer.notificationRooms
        return merged
    }
}

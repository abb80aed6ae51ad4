/// Computes the `EventGuide` of each event from the rules of a profile.
enum DeclaredGuide {
    /// Returns one guide for each rule, in the order of the profile.
    static func all(_ profile: Profile) -> [EventGuide] {
        profile.events.map { rule in
            EventGuide(
                kind: rule.kind ?? rule.event,
                wireNames: [rule.event + (rule.when.map { " where \($0.text)" } ?? "")],
                fields: fields(of: rule, profile),
                handlers: handlers(of: rule), treatments: treatments(of: rule, profile))
        }
    }

    /// Returns the fields that the profile reads, each with its path in a filter.
    private static func fields(of rule: Profile.EventRule, _ profile: Profile) -> [EventGuide.Field] {
        var fields: [EventGuide.Field] = []
        func add(_ path: ProfilePath?, in place: ProfilePath? = nil, _ what: String) {
            guard let path else { return }
            var way = (place?.way ?? "") + path.way
            // A value that is the whole event is its first argument, if events have arguments.
            let isOfWhole = way.isEmpty || place == .whole && way.hasPrefix("[")
            if isOfWhole, profile.realtime.transport == .socketio { way = "[1]" + way }
            guard !way.isEmpty else { return }
            if let index = fields.firstIndex(where: { $0.path == "payload" + way }) {
                fields[index].type += "; " + what
            } else {
                fields.append(EventGuide.Field(path: "payload" + way, type: what))
            }
        }
        add(rule.room, "the room's id")
        add(rule.actor, rule.actorID == nil ? "the user" : "the user's name")
        add(rule.actorID, "the user's id")
        add(rule.text, "the text")
        add(rule.mentions, "the mentioned users")
        add(rule.time, "the time")
        add(rule.why, "why it was refused")
        guard let entity = profile.entities.first(where: { $0.name == rule.entity }) else { return fields }
        let place = rule.at ?? .whole
        add(rule.at, "\(entity.name), one or a list")
        add(entity.key, in: place, "\(entity.name)'s key")
        add(entity.parent, in: place, "\(entity.name)'s parent")
        for field in rule.then.onlyRemoves ? [] : entity.fields {
            add(
                field.path ?? ProfilePath(field.name), in: place,
                "\(entity.name).\(field.name), \(field.type.rawValue)\(field.required ? ", required" : "")")
        }
        return fields
    }

    private static func handlers(of rule: Profile.EventRule) -> [String] {
        var handlers: [String] = []
        switch rule.says {
        case nil: break
        case .ready: handlers.append("connection: it is ready")
        case .unauthorized: handlers.append("token: it is refused")
        case .room: handlers.append("rooms: one was created")
        case .gone: handlers.append("rooms: one was deleted")
        case .joined, .refused, .left: handlers.append("rooms: one is \(rule.says?.rawValue ?? "")")
        }
        if let entity = rule.entity { handlers.append("rows of \(entity)") }
        if !rule.reads.isEmpty { handlers.append("reads") }
        return handlers
    }

    private static func treatments(
        of rule: Profile.EventRule, _ profile: Profile
    ) -> [(subject: String, cases: [EventGuide.Treatment])] {
        let reads = rule.reads.joined(separator: " and ")
        guard let entity = profile.entities.first(where: { $0.name == rule.entity }) else {
            return reads.isEmpty
                ? [] : [("", [EventGuide.Treatment(standing: "always", applies: false, refetch: reads)])]
        }
        let freshnesss: [(Profile.Entity.Freshness, String)] =
            entity.newer == nil
            ? [(.unknown, "not known yet"), (.newer, "known")]
            : [
                (.unknown, "not known yet"), (.older, "overtaken by a newer one"), (.same, "known already"),
                (.newer, "newer"),
            ]
        return [
            (
                entity.name,
                freshnesss.map { freshness, words in
                    let treatment = rule.then[freshness]
                    let isKnown = freshness != .unknown
                    return EventGuide.Treatment(
                        standing: words, applies: treatment == .apply && !(entity.once && isKnown),
                        refetch: treatment == .fetch ? reads : "", removes: treatment == .remove && isKnown)
                }
            )
        ]
    }
}

import WeirDemoServer
import WeirEvents
import WeirPipeline
import WeirWire

// The steps of the history, and its end.
extension Simulation {
    mutating func take(_ action: Step.Action) {
        say("step: \(action)")
        memories = (memories.late, session.model)
        switch action {
        case .act(.move, let user, let a, let b): noteMovedDeeds { $0.perform(.move, by: user, a, b) }
        case .act(let act, let user, let a, let b): perform(act, by: user, a, b)
        case .deed(let deed, let a, let b): perform(deed, a, b)
        case .fault(let fault, let a, let b): suffer(fault, a, b)
        }
    }

    private mutating func perform(_ act: SimulatedAct, by user: Int, _ a: Int, _ b: Int) {
        guard let publications = server.perform(act, by: user, a, b, at: now) else { return }
        figures.acts += 1
        // While the server's process is down, nothing publishes the changes made elsewhere.
        if serverDownUntil == nil { tell(publications) }
    }

    private mutating func suffer(_ fault: Fault, _ a: Int, _ b: Int) {
        switch fault {
        case .cut:
            figures.count(fault)
            cut(current, silently: a == 1)
        case .kick:
            figures.count(fault)
            server.kick(current, a, into: &outputs)
            perform(tellsOfChange: false)
        case .restart: restart(down: .milliseconds(a))
        case .expire: expire()
        case .crash: crash(Kept.allCases[a % Kept.allCases.count])
        case .sleep: sleep(.milliseconds(a))
        case .lose: losses += a
        case .double: twins += a
        case .stall:
            figures.count(fault)
            stalledUntil = max(stalledUntil, now + .milliseconds(a))
        case .hold:
            figures.count(fault)
            holds[a % 6] = max(holds[a % 6] ?? .zero, now + .milliseconds(b))
        case .spoil:
            spoils += Array(repeating: Spoil.allCases[a % Spoil.allCases.count], count: b)
        case .refuse: refusals += a
        case .stumble: stumble = a
        case .mute: mutes += a
        case .stray:
            figures.count(fault)
            server.stray(a, to: current, into: &outputs)
            perform(tellsOfChange: false)
        }
    }

    private mutating func restart(down: Duration) {
        figures.count(.restart)
        let end = max(now + down, serverDownUntil ?? now)
        serverDownUntil = end
        server.forgetAll()
        for connection in sockets.keys.sorted() where sockets[connection]?.isOpenAtServer == true {
            sockets[connection]?.isOpenAtServer = false
            guard sockets[connection]?.isCut == false else { continue }
            queue.schedule(.closedAtClient(connection, WebSocketClose(code: 1006)), at: now + delay())
        }
        queue.schedule(.serverUp, at: end)
    }

    /// Expires all tokens, but rarely enough that a session never meets three refused tokens in a row, which it rightly
    /// treats as final.
    private mutating func expire() {
        guard now - lastExpiry > .seconds(30) else { return }
        lastExpiry = now
        figures.count(.expire)
        server.expireTokens(at: now)
    }

    private mutating func sleep(_ span: Duration) {
        figures.count(.sleep)
        let end = max(asleepUntil ?? now, now + span)
        asleepUntil = end
        queue.schedule(.wake, at: end)
    }

    mutating func wake() {
        guard let until = asleepUntil, until <= now else { return }
        asleepUntil = nil
        for happening in slept { queue.schedule(happening, at: now) }
        slept = []
    }

    /// Ends all faults. The next full look or the next connection repairs what was lost silently.
    mutating func heal() {
        if let asleepUntil { advance(to: asleepUntil) }
        if let serverDownUntil { advance(to: serverDownUntil) }
        isHealed = true
        (losses, twins, mutes, refusals, stumble, spoils) = (0, 0, 0, 0, nil, [])
        for connection in sockets.keys.sorted() { sockets[connection]?.remaining = .max }
    }
}

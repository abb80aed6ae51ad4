import CPrefetch
import JSONText

// An event that another processor made lies in that one's cache. To follow a reference to there costs as much as one into memory, and between
// processors that share no cache several times as much; a count of references waits for it. Who knows what comes has it fetched some events
// ahead, one reference at a time: what leads on must be here by then.

extension Event {
    /// How many references lie one behind the other in an event.
    package static var referenceDepth: Int { 4 }

    /// Has the processor fetch what is behind so many references, from 0: the event's fields, its resource, what that holds, and the texts that
    /// a diff log has of it. Those before must be at hand. Only Twake's events come often enough for it.
    package borrowing func prefetch(behind references: Int) {
        switch self {
        case .twake(let event): event.prefetch(behind: references)
        case .groupMe, .socketIO: break
        }
    }
}

extension Twake.Event {
    fileprivate borrowing func prefetch(behind references: Int) {
        switch self {
        case .resource(let event):
            if references == 0 { return event.shared.prefetch() }
            event.withFields { $0.resource.prefetch(behind: references - 1) }
        case .authenticated, .unauthorized, .joined, .joinRefused, .left, .leaveRefused, .event, .eventRefused,
            .unknown:
            break
        }
    }
}

extension Twake.Resource {
    /// The three that are sent by far the most.
    fileprivate borrowing func prefetch(behind references: Int) {
        switch self {
        case .channel(let channel):
            if references == 0 { return channel.shared.prefetch() }
            channel.shared.value.sharedProfile.prefetch(behind: references - 1)
            channel.shared.value.lastMessage?.prefetch(behind: references - 1)
        case .activity(let activity):
            if references == 0 { return activity.shared.prefetch() }
            activity.shared.value.lastMessage?.prefetch(behind: references - 1)
        case .message(let message): if references == 0 { message.shared.prefetch() }
        case .member, .badge, .desktopNotification, .online, .workspace, .company, .user, .companyUser, .tab, .bookmark,
            .document, .other:
            break
        }
    }
}

extension Twake.SharedProfile {
    fileprivate func prefetch(behind references: Int) {
        if references == 0 {
            let memos = 2 * MemoryLayout<JSONMembers>.size + MemoryLayout<DigestMemo>.size
            return Events.prefetch(self, holding: MemoryLayout<Twake.Channel.Profile>.stride + memos)
        }
        look.prefetch()
        state.prefetch()
    }
}

extension Shared {
    fileprivate func prefetch() { Events.prefetch(self, holding: MemoryLayout<Value>.size) }
}

/// Has the processor fetch an object that holds so many bytes.
@inline(__always)
func prefetch(_ object: some AnyObject, holding bytes: Int) {
    prefetch_contents(Unmanaged.passUnretained(object).toOpaque(), bytes)
}

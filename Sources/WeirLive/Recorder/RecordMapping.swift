import WeirEvents
import WeirJSON
package import WeirPipeline
package import WeirRecording
import WeirWire

extension Configuration {
    /// Creates the configuration of the recorded session from the head of the recording at `path`.
    ///
    /// - Throws: If the head's session cannot be parsed.
    package init(of head: Record.Head, in path: String) throws(RecordingError) {
        do throws(JSONError) {
            try self.init(json: head.session)
        } catch {
            throw .notARecording(path: path, message: "the head's session: \(error.description)")
        }
    }
}

// A recording is the list of a session's inputs. These are the mappings between records and inputs.
extension Input {
    /// Creates the input for a record, or returns `nil` for a record of what the session did itself.
    package init?(_ record: Record) {
        switch record {
        case .connection(let change): self.init(change)
        case .frame(let frame):
            guard frame.wasReceived else { return nil }
            self = .message(connection: frame.connection, frame.message)
        case .http(let exchange):
            switch exchange.phase {
            case .request: return nil
            case .response(let status, let body, let retryAfter):
                self = .answered(
                    request: exchange.id, .response(status: status, body: body[...], retryAfter: retryAfter))
            case .failure(let kind, let message):
                self = .answered(request: exchange.id, .failure(kind: kind, message: message))
            }
        case .subscription(let change):
            if change.act == .share {
                self = .share(RoomShare(of: change.room, against: change.rivals), missing: change.span)
                return
            }
            guard let source = change.source.flatMap(RoomSource.init(rawValue:)), source.isFromOutside else {
                return nil
            }
            switch change.act {
            case .want: self = .want(rooms: [change.room], source: source, lasting: change.span)
            case .unwant: self = .unwant(rooms: [change.room], lasting: change.span)
            case .only: self = .only(rooms: change.room)
            case .reset: self = .resetRooms
            case .withdraw: self = .withdraw(rooms: change.room, source: source)
            case .select: self = .select(change.room)
            case .who: self = .look(room: change.room, part: .people)
            case .history:
                self = .look(
                    room: change.room, part: .messages, since: change.since.map { Timestamp(milliseconds: $0) })
            case .refetch: self = .refetch(change.room)
            case .share, .join, .ack, .deny, .leave, .left, .lost: return nil
            }
        case .token(let token): self = .tokenRenewed(changed: token.renewed)
        case .action(let action): self.init(action)
        case .memory(let memory): self = .remembered(Memory(user: memory.user, rows: memory.rows))
        case .end(let end):
            if end.why == .rotated { return nil }
            self = .stop
        case .head, .gap, .mark, .state, .clock, .note, .sync, .index, .unknown: return nil
        }
    }

    private init?(_ record: Record.ActionRecord) {
        if record.act == .push {
            self = .pushed(record.what)
            return
        }
        if record.act == .emit {
            guard let emit = Emit(record.what) else { return nil }
            self = .emit(emit)
            return
        }
        guard let value = try? JSONValue(parsing: record.what.bytes) else { return nil }
        switch (record.act, value) {
        case (.ask, _):
            guard let action = Action(value) else { return nil }
            self = .act(action)
        case (.drop, .string(let id)): self = .dropAction(EntityID(id))
        case (.retry, .string(let id)): self = .retryAction(EntityID(id))
        case (.cancel, .string(let tag)): self = .cancel(tag: tag)
        case (.restore, .array(let entries)): self = .restoreOutbox(entries.compactMap { OutboxEntry($0) })
        case (.drop, _), (.retry, _), (.cancel, _), (.restore, _), (.emit, _), (.push, _): return nil
        }
    }

    private init?(_ change: Record.ConnectionRecord) {
        switch change.state {
        case .connecting, .upgraded, .closing: return nil
        case .paused: self = .reading(.paused)
        case .stalled: self = .reading(.stalled)
        case .resumed: self = .reading(.resumed)
        case .open: self = .opened(connection: change.connection, token: Secret("‹recorded›"))
        case .closed:
            self = .closed(
                connection: change.connection,
                WebSocketClose(
                    code: UInt16(clamping: change.code ?? 1006), reason: change.why ?? "",
                    retry: change.retry.flatMap(Reconnection.init(rawValue:)) ?? .later))
        case .failed:
            self = .failed(
                connection: change.connection,
                ConnectFailure(
                    phase: change.phase.flatMap(ConnectFailure.Phase.init(rawValue:)) ?? .connect,
                    httpStatus: change.code,
                    message: change.why ?? "", retry: change.reconnection))
        }
    }
}

extension Record.FrameRecord {
    /// Whether the frame was received and passed to the session.
    var wasReceived: Bool { direction == .in && !isDropped }
}

extension Record.ConnectionRecord.State {
    fileprivate init(_ reading: SocketReading) {
        self =
            switch reading {
            case .resumed: .resumed
            case .paused: .paused
            case .stalled: .stalled
            }
    }
}

extension Record.ConnectionRecord {
    /// The recorded decision about the next connection attempt. Recordings without one are from a time when the client interpreted a status
    /// of 400 as a server of revision 3.
    fileprivate var reconnection: Reconnection {
        if let retry { return Reconnection(rawValue: retry) ?? .later }
        return code == 400 ? .withRevision(.v3) : .later
    }
}

extension Record {
    /// Returns the record of an input, or `nil` for an input without one: `start`, and `stop`, which is the recording's
    /// end. Only the first room of a `want` or `unwant` is recorded, so these inputs are made one room at a time.
    package static func of(_ input: Input) -> Record? {
        switch input {
        case .start, .stop: nil
        case .opened(let connection, _, _): .connection(ConnectionRecord(connection: connection, state: .open))
        case .failed(let connection, let failure):
            .connection(
                ConnectionRecord(
                    connection: connection, state: .failed, code: failure.httpStatus, phase: failure.phase.rawValue,
                    why: failure.message, retry: failure.retry.rawValue))
        case .message(let connection, let message):
            .frame(FrameRecord(connection: connection, direction: .in, message: message))
        case .closed(let connection, let close):
            .connection(
                ConnectionRecord(
                    connection: connection, state: .closed, code: Int(close.code), why: close.reason,
                    retry: close.retry == .later ? nil : close.retry.rawValue))
        case .reading(let reading): .connection(ConnectionRecord(connection: 0, state: .init(reading)))
        case .answered(let request, .response(let status, let body, let retryAfter)):
            .http(HTTPRecord(id: request, phase: .response(status: status, body: Array(body), retryAfter: retryAfter)))
        case .answered(let request, .failure(let kind, let message)):
            .http(HTTPRecord(id: request, phase: .failure(kind: kind, message: message)))
        case .tokenRenewed(_, let changed): .token(TokenRecord(renewed: changed))
        case .act(let action): .action(ActionRecord(act: .ask, what: json { action.encode(into: &$0) }))
        case .dropAction(let id): .action(ActionRecord(act: .drop, what: json { $0.string(id.description) }))
        case .retryAction(let id): .action(ActionRecord(act: .retry, what: json { $0.string(id.description) }))
        case .cancel(let tag): .action(ActionRecord(act: .cancel, what: json { $0.string(tag) }))
        case .restoreOutbox(let entries):
            .action(
                ActionRecord(
                    act: .restore,
                    what: json { writer in
                        writer.beginArray()
                        for entry in entries { entry.encode(into: &writer) }
                        writer.endArray()
                    }))
        case .emit(let emit): .action(ActionRecord(act: .emit, what: json { emit.encode(into: &$0) }))
        case .pushed(let payload): .action(ActionRecord(act: .push, what: payload))
        case .remembered(let memory): .memory(MemoryRecord(user: memory.user, rows: memory.rows))
        case .want(let rooms, let source, let span):
            rooms.first.map {
                .subscription(SubscriptionRecord(act: .want, room: $0, source: source.rawValue, span: span))
            }
        case .look(let room, let part, let since):
            .subscription(
                SubscriptionRecord(
                    act: part == .people ? .who : .history, room: room, source: RoomSource.ctl.rawValue,
                    since: since?.milliseconds))
        case .refetch(let name):
            .subscription(SubscriptionRecord(act: .refetch, room: name, source: RoomSource.ctl.rawValue))
        case .select(let room):
            .subscription(SubscriptionRecord(act: .select, room: room, source: RoomSource.ctl.rawValue))
        case .unwant(let rooms, let span):
            rooms.first.map {
                .subscription(SubscriptionRecord(act: .unwant, room: $0, source: RoomSource.ctl.rawValue, span: span))
            }
        case .only(let rooms):
            .subscription(SubscriptionRecord(act: .only, room: rooms, source: RoomSource.ctl.rawValue))
        case .resetRooms: .subscription(SubscriptionRecord(act: .reset, room: "", source: RoomSource.ctl.rawValue))
        case .share(let share, let missing):
            .subscription(
                SubscriptionRecord(act: .share, room: share.member, span: missing, rivals: share.rivals))
        case .withdraw(let rooms, let source):
            .subscription(SubscriptionRecord(act: .withdraw, room: rooms, source: source.rawValue))
        }
    }

    private static func json(_ body: (inout JSONWriter) -> Void) -> RawJSON {
        var writer = JSONWriter()
        body(&writer)
        return RawJSON(unchecked: writer.bytes[...])
    }

    /// Returns the record of a report, or `nil` if it has none. These records follow from the inputs, but are kept
    /// because readers want to see them.
    static func of(_ report: Report) -> Record? {
        switch report {
        case .gap(let gap):
            .gap(
                GapRecord(
                    why: gap.cause.rawValue, from: gap.from, to: gap.to, lost: gap.lost,
                    recovered: gap.isRepaired ? true : gap.hole == nil ? nil : false,
                    actions: gap.refetching + (gap.hole.map { ["missing: \($0.sentence())"] } ?? [])
                        + (gap.missed.map { ["missed messages fetched: \($0)"] } ?? [])))
        case .room(let room):
            room.act.map { .subscription(SubscriptionRecord(act: $0, room: room.room, why: room.why)) }
        case .event, .diff, .connection, .action, .emit, .refetch, .typing, .undecodable, .notice: nil
        }
    }
}

extension GapReport {
    /// Whether the model equals the server's state again.
    fileprivate var isRepaired: Bool {
        switch cause {
        case .refetched: true
        case .handover: !refetching.isEmpty
        case .reconnect, .damage, .overflow, .paused, .catchUp: false
        }
    }
}

extension RoomSource {
    /// Whether wishes from this source are inputs of a running session, and therefore recorded as inputs.
    fileprivate var isFromOutside: Bool {
        switch self {
        case .ctl, .pin: true
        case .cli, .list: false
        }
    }
}

extension RoomReport {
    /// The act in a `sub` record; `nil` for a wish from outside, which is already recorded as an input.
    fileprivate var act: Record.SubscriptionRecord.Act? {
        switch change {
        case .wanted: RoomSource(rawValue: source)?.isFromOutside == true ? nil : .want
        case .found: nil
        case .joining: .join
        case .joined: .ack
        case .refused: .deny
        case .leaving: .leave
        case .left: .left
        case .lost: .lost
        }
    }
}

extension Option {
    /// The commands that know the option. What both a tail and a replay know is about what is shown, and a viewer's, too.
    var commands: [CommandName] {
        let commands = listed
        let isOfViews = commands.contains(.tail) && commands.contains(.replay) && ![.name, .noControl].contains(self)
        return isOfViews ? commands + [.attach] : commands
    }

    private var listed: [CommandName] {
        switch self {
        case .path: [.serve, .tail, .record, .emit]
        case .join, .autoAdopt, .maxRooms: [.tail, .record]
        case .kind, .notKind, .room, .notRoom: views + [.fileFilter]
        case .from: views + [.fileConvert]
        case .filter, .grep, .exclude, .highlight, .sample, .explainFilter, .notFrom: views
        case .backend: [.demo, .tail, .record, .fileConvert, .explain, .emit] + CommandName.actions
        case .namespace: [.tail, .record, .fileConvert, .emit]
        case .emit, .emitAck, .ack: [.tail, .record]
        case .noAck: [.emit]
        case .query, .auth, .eio, .transport: [.tail, .record, .emit]
        case .history, .catchUp, .members, .framing, .idleTimeout, .reconnect, .maxMessage, .maxBody, .maxBinary,
            .maxAttachments, .maxDepth:
            [.tail, .record]
        case .header, .ca, .cert, .key, .keyPass, .pin, .proxy, .proxyAuth:
            [.tail, .record, .emit] + CommandName.errands
        case .token: [.tail, .record, .emit] + CommandName.errands.filter { $0 != .login }
        case .company, .workspace: [.tail, .record] + CommandName.actions + [.download]
        case .maxAttempts, .maxRetryAfter: [.tail, .record] + CommandName.actions
        case .thread: [.send, .edit, .react, .delete]
        case .draft, .image: [.send]
        case .visibility, .icon, .description, .rename: [.channel]
        case .member: [.channel, .workspace]
        case .user, .password: [.login]
        case .save: [.login, .roomsJoin, .roomsLeave, .roomsOnly, .roomsPin]
        case .all: [.roomsLs, .man]
        case .since: [.roomsHistory]
        case .json:
            CommandName.roomVerbs
                + [.ps, .configShow, .ctxList, .ctxShow, .ctxCheck, .fileInfo, .fileDoctor, .fileGrep, .fileDiff]
                + CommandName.errands + [.emit]
        case .output: writesFiles + [.download]
        case .force: [.tail, .record, .download] + writesFiles
        case .event, .notEvent, .direction, .connection, .notConnection: [.fileFilter]
        case .start, .end: [.replay, .fileFilter, .fileCut]
        case .ripple: [.fileCut]
        case .fixedStrings, .ignoreCase, .raw, .invertMatch, .countOnly, .after, .before, .context, .around: [.fileGrep]
        case .set, .at: [.fileMark]
        case .size, .every, .records, .marks, .connections: [.fileSplit]
        case .rule, .replace, .keepLength: [.fileRedact]
        case .to: [.fileConvert]
        case .decompress: [.fileCompress]
        case .secrets: [.fileDoctor]
        case .store:
            [.tail, .record, .roomsLs, .roomsJoin, .roomsLeave, .roomsSet, .logout, .download] + CommandName.actions
        case .view: [.demo, .tail, .replay]
        case .noStatus: [.demo, .tail, .record, .replay]
        case .hook, .notify, .forward: [.demo, .tail, .replay]
        case .schema: [.demo, .tail, .replay]
        case .summary: [.demo, .tail, .record, .replay]
        case .format, .template, .fields, .time, .zone, .roomWidth, .spacer: [.demo, .tail, .replay, .fileCat]
        case .count, .failOn: [.demo, .tail, .record, .replay]
        case .untilMatch: views
        case .duration: [.demo, .tail, .record]
        case .name, .noControl: [.demo, .tail, .record, .replay]
        case .record: [.demo, .tail]
        case .recordFilter, .keepSecrets: [.demo, .tail, .record]
        case .rotate, .keep, .compress, .fsync, .onWriteError, .noStates: [.tail, .record]
        case .flightRecorder: [.tail]
        case .diffLog, .diffLogReversible: [.demo, .tail, .record, .replay]
        case .span: [.replay, .roomsJoin, .roomsLeave, .roomsMute, .roomsUnmute]
        case .speed, .rate, .idleLimit, .loop, .follow, .step, .refetch, .verify,
            .serve:
            [.replay]
        case .listen, .scenario, .pingInterval, .pingTimeout, .connectTimeout, .recovery, .era, .maxPayload: [.serve]
        case .seed: [.demo, .serve]
        case .on: CommandName.roomVerbs + [.ctl, .tail, .record, .emit]
        case .timeout: [.ctl, .tail, .record, .emit]
        case .dynamicPins: [.tail, .record]
        case .allowEmit, .recordDir: [.demo, .tail, .record]
        case .quiet: [.demo, .serve, .tail, .record, .replay]
        case .ctx: CommandName.allCases.filter(\.takesContext)
        case .yes: CommandName.actions + [.tail, .record, .emit]
        case .guarded, .label: [.ctxAdd, .ctxEdit]
        case .unset: [.ctxEdit]
        case .shell: [.ctxUse, .ctxUnuse]
        case .color, .help: CommandName.allCases
        case .config: CommandName.allCases.filter { $0.takesSettings || $0.family == "config" || $0 == .ctxCheck }
        }
    }

    /// The commands that show what they see.
    private var views: [CommandName] { [.demo, .tail, .replay] }

    /// The verbs of `file` that write one.
    private var writesFiles: [CommandName] {
        [
            .fileRepair, .fileIndex, .fileFilter, .fileCut, .fileMerge, .fileSplit, .fileMark, .fileRedact,
            .fileCompress,
            .fileConvert,
        ]
    }
}

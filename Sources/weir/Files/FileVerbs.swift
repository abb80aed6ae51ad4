/// The command `weir file` and its verbs.
extension Command {
    static let file = Command(
        "file", "", "inspect, repair, cut and convert event files",
        details: """
            Event files are read plain or compressed, whatever their name; - is standard input. Damage is
            reported on standard error with its line and offset, the rest is read, and the exit code is 3.
            Unknown members and records are kept unchanged. Only you can read new files, and nothing is
            overwritten without --force; a new file named .zst is compressed.
            """,
        examples: "weir file info day.weir.jsonl", "weir file repair torn.weir.jsonl -o whole.weir.jsonl")

    static let fileInfo = Command(
        "file info", "FILE…", "show what an event file contains",
        run: FileCommand.verb(FileInfoCommand.run),
        details: "Head, times, records by kind, events by name, connections, rooms, gaps, chunks, size and rate.",
        examples: "weir file info day.weir.jsonl", "weir file info --json *.weir.jsonl | jq .events")

    static let fileDoctor = Command(
        "file doctor", "FILE…", "check an event file and list its problems",
        run: FileCommand.verb(FileDoctorCommand.run),
        details: """
            Reports unreadable lines, numbers, times and chunks out of order, wrong checksums, a torn or missing
            end, a wrong index and missing segments, each with its line and byte offset. --secrets searches for
            tokens, cookies, passwords and random text that should not be in a recording; it prints the place
            and the rule, never the secret. Several files are the segments of a recording, in order. Exits with
            3 if there are problems.
            """,
        examples: "weir file doctor day.weir.jsonl", "weir file doctor --secrets day.000*.weir.jsonl")

    static let fileRepair = Command(
        "file repair", "FILE", "repair a damaged event file",
        run: FileCommand.verb(FileCommand.repair),
        details: """
            Every readable record is kept, in order; a gap replaces missing records. Unreadable parts are saved
            next to the new file, as FILE.damaged and FILE.torn. Exits with 3 if the new file lacks anything.
            """,
        examples: "weir file repair torn.weir.jsonl -o whole.weir.jsonl")

    static let fileIndex = Command(
        "file index", "FILE", "add an index and an end to an event file",
        run: FileCommand.verb(FileCommand.index),
        details: "Copies the records unchanged, with new checksums, a new index and a new end.",
        examples: "weir file index day.weir.jsonl -o day.weir.jsonl --force")

    static let fileCat = Command(
        "file cat", "FILE…", "print an event file as 'weir tail' printed it",
        run: FileCommand.verb(FileCommand.cat),
        details: """
            Plays the file through the pipeline at full speed and prints events, changes of the model and gaps,
            nothing else; with --format raw only the payloads.
            """,
        examples: "weir file cat day.weir.jsonl", "weir file cat day.weir.jsonl --format json | jq .kind")

    static let fileGrep = Command(
        "file grep", "PATTERN FILE…", "find records by their text",
        run: FileCommand.verb(FileGrepCommand.run),
        details: """
            PATTERN is a regular expression in the syntax of RE2 and Go. It is matched against the payloads of
            messages and REST exchanges as they were sent, not against their spelling in the file, and against
            the lines of other records. A match has ':' after its number, context has '-'. Long texts are
            shortened to the part around the match; --raw and --json print them whole. Exits with 1 if nothing
            matches.
            """,
        examples: "weir file grep -i 'deploy of' day.weir.jsonl --around 2s",
        "weir file grep -F '\"action\":\"saved\"' day.weir.jsonl -c")

    static let fileFilter = Command(
        "file filter", "FILE", "keep some of the records",
        run: FileCommand.verb(FileCommand.filter),
        details: """
            A criterion applies to the records it can judge: --event to messages that are events, --room to
            records that name a room. Other records are kept, so that the result can be replayed; only --kind
            applies to all records. Of several values of an option one must match; all options must match. *, ?
            and […] match other characters. A POSITION is +90s (since the beginning of the recording), n:812 (a
            record's number), mark:NAME, or a time such as 2026-01-02T03:04:05Z.
            """,
        examples: "weir file filter day.weir.jsonl --room '/companies/*/channels/*' --not-event 'realtime:event'",
        "weir file filter day.weir.jsonl --kind head --kind gap --kind mark -o gaps.weir.jsonl")

    static let fileCut = Command(
        "file cut", "FILE", "keep a part of a recording",
        run: FileCommand.verb(FileCommand.cut),
        details: """
            Keeps the records from the first one at --start to the last one before --end. The new file begins
            with the records that are needed to replay the part alone: the open connections with their
            handshakes, and the rooms. A POSITION is +90s (since the beginning of the recording), n:812 (a
            record's number), mark:NAME, or a time such as 2026-01-02T03:04:05Z.
            """,
        examples: "weir file cut day.weir.jsonl --start mark:outage --end +2h --ripple -o outage.weir.jsonl")

    static let fileMerge = Command(
        "file merge", "FILE…", "merge several recordings by their wall clocks",
        run: FileCommand.verb(FileCommand.merge),
        details: """
            Records with the same time keep the order of the files. The segments of one recording become one
            file. Connections and requests of other recordings get new numbers, so that a replay plays the
            session of the first one.
            """,
        examples: "weir file merge day.0001.weir.jsonl day.0002.weir.jsonl -o day.weir.jsonl")

    static let fileSplit = Command(
        "file split", "FILE", "split a recording into segments",
        run: FileCommand.verb(FileCommand.split),
        details: """
            Numbers and times continue across the segments; each segment begins with the open connections and
            the rooms, so that it can be replayed alone. weir file merge joins them again. The segments are
            named PREFIX.0001.weir.jsonl and so on. SIZE is 64K, 100M or 2G.
            """,
        examples: "weir file split day.weir.jsonl --size 64M", "weir file split day.weir.jsonl --marks -o parts/day")

    static let fileMark = Command(
        "file mark", "FILE", "list the marks of a recording, or add one",
        run: FileCommand.verb(FileCommand.mark),
        details: """
            Lists the marks, or adds one with --set before the first record at --at. A new mark is kept next to
            the recording in FILE.marks, which weir replay also uses for its key m and which all commands that
            search for marks read; with --output a recording that contains all marks is written. A POSITION is
            +90s (since the beginning of the recording), n:812 (a record's number), mark:NAME, or a time such as
            2026-01-02T03:04:05Z.
            """,
        examples: "weir file mark day.weir.jsonl",
        "weir file mark day.weir.jsonl --set outage --at 2026-01-02T03:04:05Z")

    static let fileRedact = Command(
        "file redact", "FILE", "remove secrets and other values from a recording",
        run: FileCommand.verb(FileCommand.redact),
        details: """
            A RULE is secrets (all of the following), jwt, authorization, cookie, password, token, url, session,
            random, path:KEYS for the members whose keys end with KEYS (path:email, path:users.*), or
            regex:PATTERN for matches of a regular expression in the syntax of RE2 and Go. The rules apply to
            every value, including the JSON of payloads, stored rows and the queries of URLs; binary payloads
            are not searched. The head lists the rules. A path or pattern that matches nothing is reported, and
            the exit code is 3.
            """,
        examples: "weir file redact day.weir.jsonl --rule secrets --rule path:email -o clean.weir.jsonl")

    static let fileCompress = Command(
        "file compress", "FILE", "compress or decompress an event file",
        run: FileCommand.verb(FileCommand.compress),
        details: """
            Uses zstd, with one frame for each chunk and a table of the frames at the end. All commands read the
            result directly, and so does zstd -dc. The new file is written next to FILE, with .zst added to its
            name.
            """,
        examples: "weir file compress day.weir.jsonl", "weir file compress -d day.weir.jsonl.zst -o day.weir.jsonl")

    static let fileConvert = Command(
        "file convert", "FILE", "convert an event file to another format, or another format to it",
        run: FileCommand.verb(FileConvertCommand.run),
        details: """
            har is an HTTP archive with WebSocket messages, as Chrome exports it. cloudevents is JSON Lines, one
            event per line, without the bytes of attachments. lines is one message per line as websocat and
            wscat print them: '< text' was received, '> text' was sent, an optional time precedes it; a line
            that begins with a tab continues the previous one, '#' begins a comment. asciicast (version 2) is
            the output of a tail, with the marks, for players of terminal sessions. --from is detected from the
            first bytes unless FILE is -. Omitted parts are reported with their place, and the exit code is 3. A
            capture from another tool may begin in the middle of a connection. A replay of it plays one
            connection at a time, the first that speaks the protocol, and reports what it skips.
            """,
        examples: "weir file convert chat.har --to weir -o chat.weir.jsonl",
        "weir file convert day.weir.jsonl --to asciicast -o day.cast")

    static let fileReport = Command(
        "file report", "FILE…", "make a page of what passed: rates, lag, gaps, errors",
        run: FileCommand.verb(FileReportCommand.run),
        details: """
            Plays the recording through the pipeline and writes one HTML page that asks nobody for anything: the
            server and the times, events by kind and room over time, how late they came, gaps with their cause
            and repair, the slowest requests, the loudest people and rooms, errors with examples, the model at
            the end, and a list of the first 5,000 events with a search. Texts of others are inert in it, and
            what looks like a secret is a mark. 'weir tail --report FILE' makes the same page of a live run.
            """,
        examples: "weir file report day.weir.jsonl -o day.html")

    static let fileDiff = Command(
        "file diff", "A B", "find where the replays of two event files differ",
        run: FileCommand.verb(FileDiffCommand.run),
        details: """
            Plays both files record by record and compares the models. Prints the first record after which they
            differ, and the differing rows, section by section. Exits with 6 if they differ.
            """,
        examples: "weir file diff before.weir.jsonl after.weir.jsonl")
}

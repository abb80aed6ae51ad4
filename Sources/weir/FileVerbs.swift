/// The command `weir file` and its verbs.
extension Command {
    static let file = Command(
        "file", "", "inspect, mend, cut and convert event files",
        details: """
            Event files are read plain or compressed, whatever they are called; - is standard input. What is
            damaged is reported on standard error with line and offset, the rest is read, and the exit code
            is 3. Members and records that this version does not know stay as they are. New files are
            readable by you only, and nothing is overwritten without --force; one that is called .zst is
            compressed.
            """,
        examples: "weir file info day.weir.jsonl", "weir file repair torn.weir.jsonl -o whole.weir.jsonl")

    static let fileInfo = Command(
        "file info", "FILE…", "say what is in an event file",
        run: FileCommand.verb(FileInfoCommand.run),
        details: "Head, times, records by kind, events by name, connections, rooms, gaps, chunks, size and rate.",
        examples: "weir file info day.weir.jsonl", "weir file info --json *.weir.jsonl | jq .events")

    static let fileDoctor = Command(
        "file doctor", "FILE…", "say what is wrong with an event file, and where",
        run: FileCommand.verb(FileDoctorCommand.run),
        details: """
            Lines that cannot be read, numbers, times and chunks out of order, checksums that differ, an end
            that is torn or missing, an index that does not say what is there, segments that are missing: with
            line and byte offset. --secrets looks for tokens, cookies, passwords and random text that should not
            be in a recording; it names the place and the rule, never the secret. Several files are the
            segments of a recording, in order. Exits with 3 when something was found.
            """,
        examples: "weir file doctor day.weir.jsonl", "weir file doctor --secrets day.000*.weir.jsonl")

    static let fileRepair = Command(
        "file repair", "FILE", "make a whole event file of a damaged one",
        run: FileCommand.verb(FileCommand.repair),
        details: """
            Every readable record is kept, in its order; a gap stands where something is missing. What cannot
            be read is kept beside the new file, as FILE.damaged and FILE.torn. Exits with 3 when anything is
            missing in the new file.
            """,
        examples: "weir file repair torn.weir.jsonl -o whole.weir.jsonl")

    static let fileIndex = Command(
        "file index", "FILE", "give an event file an index and an end",
        run: FileCommand.verb(FileCommand.index),
        details: "Its records are written as they are, with checksums, an index and an end made anew.",
        examples: "weir file index day.weir.jsonl -o day.weir.jsonl --force")

    static let fileCat = Command(
        "file cat", "FILE…", "print an event file as 'weir tail' printed it",
        run: FileCommand.verb(FileCommand.cat),
        details: """
            Plays the file through the pipeline, as fast as it goes, and prints nothing else: events, changes of
            the model and gaps; with --format raw the payloads alone.
            """,
        examples: "weir file cat day.weir.jsonl", "weir file cat day.weir.jsonl --format json | jq .kind")

    static let fileGrep = Command(
        "file grep", "PATTERN FILE…", "find records by their text",
        run: FileCommand.verb(FileGrepCommand.run),
        details: """
            PATTERN is a regular expression, as RE2 and Go have it. It is looked for in the payloads of messages
            and REST exchanges as they were sent, not in how the file spells them, and in the lines of other
            records. A match is shown with ':' after its number, context with '-'; of a long text what is around
            the match, with --raw and --json the whole. Exits with 1 when nothing matches.
            """,
        examples: "weir file grep -i 'deploy of' day.weir.jsonl --around 2s",
        "weir file grep -F '\"action\":\"saved\"' day.weir.jsonl -c")

    static let fileFilter = Command(
        "file filter", "FILE", "keep some of the records",
        run: FileCommand.verb(FileCommand.filter),
        details: """
            A criterion judges the records it can: --event judges messages that are events, --room what names a
            room. The others are kept, so that what is left can be replayed; --kind alone judges all. Of
            several values of an option one must match; all options must. *, ? and […] stand for other
            characters. A POSITION is +90s (since the recording began), n:812 (a record's number), mark:NAME,
            or a time such as 2026-01-02T03:04:05Z.
            """,
        examples: "weir file filter day.weir.jsonl --room '/companies/*/channels/*' --not-event 'realtime:event'",
        "weir file filter day.weir.jsonl --kind head --kind gap --kind mark -o gaps.weir.jsonl")

    static let fileCut = Command(
        "file cut", "FILE", "keep a part of a recording",
        run: FileCommand.verb(FileCommand.cut),
        details: """
            From the first record at --start to the last one before --end. In front of it stands what the part
            needs to be replayed alone: the open connections with their handshakes, and the rooms. A POSITION
            is +90s (since the recording began), n:812 (a record's number), mark:NAME, or a time such as
            2026-01-02T03:04:05Z.
            """,
        examples: "weir file cut day.weir.jsonl --start mark:outage --end +2h --ripple -o outage.weir.jsonl")

    static let fileMerge = Command(
        "file merge", "FILE…", "make one recording of several, by their wall clocks",
        run: FileCommand.verb(FileCommand.merge),
        details: """
            Records at the same time stay in the order of the files. The segments of one recording become one.
            Connections and requests of other recordings get numbers of their own, so that a replay plays the
            first one's session.
            """,
        examples: "weir file merge day.0001.weir.jsonl day.0002.weir.jsonl -o day.weir.jsonl")

    static let fileSplit = Command(
        "file split", "FILE", "split a recording into segments",
        run: FileCommand.verb(FileCommand.split),
        details: """
            Numbers and times go on over the segments; each begins with the open connections and the rooms, said
            again, so that it can be replayed alone. weir file merge makes one of them again. They are called
            PREFIX.0001.weir.jsonl and so on. SIZE is 64K, 100M or 2G.
            """,
        examples: "weir file split day.weir.jsonl --size 64M", "weir file split day.weir.jsonl --marks -o parts/day")

    static let fileMark = Command(
        "file mark", "FILE", "list the marks of a recording, or add one",
        run: FileCommand.verb(FileCommand.mark),
        details: """
            Without --set the marks are listed. With it one more is set, before the first record at --at. It is
            kept beside the recording, in FILE.marks, where weir replay keeps those that are set with its key m
            and everything that looks for marks finds them; with --output a recording is written that has all
            marks in it. A POSITION is +90s (since the recording began), n:812 (a record's number), mark:NAME,
            or a time such as 2026-01-02T03:04:05Z.
            """,
        examples: "weir file mark day.weir.jsonl",
        "weir file mark day.weir.jsonl --set outage --at 2026-01-02T03:04:05Z")

    static let fileRedact = Command(
        "file redact", "FILE", "take out of a recording what should not be in it",
        run: FileCommand.verb(FileCommand.redact),
        details: """
            A RULE is secrets (all of the following), jwt, authorization, cookie, password, token, url, session,
            random, path:KEYS for the members whose keys end so (path:email, path:users.*), or regex:PATTERN
            for what matches a regular expression, as RE2 and Go have it. The rules are applied to
            every value, also in the JSON of payloads, in what was remembered and in the queries of URLs; binary
            payloads are not looked into. The head lists the rules. A path or pattern that matches nothing is
            told, and the exit code is 3.
            """,
        examples: "weir file redact day.weir.jsonl --rule secrets --rule path:email -o clean.weir.jsonl")

    static let fileCompress = Command(
        "file compress", "FILE", "compress an event file, or undo it",
        run: FileCommand.verb(FileCommand.compress),
        details: """
            With zstd, one frame for each chunk and a table of them at the end: all commands read it as it is,
            and so does zstd -dc. The file is written beside FILE, with .zst behind its name.
            """,
        examples: "weir file compress day.weir.jsonl", "weir file compress -d day.weir.jsonl.zst -o day.weir.jsonl")

    static let fileConvert = Command(
        "file convert", "FILE", "make an event file of another format, or another format of it",
        run: FileCommand.verb(FileConvertCommand.run),
        details: """
            har is an HTTP archive with WebSocket messages, as Chrome exports it. cloudevents is JSON Lines,
            one event a line, without the bytes of attachments. lines is one message a line as websocat and
            wscat print them: '< text' was received, '> text' was sent, a time may stand before; a line that
            begins with a tab goes on with the one before, '#' begins a comment. asciicast (version 2) is what
            a tail prints, for players of terminal sessions, with the marks. --from is told by the first bytes
            unless FILE is -. What is left out is told with its place, and the exit code is 3. What was
            captured elsewhere may begin in the middle of a connection. A replay of it hears one connection at
            a time, the first that speaks the protocol, and says what it passes over.
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
        "file diff", "A B", "say where the replays of two event files part",
        run: FileCommand.verb(FileDiffCommand.run),
        details: """
            Plays both, record by record, and compares the models. Names the first record after which they
            differ, and the rows that do, section by section. Exits with 6 when they differ.
            """,
        examples: "weir file diff before.weir.jsonl after.weir.jsonl")
}

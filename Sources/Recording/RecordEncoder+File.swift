import JSONText
import Wire

extension RecordEncoder {
    mutating func head(_ head: Record.Head) {
        text("fmt", RecordFormat.name)
        json.member("v", head.major)
        json.member("minor", head.minor)
        text("rec", head.recording)
        json.member("seg", head.segment)
        text("prev", head.previous)
        wall("w0", head.wallStart)
        text("clock", head.clock)
        text("boot", head.boot)
        text("tool", head.tool)
        text("os", head.system)
        text("ctx", head.context)
        text("title", head.title)
        if !head.tags.isEmpty { texts("tags", head.tags) }
        json.member("idle_limit", head.idleLimit)
        texts("redact", head.redactions)
        text("filter", head.filter)
        json.member("max_payload", RecordFormat.maximumPayload)
        text("seed", String(head.seed))
        json.member("session", clean(head.session))
    }

    mutating func mark(_ mark: Record.MarkRecord) {
        text("label", mark.label)
        text("by", mark.author)
        text("color", mark.colour)
    }

    mutating func state(_ state: Record.StateRecord) {
        json.member("at", state.after)
        let digits = Hexadecimal.text(of: state.checksum)
        text("h", state.checksumVersion == 1 ? digits : "\(state.checksumVersion):\(digits)")
        json.member("sections", state.sections)
        json.member("items", state.items)
    }

    mutating func sync(_ sync: Record.SyncRecord) {
        json.member("off", sync.offset)
        json.member("bytes", sync.bytes)
        json.member("recs", sync.records)
        json.member("t0", sync.firstTime.microseconds)
        json.member("t1", sync.lastTime.microseconds)
        json.member("crc", Int(sync.crc))
        if !sync.connections.isEmpty { texts("conns", sync.connections.map { String($0) }) }
        if !sync.kinds.isEmpty { counts("kinds", sync.kinds) }
    }

    mutating func index(_ index: Record.IndexRecord) {
        json.key("chunks")
        json.beginArray()
        for chunk in index.chunks {
            json.beginArray()
            json.integer(chunk.offset)
            json.integer(chunk.firstTime.microseconds)
            json.integer(chunk.lastTime.microseconds)
            json.integer(chunk.firstNumber)
            json.integer(chunk.records)
            json.endArray()
        }
        json.endArray()
        counts("kinds", index.kinds)
        if !index.rooms.isEmpty { counts("rooms", index.rooms) }
    }

    private mutating func counts(_ key: StaticString, _ counts: [Record.Count]) {
        json.key(key)
        json.beginObject()
        for entry in counts {
            json.key(shown(entry.name))
            json.integer(entry.count)
        }
        json.endObject()
    }
}

import JSONText
import Wire

extension RecordEncoder {
    mutating func head(_ head: Record.Head) {
        text("fmt", RecordFormat.name)
        integer("v", head.major)
        integer("minor", head.minor)
        text("rec", head.recording)
        integer("seg", head.segment)
        text("prev", head.previous)
        wall("w0", head.wallStart)
        text("clock", head.clock)
        text("boot", head.boot)
        text("tool", head.tool)
        text("os", head.system)
        text("ctx", head.context)
        text("title", head.title)
        if !head.tags.isEmpty { texts("tags", head.tags) }
        integer("idle_limit", head.idleLimit.map { Int($0) })
        texts("redact", head.redactions)
        text("filter", head.filter)
        integer("max_payload", RecordFormat.maximumPayload)
        text("seed", String(head.seed))
        json.key("session")
        json.inertRaw(clean(head.session))
    }

    mutating func mark(_ mark: Record.MarkRecord) {
        text("label", mark.label)
        text("by", mark.author)
        text("color", mark.colour)
    }

    mutating func state(_ state: Record.StateRecord) {
        integer("at", state.after)
        let digits = Hexadecimal.text(of: state.checksum)
        text("h", state.checksumVersion == 1 ? digits : "\(state.checksumVersion):\(digits)")
        integer("sections", state.sections)
        integer("items", state.items)
    }

    mutating func sync(_ sync: Record.SyncRecord) {
        integer("off", sync.offset)
        integer("bytes", sync.bytes)
        integer("recs", sync.records)
        time("t0", sync.firstTime)
        time("t1", sync.lastTime)
        integer("crc", Int(sync.crc))
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

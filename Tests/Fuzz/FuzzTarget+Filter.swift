import WeirEvents
import WeirJSON
import WeirLive
import WeirViews
import WeirModel
import WeirPipeline
import WeirRecording
import WeirWire

/// Checks that a parsed filter, when printed and parsed again, is equal and judges all events equally. The bytes before
/// the first FF are the filter, the rest is an event.
func fuzzFilter(_ input: ArraySlice<UInt8>) {
    let parts = input.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: parts.first ?? [], as: UTF8.self)
    do throws(FilterError) {
        let filter = try Filter(parsing: text)
        guard let again = try? Filter(parsing: filter.text) else {
            fatalError("a printed filter cannot be read")
        }
        require(again == filter && again.text == filter.text, "a printed filter reads as another one")
        let reports = reports(of: parts.dropFirst().first ?? [])
        require(verdicts(filter, reports) == verdicts(again, reports), "a printed filter judges otherwise")
    } catch {
        require((0...text.unicodeScalars.count).contains(error.range.upperBound), "a mistake outside the text")
        require(error.excerpt.count == 2, "a mistake without its place")
    }
}

private func verdicts(_ filter: Filter, _ reports: [StampedReport]) -> [Bool] {
    var (judge, matcher) = (FilterJudge(filter), FilterJudge(filter))
    return reports.flatMap { [judge.mark($0).isShown, matcher.matches($0)] }
}

/// Returns one report of each kind. The event comes from the payload.
private func reports(of payload: ArraySlice<UInt8>) -> [StampedReport] {
    let stamp = Stamp(n: 7, time: Moment(microseconds: 7_000_000), wall: 1_767_323_045_123_000)
    var reports: [Report] = []
    if let event = event(payload) { reports.append(.event(event)) }
    var batch = Batch<Item>()
    let message = Twake.Message(
        id: EntityID("m"), thread: EntityID("m"), channel: EntityID("c"), senderName: "Ann", text: "hello")
    batch.insertions = [
        .init(
            path: SectionPath(section: 0, item: 0),
            element: Item(
                id: Item.ID(.message, EntityID("m")), section: Item.Section("messages", EntityID("c")), sortKey: 0,
                entity: Item.Entity(message)))
    ]
    reports += [
        .diff(DiffReport(sequence: 1, cause: 7, batch: batch)),
        .diff(DiffReport(sequence: 2, cause: 0, batch: batch)),
        .typing(
            TypingReport(
                change: .started, user: EntityID("u"), name: "Ann", channel: EntityID("c"), channelName: nil,
                thread: nil, typing: ["Ann"])),
        .gap(GapReport(cause: .reconnect, from: .zero, to: stamp.time)),
        .connection(.lost(why: "closed", retryIn: nil)),
        .room(RoomReport(change: .refused, room: "/a", source: "cli", why: "no")),
        .undecodable(UndecodableReport(layer: .event, subject: "x", message: "no", excerpt: payload.prefix(20))),
        .notice(Notice(Notice.Mark(label: "here", author: "ctl"))),
    ]
    return reports.map { StampedReport(stamp: stamp, report: $0) }
}

/// Decodes the array of a packet that begins with a name, as an event of Twake or of a backend without a schema.
private func event(_ payload: ArraySlice<UInt8>) -> EventReport? {
    guard case .array(let elements)? = try? JSONValue(parsing: payload), case .string(let name)? = elements.first,
        let array = try? RawJSON(checking: payload)
    else { return nil }
    let source = SocketIO.Event(array: array)
    if let event = try? Twake.Event(array: payload) { return EventReport(event: .twake(event), source: source) }
    return EventReport(event: .socketIO(UntypedEvent(name: name, arguments: [])), source: source)
}

import Glibc
import Testing
import TestSupport
import WeirJSON

@Suite("Reports of recordings and runs", .timeLimit(.minutes(3)))
struct ReportRunTests {
    private static let samples = packageFolder + "/samples/recordings/"
    /// How the page looks on the machine that made these: the mean colours of its blocks. WEIR_RENEW writes the files again.
    private static let looks = packageFolder + "/Tests/CommandTests/Reports/"

    /// Writes the report of a sample, and returns its path.
    private func report(of sample: String, in folder: String) throws -> String {
        let path = folder + "/out.html"
        let made = try weir("file", "report", Self.samples + sample, "-o", path)
        #expect(made.status == 0 || made.status == 3, "\(made.errors)")
        return path
    }

    @Test("A report is a new file of the user's own, or goes to standard output, and is never written over another")
    func places() throws {
        let folder = try temporaryFolder()
        let path = try report(of: "groups.weir.jsonl", in: folder)
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        let again = try weir("file", "report", Self.samples + "groups.weir.jsonl", "-o", path)
        #expect(again.status == 7 && again.errors.contains(path))
        let printed = try weir("file", "report", Self.samples + "groups.weir.jsonl")
        #expect(printed.output == String(decoding: try readFile(path), as: UTF8.self))
        let run = try weir("tail", "http://127.0.0.1:1", "--report", path, "--no-ctl", "--store", "none")
        #expect(run.status == 7 && !run.errors.contains("tailing"))
    }

    @Test("A run and a replay write one, too, and where it is standard output nothing else is")
    func runs() throws {
        let folder = try temporaryFolder()
        let demo = try weir("demo", "--duration", "2s", "--no-ctl", "--quiet", "--report", "-")
        #expect(demo.status == 0, "\(demo.errors)")
        #expect(demo.output.hasPrefix("<!DOCTYPE html>") && demo.output.hasSuffix("</html>\n"))
        let path = folder + "/r.html"
        let sample = Self.samples + "twake-day.weir.jsonl"
        let replay = try weir("replay", sample, "--speed", "max", "--quiet", "--report", path)
        #expect(replay.output.contains("\n") && access(path, R_OK) == 0)
        let both = try weir("replay", sample, "--report", "-", "--format", "json")
        #expect(both.status == 2 && both.errors.contains("--report - is standard output"))
    }

    @Test(
        "A browser renders it without a complaint, and its charts show the numbers of 'weir file info'",
        .enabled(if: chromium != nil, "Chromium is not installed: run Tests/run"))
    func browser() throws {
        let folder = try temporaryFolder()
        let sample = "twake-day.weir.jsonl"
        let path = try report(of: sample, in: folder)
        let looked = try JSONValue(
            parsing: Array(
                try run([
                    "python3", peersFolder + "/look_report.py", chromium ?? "", path, folder, "message", "<b>", "00",
                ]).utf8)[...])
        #expect(looked["console"] == .array([]) && looked["requests"] == .array([]))
        let facts = try #require(looked["facts"])
        for name in ["images", "handlers", "unlabelled"] { #expect(facts[name] == .integer(0), "\(name)") }
        #expect(facts["scripts"] == .integer(1) && facts["wide"] == .bool(false) && looked["narrow"] == .bool(false))
        try checkNumbers(facts, of: sample)
        guard case .array(let searches)? = looked["search"], case .integer(let rows)? = facts["rows"] else {
            Issue.record("no search")
            return
        }
        #expect(text(searches[0]["found"] ?? .null)?.contains(" of \(rows) events") == true)
        #expect(searches[0]["shown"] != .integer(0) && searches[0]["shown"] != facts["rows"])
        #expect(searches[1]["shown"] == .integer(0))
        for search in searches { #expect(search["after"] == facts["rows"]) }
        for scheme in ["light", "dark"] { try compare(try #require(looked["blocks"]?[scheme]), scheme) }
    }

    /// Compares the numbers in the page with those of `file info`.
    private func checkNumbers(_ facts: JSONValue, of sample: String) throws {
        let info = try JSONValue(
            parsing: Array(try weir("file", "info", "--json", Self.samples + sample).output.utf8)[...])
        guard case .object(let events)? = info["events"] else { throw Absent() }
        #expect(!events.isEmpty)
        for event in events { #expect(facts["wire"]?[event.key] == event.value, "\(event.key)") }
        let total = events.reduce(0) { $0 + (number($1.value) ?? 0) }
        #expect(facts["tiles"].flatMap { $0["events"] }.flatMap(number) == total)
        for place in ["legends", "columns"] {
            guard case .array(let charts)? = facts[place] else { throw Absent() }
            #expect(charts.count == 2)
            // The chart by kind counts all events, the chart by room those with a room.
            let sums = charts.map { chart -> Int in
                if case .array(let entries) = chart { return entries.reduce(0) { $0 + (number($1) ?? 0) } }
                return number(chart) ?? 0
            }
            #expect(sums[0] == total && sums[1] > 0 && sums[1] <= total, "\(place)")
        }
        guard case .array(let drawn)? = facts["drawn"] else { throw Absent() }
        #expect(drawn.count == 4)
        #expect(drawn.prefix(2).allSatisfy { number($0["bars"] ?? .null) ?? 0 > 0 })
        #expect(number(drawn[2]["lines"] ?? .null) == 3)
    }

    /// Fails if the page looks different from the stored blocks. Fonts may differ; colours and places may not.
    private func compare(_ blocks: JSONValue, _ scheme: String) throws {
        let path = Self.looks + scheme + ".json"
        if getenv("WEIR_RENEW") != nil { try writeFile(path, json(blocks) + "\n") }
        let known = try JSONValue(parsing: try readFile(path)[...])
        guard case .array(let new) = blocks, case .array(let old) = known, new.count == old.count else {
            throw Absent()
        }
        let different = zip(new, old).count { new, old in
            guard case .array(let new) = new, case .array(let old) = old else { return true }
            return zip(new, old).contains { abs((number($0) ?? 0) - (number($1) ?? 0)) > 24 }
        }
        #expect(different <= new.count / 20, "\(different) of \(new.count) blocks look otherwise in \(scheme)")
    }

    private func number(_ value: JSONValue) -> Int? {
        guard case .integer(let value) = value else { return nil }
        return Int(value)
    }

    private func text(_ value: JSONValue) -> String? {
        if case .string(let text) = value { text } else { nil }
    }

    private func json(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private struct Absent: Error {}
}

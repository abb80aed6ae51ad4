package import WeirModel
package import WeirPipeline
import WeirWire

/// The facts of a run that its reports do not contain.
package struct ReportFacts: Sendable {
    /// The title of the page: untrusted text.
    package var title: String
    /// The rows of the table at the top, in order: a name and a value. Values are untrusted text.
    package var rows: [(name: String, value: String)] = []
    /// The command that prints all events; `nil` if the run was not recorded.
    package var allEvents: String?
    /// The name and the version of the tool.
    package var tool: String

    /// Creates the facts with an empty table.
    package init(title: String, tool: String) {
        self.title = title
        self.tool = tool
    }
}

/// A report as one HTML page that loads nothing from elsewhere. Pure: the same figures give the same bytes.
package struct ReportPage {
    /// The maximum size of the list of events, in bytes.
    private static let mostBytes = 1_600_000
    private static let mostSections = 40
    private static let mostRows = 8
    private static let mostNames = 20

    let figures: ReportFigures
    let facts: ReportFacts
    let model: SectionedCollection<Item>
    let requests: RequestFigures
    /// Returns the digest of a text in the form of a content security policy.
    private let digest: (String) -> String
    private let charts: ReportCharts
    private var html = HTMLText()

    private init(
        _ figures: ReportFigures, _ facts: ReportFacts, model: SectionedCollection<Item>, requests: RequestFigures,
        digest: @escaping (String) -> String
    ) {
        (self.figures, self.facts, self.model, self.requests) = (figures, facts, model, requests)
        self.digest = digest
        charts = ReportCharts(figures)
    }

    /// Returns the page as UTF-8. `digest` returns the digest of a text in the form of a content security policy.
    package static func bytes(
        _ figures: ReportFigures, _ facts: ReportFacts, model: SectionedCollection<Item> = .init(),
        requests: RequestFigures = RequestFigures(), digest: @escaping (String) -> String
    ) -> [UInt8] {
        var page = ReportPage(figures, facts, model: model, requests: requests, digest: digest)
        page.write()
        return page.html.bytes
    }

    private mutating func write() {
        head()
        overview()
        rates()
        connection()
        refetches()
        loudest()
        troubles()
        rows()
        events()
        html.markup("</main>\n<footer>Made by ")
        html.text(facts.tool)
        html.markup(". This page asks nobody for anything.</footer>\n<script>")
        html.markup(ReportStyle.script)
        html.markup("</script>\n</body>\n</html>\n")
    }

    private mutating func head() {
        html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        html.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-")
        html.text(digest("\(ReportStyle.sheet)"))
        html.markup("'; script-src 'sha256-")
        html.text(digest("\(ReportStyle.script)"))
        html.markup("'; base-uri 'none'; form-action 'none'\">\n")
        html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        html.markup("<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
        html.text(facts.title)
        html.markup("</title>\n<style>")
        html.markup(ReportStyle.sheet)
        html.markup(
            "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#events\">To the list of events</a>\n<header><h1>")
        html.text(facts.title)
        html.markup("</h1>\n<nav aria-label=\"Sections\">")
        for (id, name) in Self.sections {
            html.markup("<a href=\"#")
            html.markup(id)
            html.markup("\">")
            html.markup(name)
            html.markup("</a> ")
        }
        html.markup("</nav></header>\n<main>\n")
    }

    private static let sections: [(id: StaticString, name: StaticString)] = [
        ("overview", "Overview"), ("rates", "Rates"), ("lag", "Lag"), ("connection", "Connection and gaps"),
        ("requests", "Requests"), ("loudest", "Loudest"), ("errors", "Errors"), ("model", "Model"),
        ("events", "Events"),
    ]

    private mutating func begin(_ id: StaticString, _ title: StaticString) {
        html.markup("<section id=\"")
        html.markup(id)
        html.markup("\"><h2>")
        html.markup(title)
        html.markup("</h2>\n")
    }

    private mutating func end() { html.markup("</section>\n") }

    // MARK: - Overview

    private mutating func overview() {
        begin("overview", "Overview")
        html.markup("<dl class=\"facts\">")
        let from = figures.first.map { TimeText.rfc3339(wall: $0.wall) } ?? "–"
        let to = figures.last.map { TimeText.rfc3339(wall: $0.wall) } ?? "–"
        let long = TimeText.span(milliseconds: figures.summary.duration.microseconds / 1000)
        for (name, value) in facts.rows + [("time", "\(from) to \(to), \(long)")] {
            html.markup("<dt>")
            html.text(name)
            html.markup("<dd>")
            html.text(value.clipped(400))
        }
        html.markup("</dl>\n<ul class=\"tiles\">")
        let summary = figures.summary
        for (name, value) in [
            ("events", summary.events), ("rooms", summary.rooms.count), ("people", summary.actors.count),
            ("gaps", summary.gaps), ("missed messages fetched", summary.missed), ("events lost", summary.lost),
            ("reconnects", summary.reconnects), ("rooms refused", summary.denied), ("unreadable", summary.undecodable),
            ("requests answered", requests.answered), ("rows in the model", model.count),
        ] { tile(name, value) }
        html.markup("</ul>\n")
        end()
    }

    private mutating func tile(_ name: String, _ value: Int) {
        html.markup("<li><b>")
        html.number(value)
        html.markup("</b> ")
        html.text(name)
    }

    // MARK: - Charts

    private mutating func rates() {
        let names = figures.names
        begin("rates", "Rates")
        if figures.summary.events == 0 {
            html.markup("<p>No event came.</p>\n")
        } else {
            html.markup("<h3>By kind</h3>\n")
            html.append(charts.rates(of: figures.history.byKind(most: 7), by: "kind") { $0 })
            let rooms = figures.history.byRoom(most: 7)
            if !rooms.isEmpty {
                html.markup("<h3>By room</h3>\n")
                html.append(charts.rates(of: rooms, by: "room") { names.look(at: $0).label })
            }
        }
        end()
        begin("lag", "Lag")
        if figures.history.lag.count == 0 {
            html.markup("<p>No event said when the server sent it.</p>\n")
        } else {
            html.append(charts.lag())
        }
        end()
    }

    private mutating func connection() {
        begin("connection", "Connection and gaps")
        html.append(charts.timeLine())
        if figures.gaps.isEmpty {
            html.markup("<p>There was no gap.</p>\n")
        } else {
            let all = figures.gapCauses.values.reduce(0, +)
            html.head(
                caption: all > figures.gaps.count ? "The first \(figures.gaps.count) of \(all) gaps" : "Gaps",
                "time (UTC)",
                "cause", "lasted", "what was lost", "repair")
            for gap in figures.gaps { row(of: gap) }
            html.markup("</tbody></table>\n")
        }
        if !figures.connections.isEmpty {
            html.markup("<details><summary>Changes of the connection: ")
            html.number(figures.connectionChanges)
            html.markup("</summary>")
            html.head(caption: "Changes of the connection", "time (UTC)", "change", "words")
            for change in figures.connections {
                row(at: change.time)
                html.cell(change.change.rawValue)
                html.cell(change.words)
            }
            html.markup("</tbody></table></details>\n")
        }
        end()
    }

    /// Begins a table row with its time.
    private mutating func row(at time: Moment) {
        html.markup("<tr>")
        html.cell(clock(time))
    }

    private func clock(_ time: Moment) -> String { TimeText.timeOfDay(wall: charts.span.wall(at: time)) }

    private mutating func row(of gap: ReportFigures.Gap) {
        row(at: gap.report.from)
        html.cell(gap.report.cause.rawValue)
        html.cell(TimeText.span(milliseconds: (gap.report.to - gap.report.from).microseconds / 1000))
        html.cell(gap.sentence)
        if let repair = gap.repair {
            html.cell("fetched at \(clock(repair.at)): \(repair.missed) messages had been missed")
        } else {
            html.cell(gap.report.hole != nil ? "not fetched" : "–")
        }
        html.markup("\n")
    }

    // MARK: - Tables

    private mutating func refetches() {
        begin("requests", "Requests")
        html.markup("<p>")
        html.text(
            requests.answered == 0
                ? "No request was answered."
                : "\(requests.answered.grouped) requests were answered, half of them within "
                    + "\(ReportCharts.span(requests.latency(percentile: 50)?.microseconds)), 99 % within "
                    + "\(ReportCharts.span(requests.latency(percentile: 99)?.microseconds)); "
                    + "\(requests.failed.grouped) came to nothing.")
        html.markup("</p>\n")
        if !figures.refetchOutcomes.isEmpty {
            html.markup("<ul class=\"tiles\">")
            for outcome in RefetchReport.Outcome.allCases {
                if let count = figures.refetchOutcomes[outcome] { tile(outcome.rawValue, count) }
            }
            html.markup("</ul>\n")
            html.head(caption: "The slowest refetches", "time (UTC)", "resource", "outcome", "status", "took")
            for refetch in figures.refetches {
                row(at: refetch.time)
                html.cell(refetch.resource)
                html.cell(refetch.outcome.rawValue)
                html.cell(refetch.status.map { String($0) } ?? "–")
                html.cell(ReportCharts.span(refetch.duration.microseconds))
            }
            html.markup("</tbody></table>\n")
        }
        end()
    }

    private mutating func loudest() {
        let (summary, names) = (figures.summary, figures.names)
        begin("loudest", "Loudest")
        html.markup("<div class=\"columns\">")
        ranking("People", summary.actors) { ShortName.shorteningIDs($0) }
        ranking("Rooms", summary.rooms) { names.look(at: $0).label }
        ranking("Kinds", summary.kinds) { $0 }
        ranking("Names on the wire", figures.wireNames) { $0 }
        html.markup("</div>\n")
        end()
    }

    private mutating func ranking(_ caption: String, _ tally: Tally, name: (String) -> String) {
        let (top, others) = tally.top(Self.mostNames)
        guard !top.isEmpty else { return }
        html.head(caption: caption, "name", "events", "share")
        let most = top.first?.count ?? 1
        for (entry, count) in top {
            html.markup("<tr>")
            html.cell(name(entry).clipped(80))
            html.cell(count)
            html.markup("<td><svg class=\"bar\" aria-hidden=\"true\" viewBox=\"0 0 100 8\"><rect height=\"8\" width=\"")
            html.coordinate(100 * Double(count) / Double(max(most, 1)))
            html.markup("\"/></svg>\n")
        }
        if others > 0 {
            html.markup("<tr>")
            html.cell("others")
            html.cell(others)
            html.cell("")
        }
        html.markup("</tbody></table>\n")
    }

    private mutating func troubles() {
        begin("errors", "Errors")
        if figures.troubles.isEmpty {
            html.markup("<p>There was no error.</p>\n")
        } else {
            html.head(caption: "Errors and warnings, with the first of each", "what", "times", "examples")
            for trouble in figures.troubles {
                html.markup("<tr>")
                html.cell(trouble.title.clipped(120))
                html.cell(trouble.count)
                html.markup("<td><ul>")
                for example in trouble.examples {
                    html.markup("<li>")
                    html.text("\(clock(example.time))  \(example.text)")
                }
                html.markup("</ul>\n")
            }
            html.markup("</tbody></table>\n")
        }
        end()
    }

    // MARK: - Model

    private mutating func rows() {
        let names = figures.names
        begin("model", "The model at the end")
        let sections = model.sectionKeys
        if sections.isEmpty { html.markup("<p>The model is empty.</p>\n") }
        for section in sections.prefix(Self.mostSections) {
            html.markup("<details open><summary>")
            html.text(names.label(of: section).clipped(120))
            html.markup(" ")
            html.number(model.elementCount(in: section))
            html.markup("</summary><ol>\n")
            for item in model.elements(in: section).prefix(Self.mostRows) {
                html.markup("<li>")
                html.text(figures.words(names.label(of: item, ItemFacts(item)) ?? item.id.shortText))
            }
            html.markup("</ol></details>\n")
        }
        if sections.count > Self.mostSections {
            html.markup("<p>And ")
            html.number(sections.count - Self.mostSections)
            html.markup(" more sections.</p>\n")
        }
        end()
    }

    // MARK: - Events

    private mutating func events() {
        let names = figures.names
        begin("events", "Events")
        html.markup("<form id=\"searching\" hidden role=\"search\"><label for=\"search\">Search</label>")
        html.markup("<input id=\"search\" type=\"search\" autocomplete=\"off\" aria-controls=\"list\">")
        html.markup(
            "<output id=\"found\" for=\"search\" aria-live=\"polite\"></output></form>\n<div class=\"scroll tall\" ")
        html.markup("tabindex=\"0\" role=\"region\" aria-label=\"list of events\"><table id=\"list\"><caption>")
        html.text(
            figures.summary.events > figures.events.count
                ? "The first \(figures.events.count.grouped) of \(figures.summary.events.grouped) events"
                : "All \(figures.events.count.grouped) events")
        html.markup("</caption><thead><tr><th scope=\"col\">time (UTC)<th scope=\"col\">lag<th scope=\"col\">room")
        html.markup("<th scope=\"col\">kind<th scope=\"col\">what</thead><tbody>\n")
        var labels: [String: String] = [:]
        var written = 0
        for event in figures.events {
            guard html.bytes.count < Self.mostBytes else { break }
            written += 1
            let room = event.room.map { room -> String in
                if let known = labels[room] { return known }
                let label = names.look(at: room).label.clipped(60)
                labels[room] = label
                return label
            }
            html.markup("<tr>")
            html.cell(TimeText.timeOfDay(wall: event.wall))
            html.cell(event.lag.map { TimeText.span(milliseconds: $0) } ?? "")
            html.cell(room ?? "")
            html.cell(event.kind.clipped(60))
            html.cell(event.text)
            html.markup("\n")
        }
        html.markup("</tbody></table></div>\n")
        rest(written)
        end()
    }

    /// Describes how to print the events that the list leaves out.
    private mutating func rest(_ written: Int) {
        guard written < figures.summary.events else { return }
        html.markup("<p>")
        html.number(figures.summary.events - written)
        html.markup(" more events are not in this list. ")
        if let command = facts.allEvents {
            html.markup("All of them: <code>")
            html.text(command)
            html.markup("</code>")
        } else {
            html.markup("This run was not recorded: <code>--record FILE</code> keeps all of them.")
        }
        html.markup("</p>\n")
    }
}

/// The style sheet of a report, and the script of its search. The page's content security policy names the digests of both, so the browser
/// applies nothing else.
enum ReportStyle {
    static let sheet: StaticString = """

        :root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d8dde3; --ground: #ffffff;
          --panel: #f5f7f9; --bad: #c62f3c; --good: #1f8a56; --link: #1d5fbf; --mark: #8a5cd1;
          --c0: #2f6fd0; --c1: #d9741a; --c2: #24936a; --c3: #b8408a; --c4: #7a56c8; --c5: #0d8ea3; --c6: #a98207;
          --c7: #868d95; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6e9ed; --soft: #a0a9b4; --line: #363d46; --ground: #14181d; --panel: #1c2128; --bad: #ff6b74;
            --good: #4cc38a; --link: #7cb0ff; --mark: #b79bf0; --c0: #6ea3f5; --c1: #f09a4b; --c2: #52c699;
            --c3: #ec82c0; --c4: #b096f2; --c5: #4cc4d8; --c6: #d8b53c; --c7: #9aa2ab; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 0 1.5rem 3rem; max-width: 76rem; color: var(--ink); background: var(--ground);
          font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
        h1 { font-size: 1.6rem; margin: 1.5rem 0 .5rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
        h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
        a { color: var(--link); }
        nav a { margin-right: .9rem; }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { left: 1rem; top: .5rem; }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        .facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
        .facts dt { color: var(--soft); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .tiles, .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; }
        .tiles li { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem;
          min-width: 7rem; color: var(--soft); font-size: .85rem; }
        .tiles b { display: block; color: var(--ink); font-size: 1.25rem; font-variant-numeric: tabular-nums; }
        .legend { gap: .25rem 1.1rem; margin: .25rem 0 .5rem; font-size: .85rem; }
        .legend data { color: var(--soft); }
        .swatch { display: inline-block; width: .75rem; height: .75rem; border-radius: 2px; margin-right: .35rem; }
        .chart { display: block; width: 100%; height: auto; }
        .chart text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
        .chart .end { text-anchor: end; }
        .chart .mid { text-anchor: middle; }
        .grid { stroke: var(--line); stroke-width: 1; fill: none; }
        .base { stroke: var(--soft); stroke-width: 1; fill: none; }
        .area { stroke: none; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .hover { fill: transparent; }
        .hover:hover { fill: var(--ink); fill-opacity: .09; }
        .gap { fill: var(--bad); fill-opacity: .13; }
        .hole, .lost { fill: var(--bad); }
        .mended, .up { fill: var(--good); }
        .joined { stroke: var(--good); stroke-width: 2; }
        .mark { stroke: var(--mark); stroke-width: 1; stroke-dasharray: 3 2; }
        .area.s0 { fill: var(--c0); } .area.s1 { fill: var(--c1); } .area.s2 { fill: var(--c2); }
        .area.s3 { fill: var(--c3); } .area.s4 { fill: var(--c4); } .area.s5 { fill: var(--c5); }
        .area.s6 { fill: var(--c6); } .area.s7 { fill: var(--c7); }
        .line.s0 { stroke: var(--c0); } .line.s1 { stroke: var(--c1); } .line.s2 { stroke: var(--c3); }
        .swatch.s0 { background: var(--c0); } .swatch.s1 { background: var(--c1); } .swatch.s2 { background: var(--c2); }
        .swatch.s3 { background: var(--c3); } .swatch.s4 { background: var(--c4); } .swatch.s5 { background: var(--c5); }
        .swatch.s6 { background: var(--c6); } .swatch.s7 { background: var(--c7); }
        #lag .swatch.s2 { background: var(--c3); }
        table { border-collapse: collapse; width: 100%; font-size: .88rem; }
        caption { text-align: left; color: var(--soft); padding: .4rem 0; }
        th, td { text-align: left; padding: .25rem .6rem .25rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
        th { font-weight: 600; }
        td { overflow-wrap: anywhere; }
        td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
        .columns td:first-child { white-space: normal; }
        td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
        #loudest th:nth-child(2), #errors th:nth-child(2), .scroll:not(.tall) th[scope=col]:not(:first-child) { text-align: right; }
        td ul { margin: 0; padding-left: 1rem; }
        .columns { display: grid; align-items: start; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1.5rem; }
        .bar { display: block; width: 6rem; height: .5rem; margin-top: .45rem; }
        .bar rect { fill: var(--c0); }
        .scroll { overflow: auto; max-height: 24rem; border: 1px solid var(--line); border-radius: .4rem; padding: 0 .6rem; }
        .tall { max-height: 40rem; }
        .scroll thead th { position: sticky; top: 0; background: var(--ground); }
        details { margin: .35rem 0; }
        summary { cursor: pointer; }
        summary data { color: var(--soft); }
        form { display: flex; gap: .6rem; align-items: center; margin: .5rem 0; }
        form[hidden] { display: none; }
        input { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--soft); border-radius: .3rem;
          padding: .3rem .5rem; width: 22rem; max-width: 60vw; }
        output { color: var(--soft); }
        code { background: var(--panel); padding: .1rem .3rem; border-radius: .25rem; overflow-wrap: anywhere; }
        footer { margin-top: 2rem; color: var(--soft); font-size: .85rem; }
        @media print {
          :root { color-scheme: light; --ink: #000; --soft: #444; --line: #ccc; --ground: #fff; --panel: #f4f4f4; }
          body { max-width: none; padding: 0; font-size: 11px; }
          nav, form, .skip { display: none; }
          .scroll { max-height: none; overflow: visible; border: 0; padding: 0; }
          #list tbody tr:nth-child(n + 201) { display: none; }
          svg, tr, li { break-inside: avoid; }
        }

        """

    static let script: StaticString = """

        (() => {
          const box = document.getElementById('search'), found = document.getElementById('found');
          const rows = [...document.querySelectorAll('#list tbody tr')];
          let texts = null, waiting = 0;
          document.getElementById('searching').hidden = false;
          const look = () => {
            texts ??= rows.map(row => [...row.cells].map(cell => cell.textContent).join(' ').toLowerCase());
            const words = box.value.toLowerCase().split(/\\s+/).filter(word => word);
            let shown = 0;
            rows.forEach((row, index) => {
              row.hidden = !words.every(word => texts[index].includes(word));
              if (!row.hidden) shown += 1;
            });
            found.value = words.length ? `${shown} of ${rows.length} events` : '';
          };
          box.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(look, 60); });
          document.addEventListener('keydown', event => {
            if (event.key === '/' && event.target !== box) { event.preventDefault(); box.focus(); }
            if (event.key === 'Escape' && event.target === box) { box.value = ''; look(); }
          });
        })();

        """
}

import Recording

/// The style sheet of a report, and the script of its search. The page's content security policy names the digests of both, so the browser
/// applies nothing else.
enum ReportStyle {
    /// Returns the digest of a text in the form of a content security policy.
    static func digest(of text: StaticString) -> String { TextDigest.base64(of: "\(text)") }

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

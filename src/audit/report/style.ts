const sans = '"Source Sans 3", "Liberation Sans", Arial, sans-serif'
const serif = '"Source Serif 4", "Liberation Serif", Georgia, serif'
const mono = '"JetBrains Mono", "Liberation Mono", Menlo, Consolas, monospace'

/** For screen and paper. No script, no font or image from elsewhere: the file says the same for as long as it exists. */
export const style = (header: string, period: string, root: string): string =>
  [pages(header, period, root), colours, text, tables, cover, figures, runs, screen].join('\n')

const margin = (place: string, content: string, font: string, towards: string) =>
  `@${place} { content: "${content}"; font: ${font}; color: #5a6273; ${towards} }`

const pages = (header: string, period: string, root: string) => `
@page { size: A4; margin: 25mm 18mm 22mm 18mm;
  ${margin('top-left', header, `8pt ${sans}`, 'vertical-align: bottom; padding-bottom: 5mm;')}
  ${margin('top-right', period, `8pt ${sans}`, 'vertical-align: bottom; padding-bottom: 5mm;')}
  ${margin('bottom-left', `Record root ${root}`, `7pt ${mono}`, 'vertical-align: top; padding-top: 5mm;')}
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt ${sans}; color: #5a6273;
    vertical-align: top; padding-top: 5mm; } }
@page :first { margin: 0;
  @top-left { content: none; } @top-right { content: none; } @bottom-left { content: none; } @bottom-right { content: none; } }`

const colours = `
:root { color-scheme: light; --paper: #fff; --ink: #1b2436; --soft: #3a4358; --quiet: #5a6273; --line: #c9cdd6;
  --accent: #8a6d3b; --good: #2f6b4f; --bad: #9b1c1c; --warn: #a3500b; --medium: #6b5b14; --flag: #fbeee0; --band: #1b2436;
  --success: #5b84a8; --failure: #e8b98a; --syntax: #aab1bd; --refused: #1b2436; --interrupted: #fff; }`

const text = `
* { box-sizing: border-box; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 9.6pt/1.5 ${sans}; }
h1, h2, h3, .figure b { font-family: ${serif}; font-weight: 600; line-height: 1.2; }
h2 { font-size: 17pt; margin: 0 0 3mm; padding-bottom: 2mm; border-bottom: 0.6pt solid var(--ink); break-after: avoid; }
h2 .no { color: var(--accent); margin-right: 3mm; }
h3 { font-size: 11.5pt; margin: 6mm 0 2mm; break-after: avoid; }
p { margin: 0 0 3mm; max-width: 158mm; orphans: 3; widows: 3; }
p:has(+ table) { break-after: avoid; }
section { margin: 0 0 11mm; }
section.new-page { break-before: page; }
code { font: 8pt ${mono}; overflow-wrap: anywhere; }
.keep { break-inside: avoid; }
.warn { color: var(--warn); font-weight: 600; }
.quiet { color: var(--quiet); }
.small { font-size: 8.2pt; }
.risk { font-weight: 700; white-space: nowrap; font-size: 8.6pt; letter-spacing: 0.04em; }
.risk.critical { color: var(--bad); } .risk.high { color: var(--warn); }
.risk.medium { color: var(--medium); } .risk.low { color: var(--good); }`

const tables = `
table { border-collapse: collapse; width: 100%; margin: 1mm 0 4mm; font-size: 8.6pt; }
th { text-align: left; color: var(--ink); font-weight: 600; border-bottom: 0.8pt solid var(--ink); padding: 1mm 3mm 1mm 0; vertical-align: bottom; }
td { text-align: left; color: var(--ink); border-bottom: 0.3pt solid var(--line); padding: 1.2mm 3mm 1.2mm 0; vertical-align: top; overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
thead { display: table-header-group; } tr { break-inside: avoid; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.tight { white-space: nowrap; }
table.hashes td { padding-top: 0.55mm; padding-bottom: 0.55mm; font-size: 8pt; }
table.hashes code { font-size: 6.9pt; white-space: nowrap; }
table.counts { table-layout: fixed; } table.counts th:first-child { width: 28%; }
tr.group td { font-weight: 600; padding-top: 2.4mm; }
dl.facts { display: grid; grid-template-columns: 25mm 1fr; gap: 1mm 3mm; margin: 0 0 4mm; font-size: 8.8pt; }
dl.facts dt { color: var(--quiet); } dl.facts dd { margin: 0; overflow-wrap: anywhere; } dl.facts code { font-size: 7.4pt; }
.sign { margin-top: 9mm; font-size: 8.6pt; } .sign div { display: grid; grid-template-columns: 1fr 1fr 34mm; gap: 8mm; margin-top: 13mm; }
.sign span { border-top: 0.6pt solid var(--ink); padding-top: 1mm; color: var(--quiet); }`

const cover = `
.cover { height: 297mm; padding: 30mm 24mm 20mm; display: flex; flex-direction: column; break-after: page; border-left: 9mm solid var(--band); }
.cover .brand { letter-spacing: 0.28em; text-transform: uppercase; font-size: 9pt; color: var(--accent); }
.cover h1 { font-size: 36pt; margin: 40mm 0 4mm; max-width: 150mm; overflow-wrap: anywhere; text-wrap: balance; }
.cover .period { font-size: 14pt; color: var(--soft); margin-bottom: 12mm; }
.verdict { border: 0.9pt solid; padding: 4mm 5mm; max-width: 150mm; margin-top: 4mm; break-inside: avoid; }
.verdict b { display: block; font-size: 12pt; margin-bottom: 1mm; }
.verdict.good { border-color: var(--good); } .verdict.good b { color: var(--good); }
.verdict.bad { border-color: var(--bad); border-width: 2pt; } .verdict.bad b { color: var(--bad); }
.cover .figures { max-width: 150mm; margin-top: 12mm; }
.cover dl.facts { margin-top: auto; font-size: 8.6pt; border-top: 0.6pt solid var(--ink); padding-top: 5mm; }
.contents { columns: 2; column-gap: 10mm; padding: 0; margin: 0 0 6mm; list-style: none; font-size: 9pt; }
.contents li { border-bottom: 0.3pt solid var(--line); break-inside: avoid; }
.contents a { display: block; padding: 0.8mm 0; color: inherit; text-decoration: none; }
.contents b { display: inline-block; width: 7mm; color: var(--accent); }`

const figures = `
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 4mm; margin: 3mm 0 6mm; break-inside: avoid; }
.figures.five { grid-template-columns: repeat(5, 1fr); } .five .figure b { font-size: 15pt; }
.figure { border-top: 1.4pt solid var(--ink); padding-top: 1.5mm; font-size: 8.4pt; color: var(--quiet); }
.figure b { display: block; font-size: 21pt; color: var(--ink); }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 0 8mm; break-inside: avoid; } .charts h3 { margin-top: 3mm; }
.chart { display: block; width: 100%; height: auto; margin: 1mm 0 3mm; break-inside: avoid; }
.chart text { font: 9px ${sans}; fill: var(--ink); } .chart .value { font-size: 8px; fill: var(--quiet); }
.chart rect, .piece rect { stroke: var(--ink); stroke-width: 0.5; } .chart rect.none { stroke-width: 0; }
rect.success { fill: var(--success); } rect.failure { fill: var(--failure); }
rect.syntax { fill: var(--syntax); } rect.refused { fill: var(--refused); } rect.interrupted { fill: var(--interrupted); }
.chart .axis { stroke: var(--ink); stroke-width: 0.8; } .chart .grid { stroke: var(--line); stroke-width: 0.5; }
.legend { font-size: 8.2pt; color: var(--soft); margin: 0 0 1mm; } .legend span { margin-right: 5mm; white-space: nowrap; } .legend svg { vertical-align: -1.5px; }`

const runs = `
.action { border-top: 1.4pt solid var(--ink); padding-top: 2.5mm; margin: 0 0 9mm; } h2 + .action { border-top: 0; padding-top: 0; }
.action header { display: flex; justify-content: space-between; align-items: baseline; gap: 4mm; break-after: avoid; margin-bottom: 2mm; }
.action header h3 { margin: 0; font-size: 12.5pt; } .action .facts { break-inside: avoid; break-after: avoid; }
.label { font-size: 8.2pt; font-weight: 600; margin: 2mm 0 0.5mm; break-after: avoid; }
.code { margin: 1mm 0 3mm; border-left: 1.6pt solid var(--line); font: 7.8pt/1.42 ${mono}; }
.code div { display: grid; grid-template-columns: 9mm 1fr; break-inside: avoid; }
.code i { font-style: normal; color: var(--quiet); text-align: right; padding-right: 3mm; user-select: none; }
.code span { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.code .flag { background: var(--flag); } .code .flag i { color: var(--warn); font-weight: 700; }
.code .note { grid-column: 2; font: italic 7.6pt ${sans}; color: var(--warn); }
.effects { display: grid; grid-template-columns: 1fr 1fr; gap: 0 6mm; font-size: 8.6pt; }
.effects ul { margin: 0 0 2mm; padding-left: 4mm; } .effects li { overflow-wrap: anywhere; }`

const screen = `
@media screen {
  body { font-size: 15px; }
  main { max-width: 920px; margin: 0 auto; padding: 0 28px 64px; }
  .cover { margin: 0 -28px 48px; height: auto; min-height: 720px; padding: 64px 56px 40px; border-left-width: 14px; }
  .cover h1 { margin-top: 96px; font-size: 46px; }
  section { margin-bottom: 56px; scroll-margin-top: 16px; }
  .contents a:hover { color: var(--accent); }
  table, dl.facts { font-size: 13.5px; } dl.facts code { font-size: 11.5px; } .small, .legend, .label { font-size: 12.5px; }
  table.hashes td { font-size: 12.5px; } table.hashes code { font-size: 10.5px; } .code { font-size: 12.5px; }
  .effects { font-size: 13.5px; } .figure { font-size: 13px; }
}
@media screen and (max-width: 720px) {
  .figures { grid-template-columns: 1fr 1fr; } .charts, .effects { grid-template-columns: 1fr; } .contents { columns: 1; }
  table { display: block; overflow-x: auto; } dl.facts { grid-template-columns: 1fr; } .cover h1 { margin-top: 48px; font-size: 32px; }
}
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --paper: #14181f; --ink: #e6e9ef; --soft: #c3c9d4; --quiet: #9aa3b2; --line: #343b47;
    --accent: #d3b06c; --good: #7cc4a0; --bad: #f08a8a; --warn: #eba566; --medium: #d6c46a; --flag: #33271a; --band: #2b3344;
    --success: #5b84a8; --failure: #e8b98a; --syntax: #7c8596; --refused: #e6e9ef; --interrupted: #14181f; }
}
`

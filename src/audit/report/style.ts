/** For screen and paper. No script, no font or image from elsewhere: the file says the same for as long as it exists. */
export const style = (header: string, period: string, root: string): string => `
@page { size: A4; margin: 25mm 18mm 22mm 18mm;
  @top-left { content: "${header}"; font: 8pt "Liberation Sans", Arial, sans-serif; color: #5a6273; vertical-align: bottom; padding-bottom: 5mm; }
  @top-right { content: "${period}"; font: 8pt "Liberation Sans", Arial, sans-serif; color: #5a6273; vertical-align: bottom; padding-bottom: 5mm; }
  @bottom-left { content: "Record root ${root}"; font: 7pt "Liberation Mono", monospace; color: #5a6273; vertical-align: top; padding-top: 5mm; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt "Liberation Sans", Arial, sans-serif; color: #5a6273; vertical-align: top; padding-top: 5mm; } }
@page :first { margin: 0; @top-left { content: none; } @top-right { content: none; } @bottom-left { content: none; } @bottom-right { content: none; } }
* { box-sizing: border-box; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; color: #1b2436; background: #fff; font: 9.6pt/1.5 "Source Sans 3", "Liberation Sans", Arial, sans-serif; }
h1, h2, h3, .figure b { font-family: "Source Serif 4", "Liberation Serif", Georgia, serif; font-weight: 600; line-height: 1.2; }
h2 { font-size: 17pt; margin: 0 0 3mm; padding-bottom: 2mm; border-bottom: 0.6pt solid #1b2436; break-after: avoid; }
h2 .no { color: #8a6d3b; margin-right: 3mm; }
h3 { font-size: 11.5pt; margin: 6mm 0 2mm; break-after: avoid; }
p { margin: 0 0 2.5mm; max-width: 165mm; orphans: 3; widows: 3; }
p:has(+ table) { break-after: avoid; }
section { margin-bottom: 10mm; }
section.new-page { break-before: page; }
code, .mono { font-family: "JetBrains Mono", "Liberation Mono", monospace; font-size: 0.86em; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; margin: 2mm 0 4mm; font-size: 8.6pt; }
th { text-align: left; font-weight: 600; border-bottom: 0.8pt solid #1b2436; padding: 1mm 2mm 1mm 0; vertical-align: bottom; }
td { border-bottom: 0.3pt solid #c9cdd6; padding: 1.2mm 2mm 1.2mm 0; vertical-align: top; overflow-wrap: anywhere; }
thead { display: table-header-group; } tr { break-inside: avoid; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.tight { white-space: nowrap; } table.hashes td { padding-top: 0.7mm; padding-bottom: 0.7mm; } table.hashes code { font-size: 7pt; white-space: nowrap; }
table.counts { table-layout: fixed; } table.counts th:first-child { width: 28%; } tr.group td { font-weight: 600; padding-top: 2.4mm; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 0 8mm; break-inside: avoid; } .charts h3 { margin-top: 3mm; }
.cover { height: 297mm; padding: 30mm 24mm 20mm; display: flex; flex-direction: column; break-after: page; border-left: 9mm solid #1b2436; }
.cover .brand { letter-spacing: 0.28em; text-transform: uppercase; font-size: 9pt; color: #8a6d3b; }
.cover h1 { font-size: 36pt; margin: 46mm 0 4mm; max-width: 140mm; overflow-wrap: anywhere; }
.cover .period { font-size: 14pt; color: #3a4358; margin-bottom: 12mm; }
.verdict { border: 0.9pt solid; padding: 4mm 5mm; max-width: 150mm; margin-top: 4mm; break-inside: avoid; }
.verdict b { display: block; font-size: 12pt; margin-bottom: 1mm; }
.verdict.good { border-color: #2f6b4f; } .verdict.good b { color: #2f6b4f; }
.verdict.bad { border-color: #9b1c1c; border-width: 2pt; } .verdict.bad b { color: #9b1c1c; }
dl.facts { display: grid; grid-template-columns: 25mm 1fr; gap: 1mm 3mm; margin: 0 0 4mm; font-size: 8.8pt; }
dl.facts dt { color: #5a6273; } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.cover dl.facts { margin-top: auto; font-size: 8.6pt; border-top: 0.6pt solid #1b2436; padding-top: 5mm; }
.contents { columns: 2; column-gap: 10mm; padding: 0; margin: 0 0 6mm; list-style: none; font-size: 9pt; }
.contents li { padding: 0.8mm 0; border-bottom: 0.3pt solid #c9cdd6; break-inside: avoid; } .contents b { display: inline-block; width: 7mm; color: #8a6d3b; }
.figures { display: grid; grid-template-columns: repeat(4, 1fr); gap: 4mm; margin: 3mm 0 6mm; break-inside: avoid; }
.figure { border-top: 1.4pt solid #1b2436; padding-top: 1.5mm; font-size: 8.4pt; color: #5a6273; }
.figure b { display: block; font-size: 21pt; color: #1b2436; }
.chart { display: block; width: 100%; height: auto; margin: 1mm 0 3mm; break-inside: avoid; } .chart text { font: 9px "Liberation Sans", Arial, sans-serif; fill: #1b2436; } .chart .value { font-size: 8px; fill: #5a6273; }
.legend { font-size: 8.2pt; color: #3a4358; margin: 0 0 1mm; } .legend span { margin-right: 5mm; white-space: nowrap; } .legend svg { vertical-align: -1.5px; }
.keep { break-inside: avoid; }
.action { border-top: 1.4pt solid #1b2436; padding-top: 2.5mm; margin: 0 0 9mm; } h2 + .action { border-top: 0; padding-top: 0; }
.action header { display: flex; justify-content: space-between; align-items: baseline; gap: 4mm; break-after: avoid; margin-bottom: 2mm; }
.action header h3 { margin: 0; font-size: 12.5pt; } .action .facts { break-inside: avoid; }
.risk { font-weight: 700; white-space: nowrap; font-size: 8.6pt; letter-spacing: 0.04em; }
.risk.critical { color: #9b1c1c; } .risk.high { color: #a3500b; } .risk.medium { color: #6b5b14; } .risk.low { color: #2f6b4f; }
.code { margin: 1mm 0 3mm; border-left: 1.6pt solid #c9cdd6; font: 7.8pt/1.42 "JetBrains Mono", "Liberation Mono", monospace; }
.code div { display: grid; grid-template-columns: 9mm 1fr; break-inside: avoid; } .code i { font-style: normal; color: #8a90a0; text-align: right; padding-right: 3mm; user-select: none; }
.code span { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; } .code .flag { background: #fbeee0; } .code .flag i { color: #a3500b; font-weight: 700; }
.code .note { grid-column: 2; font: italic 7.6pt "Liberation Sans", Arial, sans-serif; color: #a3500b; }
.label { font-size: 8.2pt; font-weight: 600; margin: 2mm 0 0.5mm; break-after: avoid; }
.effects { display: grid; grid-template-columns: 1fr 1fr; gap: 0 6mm; font-size: 8.6pt; } .effects ul { margin: 0 0 2mm; padding-left: 4mm; } .effects li { overflow-wrap: anywhere; }
.warn { color: #a3500b; font-weight: 600; } .quiet { color: #5a6273; } .small { font-size: 8.2pt; }
@media screen { body { max-width: 210mm; margin: 0 auto; padding: 0 16mm 20mm; } .cover { margin: 0 -16mm 12mm; height: auto; min-height: 240mm; } }
`

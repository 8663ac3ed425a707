const sans = '"Source Sans 3", "Liberation Sans", Arial, sans-serif'
const serif = '"Source Serif 4", "Liberation Serif", Georgia, serif'
const mono = '"JetBrains Mono", "Liberation Mono", Menlo, Consolas, monospace'

const corner = (place: string, content: string, font: string, towards: string) =>
  `@${place} { content: "${content}"; font: ${font}; color: #5a6273; ${towards} }`

/** For paper and screen. Nothing is loaded from elsewhere. */
export const style = (header: string, root: string): string => `
@page { size: A4; margin: 22mm 20mm 20mm;
  ${corner('top-left', header, `8pt ${sans}`, 'vertical-align: bottom; padding-bottom: 5mm;')}
  ${corner('bottom-left', `Record root ${root}`, `7pt ${mono}`, 'vertical-align: top; padding-top: 4mm;')}
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt ${sans}; color: #5a6273;
    vertical-align: top; padding-top: 4mm; } }
@page :first { @top-left { content: none; } }
:root { color-scheme: light; --ink: #1b2436; --soft: #3a4358; --quiet: #5a6273; --line: #c9cdd6; --accent: #8a6d3b;
  --good: #2f6b4f; --bad: #9b1c1c; --warn: #a3500b; }
* { box-sizing: border-box; }
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; color: var(--ink); background: #fff; font: 10pt/1.5 ${sans}; }
h1, h2, h3, .value b { font-family: ${serif}; font-weight: 600; line-height: 1.2; }
header.top { border-left: 3mm solid var(--ink); padding: 1mm 0 1mm 7mm; margin-bottom: 9mm; }
.brand { letter-spacing: 0.26em; text-transform: uppercase; font-size: 8pt; color: var(--accent); margin: 0 0 4mm; }
h1 { font-size: 25pt; margin: 0 0 2mm; overflow-wrap: anywhere; text-wrap: balance; }
.path { color: var(--quiet); margin: 0; }
.question { font: italic 12.5pt/1.45 ${serif}; color: var(--soft); margin: 0 0 8mm; max-width: 150mm; white-space: pre-line; overflow-wrap: anywhere; }
h2 { font-size: 14.5pt; margin: 9mm 0 3mm; padding-bottom: 1.5mm; border-bottom: 0.6pt solid var(--ink); break-after: avoid; }
h3 { font-size: 11.5pt; margin: 5mm 0 2mm; break-after: avoid; }
p { margin: 0 0 3mm; orphans: 3; widows: 3; } .quiet { color: var(--quiet); } .small { font-size: 8.4pt; }
.values { display: grid; grid-template-columns: repeat(3, 1fr); gap: 6mm 7mm; }
.value { border-top: 1.4pt solid var(--ink); padding-top: 2mm; font-size: 9pt; color: var(--soft); break-inside: avoid; overflow-wrap: anywhere; }
.value b { display: block; font-size: 22pt; color: var(--ink); font-variant-numeric: tabular-nums; }
.mark { display: inline-block; font-size: 7.6pt; font-weight: 700; letter-spacing: 0.05em; text-transform: uppercase; color: var(--warn); border: 0.8pt solid; padding: 0 1.4mm; border-radius: 1mm; }
figure { margin: 0 0 5mm; break-inside: avoid; } figure img { display: block; max-width: 100%; max-height: 120mm; }
figcaption { font-weight: 600; margin-bottom: 2mm; }
table { border-collapse: collapse; width: 100%; margin: 1mm 0 4mm; font-size: 8.8pt; }
th { text-align: left; color: var(--ink); font-weight: 600; border-bottom: 0.8pt solid var(--ink); padding: 1mm 3mm 1mm 0; vertical-align: bottom; }
td { text-align: left; color: var(--ink); border-bottom: 0.3pt solid var(--line); padding: 1.2mm 3mm 1.2mm 0; vertical-align: top; overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; } thead { display: table-header-group; } tr { break-inside: avoid; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 7.6pt ${mono}; overflow-wrap: anywhere; }
pre { font: 7.8pt/1.45 ${mono}; white-space: pre-wrap; overflow-wrap: anywhere; border-left: 1.6pt solid var(--line); padding-left: 4mm; margin: 1mm 0 4mm; tab-size: 4; }
dl.facts { display: grid; grid-template-columns: 30mm 1fr; gap: 0.8mm 4mm; margin: 0 0 4mm; font-size: 8.8pt; break-inside: avoid; }
dl.facts dt { color: var(--quiet); } dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.origin { break-inside: avoid; }
.verdict { border: 0.9pt solid; padding: 3mm 4mm; margin: 0 0 4mm; break-inside: avoid; }
.verdict b { display: block; font-size: 11pt; } .verdict.good { border-color: var(--good); } .verdict.good b { color: var(--good); }
.verdict.bad { border-color: var(--bad); border-width: 2pt; } .verdict.bad b { color: var(--bad); }
@media screen { body { font-size: 15px; } main { max-width: 880px; margin: 0 auto; padding: 48px 28px 72px; }
  table, dl.facts { font-size: 13.5px; } code, pre { font-size: 12px; } .small { font-size: 12.5px; } }
@media screen and (max-width: 640px) { .values { grid-template-columns: 1fr; } dl.facts { grid-template-columns: 1fr; } table { display: block; overflow-x: auto; } }
`

/** The look of an exported page: readable on paper and on screen, in light and dark. */
export const style = `
:root { --ink: #1c1e21; --soft: #5c6370; --paper: #fff; --panel: #f5f6f8; --line: #d9dce1; --accent: #1f5fbf; --bad: #b3261e;
  --key: #8a2e8f; --str: #1d6f42; --num: #9a4a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6ea; --soft: #a2a9b4; --paper: #16181b; --panel: #1f2226; --line: #363b42;
  --accent: #8ab4f8; --bad: #ff8a80; --key: #d9a3e0; --str: #8fd3a8; --num: #f0b073; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
section { margin: 0 0 1.5rem; overflow-wrap: anywhere; }
a { color: var(--accent); }
.message { border-left: 3px solid var(--line); padding-left: 1rem; }
.message.analyst { border-color: var(--accent); }
.author, .label { margin: 0 0 .25rem; color: var(--soft); font-size: .8rem; }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; font: .85rem/1.5 ui-monospace, monospace; }
pre.code, :not(pre) > code { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
:not(pre) > code { padding: 0 .25em; font-size: .9em; }
.code .k { color: var(--key); } .code .s { color: var(--str); } .code .n { color: var(--num); } .code .c { color: var(--soft); font-style: italic; }
.output { overflow-x: auto; } div.output { padding: .5rem 1rem; } div.output > pre { padding: 0; }
.stderr, .notice { color: var(--soft); } .error { color: var(--bad); }
table { border-collapse: collapse; font-size: .875rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; height: auto; } figure { margin: 0; } figcaption { color: var(--soft); font-size: .85rem; }
@media print { main { max-width: none; padding: 0; } pre { white-space: pre-wrap; } section { break-inside: avoid-page; } }
`

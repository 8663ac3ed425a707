import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { code, isRequested, names, scripts } from './ask.ts'

const hostLike = /^(https?:\/\/)?(\.?[\w-]+\.)+[a-z]{2,}\/?$/i
const guarded =
  /(^|[._])(origin|referr?er|host|hostname|netloc|redirect\w*|returnTo|return_url|next_url|target_url)(\(\))?$/i

/** Walks down an object by the names in a list: `node = node[key]`. */
const walksDown = /\b(\w+)\s*=\s*\1\[[^\]=]+\](?!\s*=)/
/** The names come from a path that somebody gives. */
const takesPath = /\.split\(\s*(['"`])[./]\1|\.(shift|pop)\(\)/
/** Calls itself for a field of two objects and writes what comes back. */
const mergesBoth =
  /\b(\w+)\[(\w+)\]\s*=[^=;\n]*\b\w+\(\s*(?:\w+\[\2\][^,()]*),\s*\w+\[\2\]|\b(\w+)\(\s*(\w+)\[(\w+)\]\s*,\s*\w+\[\5\]\s*\)/

/** Rules about checks that let through what they are there to stop. */
export const checkRules: readonly Rule[] = [
  {
    id: 'injection/address-check',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-20',
    description: 'Checks a host by a part of an address, which an address of somebody else can contain as well.',
    recommendation: 'Parse the address and compare its whole host.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: ['*.includes', '*.indexOf', '*.startsWith', '*.endsWith', '*.endswith', '*.startswith', '*.search'],
      when: call => {
        const part = textOf(call.args[0]) ?? ''
        if (!hostLike.test(part) || (/ends/i.test(call.name) && part.startsWith('.')) || /\/$/.test(part)) return false
        const { receiver } = call
        return isRequested(receiver ?? undefined) || names(receiver ?? undefined, guarded)
      },
    },
    examples: {
      bad: [
        "from urllib.parse import urlparse\ndef ok(url):\n    host = urlparse(url).hostname\n    return host.endswith('example.com')",
        {
          language: 'javascript',
          code: "app.get('/', (req, res) => { if (req.query.to.includes('example.com')) go() })",
        },
      ],
      good: [
        "from urllib.parse import urlparse\ndef ok(url):\n    host = urlparse(url).hostname\n    return host.endswith('.example.com')",
        { language: 'javascript', code: "const ours = links.filter(link => link.includes('example.com'))" },
      ],
    },
  },
  {
    id: 'injection/scheme-check',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-184',
    description: 'Refuses addresses that start with `javascript:` and forgets the others that run code.',
    recommendation: 'Accept `https:` only.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['*.startsWith', '*.indexOf', '*.includes'],
      when: (call, { program }) =>
        /^javascript:?$/i.test(textOf(call.args[0]) ?? '') && !/['"]data:|vbscript/i.test(program.source),
    },
    examples: {
      bad: ["const safe = url => (url.trim().startsWith('javascript:') ? 'about:blank' : url)"],
      good: ["const safe = url => url.startsWith('https:')", "languages.includes('Python')"],
    },
  },
  {
    id: 'injection/first-only',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-116',
    description: 'Escapes only the first occurrence of a character.',
    recommendation: 'Use `replaceAll`, or a pattern with the flag `g`.',
    implies: [],
    match: {
      on: 'call',
      names: ['*.replace'],
      when: call => {
        const [sign, instead] = [textOf(call.args[0]) ?? '', textOf(call.args[1]) ?? '']
        if (call.args[0]?.kind !== 'text') return false
        if (/^<\/?script>?$/i.test(sign)) return instead === ''
        return /^['"<>&\\`]$/.test(sign) && /^\\|^&\w+;$|^(''|"")$/.test(instead)
      },
    },
    examples: {
      bad: [`const quoted = text.replace("'", "''")`, `const clean = page.replace('<script>', '')`],
      good: [`const amount = Number(text.replace(',', '').replace('$', ''))`, "text.replace(/'/g, \"''\")"],
    },
  },
  {
    id: 'injection/unasked-message',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-346',
    description: 'Accepts messages from windows of any origin.',
    recommendation: 'Compare `event.origin` with the site that may speak.',
    implies: [],
    match: {
      on: 'call',
      names: ['addEventListener', '*.addEventListener'],
      when: (call, { program }) =>
        textOf(call.args[0]) === 'message' &&
        /^(window|top|parent)\b/.test(program.source.slice(call.start, call.start + 12)) &&
        !/origin/i.test(program.source.slice(call.start, call.end)),
    },
    examples: {
      bad: ["window.addEventListener('message', event => show(event.data))"],
      good: [
        "window.addEventListener('message', event => { if (event.origin === site) show(event.data) })",
        "worker.addEventListener('message', event => show(event.data))",
      ],
    },
  },
  {
    id: 'injection/deep-write',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-1321',
    description:
      'Sets properties whose names come from data, which can reach the prototype that all objects share (prototype pollution).',
    recommendation: 'Refuse `__proto__`, `constructor` and `prototype`, or use a `Map`.',
    implies: [],
    match: {
      on: 'program',
      find: ({ program }) => {
        const { source } = program
        if (!source.includes('] =') && !source.includes(']=')) return []
        if (/__proto__|Object\.create\(null\)|new Map\b/.test(source)) return []
        const found = deepWrite(source)
        return found === null ? [] : [{ at: { start: found.index, end: found.index + found[0].length } }]
      },
    },
    examples: {
      bad: [
        'function set(o, path, value) {\n  const keys = path.split(".")\n  const last = keys.pop()\n  for (const key of keys) {\n    if (!o[key]) o[key] = {}\n    o = o[key]\n  }\n  o[last] = value\n}',
        'function merge(a, b) {\n  for (const key in b) {\n    if (typeof b[key] === "object") merge(a[key], b[key])\n    else a[key] = b[key]\n  }\n}',
        'function extend(to, from) { for (let k in from) { if (isObject(from[k])) to[k] = extend(to[k] || {}, from[k]); else to[k] = from[k] } return to }',
      ],
      good: [
        'const same = (a, b) => Object.keys(a).every(k => same(a[k], b[k]))',
        'let node = root\nfor (const letter of word) { node[letter] = node[letter] || {}; node = node[letter] }\nnode.end = true',
        'function clone(o) { const out = {}; for (const k in o) out[k] = typeof o[k] === "object" ? clone(o[k]) : o[k]; return out }',
      ],
    },
  },
]

function deepWrite(source: string): RegExpExecArray | null {
  const walk = takesPath.test(source) ? walksDown.exec(source) : null
  // The walk ends with a write of what somebody gave, by a name that somebody gave.
  if (walk !== null && new RegExp(`\\b${walk[1]}\\[[^\\]]+\\]\\s*=\\s*(?:\\w+)\\s*(?:[;}\\n]|$)`).test(source))
    return walk
  const merge = mergesBoth.exec(source)
  if (merge === null) return null
  const [, written, key, , to, by] = merge
  if (written !== undefined && key !== undefined) return merge
  return new RegExp(`\\b${to}\\[${by}\\]\\s*=[^=]`).test(source) ? merge : null
}

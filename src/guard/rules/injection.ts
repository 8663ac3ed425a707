import { origin, type Value } from '../model.ts'
import type { Answer, Rule } from '../rule.ts'
import { comesFrom, sketch, textOf } from '../values.ts'
import { code, given, hasHole, isFixed, isForeign, isRequested, looksLikeSql, option, python, says } from './ask.ts'

/** One letter, any of some letters, or a plain group of them. */
const atom = '(?:\\\\[a-zA-Z]|\\.|\\[[^\\]]+\\]|[a-zA-Z0-9_-])'
const group = '\\((?:\\?:)?(?:[^()\\\\]|\\\\.)*\\)'
const again = '(?:[+*]|\\{\\d*,\\d*\\})'
/** What may be missing, or may be anything. */
const maybe = `(?:(?:${atom}|${group})[*?]|\\.)*`
/** A repeated group in which everything but one repetition may be missing: there are many ways to match the same text. */
const slow = new RegExp(
  [
    `\\((?:\\?:)?(?:[^()|]*\\|)?${maybe}(?:${atom}${again}|\\(${atom}${again}\\)|${group}${again})${maybe}(?:\\|[^()]*)?\\)[+*]`,
    '\\((\\w)\\|\\1+\\)[+*]',
    '\\((?:\\?:)?\\w\\|\\w+\\)[*+]\\$',
    '\\(\\.\\*\\)\\{\\d',
  ].join('|'),
)

/** A column, a comparison and a value that is put in. */
const condition = /^\s*[\w."`]+\s*(=|<>?|>=?|!=|like|in)\s*\(?['"%]*\ufffc/i

function statement(value: Value | undefined): Answer {
  if (value === undefined) return false
  const known = sketch(value) ?? ''
  const requested = comesFrom(value, origin.request)
  if (value.kind === 'joined' && (looksLikeSql(known) || requested))
    return requested || isForeign(value) ? { severity: 'high' } : { severity: 'medium' }
  // A whole statement that somebody else writes may say anything.
  return comesFrom(value, origin.request | origin.input | origin.download) && !isFixed(value)
    ? { severity: 'high' }
    : false
}

/** Names that many things have are believed of databases, and of what reads as a statement. */
const database = /^(pg|mysql2?|sqlite3?|better-sqlite3|mariadb|oracledb|knex|sequelize|duckdb|tedious|mssql)\b/

const executors = [
  '*.execute',
  '*.executemany',
  '*.executescript',
  '*.raw',
  '*.query',
  '*.exec',
  '*.extra',
  '*.run',
  '*.all',
  '*.get',
  '*.each',
  '*.prepare',
  '*.$queryRawUnsafe',
  '*.$executeRawUnsafe',
  '*.read_sql',
  '*.read_sql_query',
  '*.mogrify',
  '*.fetch',
  '*.fetchrow',
  'sqlalchemy.text',
  '*.RawSQL',
  'RawSQL',
  '*.whereRaw',
  '*.orderByRaw',
  '*.simple_query',
  '*.fetch_all',
  '*.filter',
  '*.order_by',
  '*.having',
  '*.where',
  '*.andWhere',
  '*.orWhere',
  '*.literal',
  '*.havingRaw',
  'peewee.SQL',
]

/** Rules about values that become part of a statement in another language. */
export const injectionRules: readonly Rule[] = [
  {
    id: 'injection/sql',
    languages: code,
    type: 'sql-injection',
    severity: 'high',
    cwe: 'CWE-89',
    description: 'Runs an SQL statement that is put together from text and values.',
    recommendation: 'Use parameters: `execute("… WHERE id = ?", (id,))`.',
    implies: ['modify'],
    match: {
      on: 'call',
      names: executors,
      when: call => {
        const value = given(call, 0, 'sql', 'query', 'statement')
        // Django puts the parts of `where` into the statement as they are.
        const where = call.name.endsWith('.extra') ? option(call, 'where') : undefined
        if (where?.kind === 'list' && where.items.some(item => hasHole(item) && isForeign(item))) return true
        // A condition of a query is no whole statement; what a visitor writes into one is enough.
        if (/\.(filter|order_by|having)$/.test(call.name)) return value?.kind === 'joined' && isRequested(value)
        if (/\.([wW]here|(and|or)Where|literal)$|peewee\.SQL$/.test(call.name))
          return value?.kind === 'joined' && (isRequested(value) || says(value, condition))
        if (
          /\.(run|all|get|each|exec|fetch|query)$/.test(call.name) &&
          !looksLikeSql(sketch(value) ?? '') &&
          !database.test(call.name)
        )
          return false
        return statement(value)
      },
    },
    examples: {
      bad: [
        `cursor.execute("SELECT * FROM users WHERE name = '" + name + "'")`,
        'cur.execute(f"DELETE FROM t WHERE id = {uid}")',
        "import sqlite3\nsqlite3.connect('a.db').execute(input())",
        { language: 'javascript', code: "db.query('SELECT * FROM t WHERE id = ' + req.params.id)" },
        "from flask import request\nUser.query.filter(f\"name = '{request.args['q']}'\")",
        { language: 'javascript', code: "items.createQueryBuilder('i').where(`i.name = '${name}'`).getMany()" },
      ],
      good: [
        'cursor.execute("SELECT * FROM users WHERE name = ?", (name,))',
        '# SELECT * FROM x\nprint("Select one from the list " + x)',
      ],
    },
  },
  {
    id: 'injection/sql-text',
    languages: code,
    type: 'sql-injection',
    severity: 'medium',
    cwe: 'CWE-89',
    description: 'Puts an SQL statement together from text and values.',
    recommendation: 'Keep the statement fixed and pass the values as parameters.',
    implies: ['modify'],
    match: {
      on: 'assignment',
      when: ({ value, how }) =>
        (how === 'assign' || how === 'named') &&
        hasHole(value) &&
        looksLikeSql(sketch(value) ?? '') &&
        !/^\s*create/i.test(sketch(value) ?? ''),
    },
    examples: {
      bad: [`query = "SELECT * FROM users WHERE id = " + user_id`],
      good: ['query = "SELECT * FROM users WHERE id = ?"', 'title = "Update: " + name'],
    },
  },
  {
    id: 'injection/nosql',
    languages: code,
    type: 'sql-injection',
    severity: 'high',
    cwe: 'CWE-943',
    description: 'A database query takes an object or code from a request.',
    recommendation: 'Convert each value to the type that is expected.',
    implies: ['modify'],
    match: {
      on: 'call',
      names: [
        '*.find',
        '*.findOne',
        '*.find_one',
        '*.findOneAndUpdate',
        '*.findOneAndDelete',
        '*.findOneAndReplace',
        '*.find_one_and_update',
        '*.find_one_and_delete',
        '*.update',
        '*.updateOne',
        '*.updateMany',
        '*.update_one',
        '*.update_many',
        '*.replaceOne',
        '*.deleteOne',
        '*.deleteMany',
        '*.delete_one',
        '*.delete_many',
        '*.remove',
        '*.exists',
        '*.where',
        '*.aggregate',
        '*.count',
        '*.countDocuments',
        '*.count_documents',
        '*.distinct',
        '*.scan',
      ],
      when: call => {
        const [query] = call.args
        if (['FilterExpression', 'KeyConditionExpression'].some(name => hasHole(call.named.get(name)))) return true
        if (query?.kind === 'map')
          return [...query.entries].some(
            ([key, value]) => (key === '$where' && !isFixed(value)) || (isRequested(value) && value.kind !== 'joined'),
          )
        // Text that is read as an object may be any query.
        return (
          isRequested(query) &&
          query?.kind === 'thing' &&
          /(body|query)$|(json\.loads|JSON\.parse)\(\)$/.test(query.name)
        )
      },
    },
    examples: {
      bad: [
        {
          language: 'javascript',
          code: 'app.post("/", (req, res) => { users.findOne({ name: req.body.name, pass: req.body.pass }) })',
        },
      ],
      good: ['text.find(part)', 'users.find_one({"name": "a"})'],
    },
  },
  {
    id: 'injection/ldap',
    languages: code,
    type: 'sql-injection',
    severity: 'medium',
    cwe: 'CWE-90',
    description: 'Puts an LDAP filter or name together from text and values.',
    recommendation: 'Escape the values with the function of the LDAP library.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: ['*.search_s', '*.search', '*.search_ext', '*.search_st', '*.simple_bind_s', '*.bind'],
      when: call =>
        !call.name.startsWith('re.') &&
        (call.args.some(value => hasHole(value) && says(value, /^\s*\(?[&|]?\(?\w+=|^(uid|cn|ou|dc)=/i)) ||
          (hasHole(option(call, 'filter')) && says(option(call, 'filter'), /^\s*\(/)) ||
          (call.name !== '*.search' && /search_|bind_s/.test(call.name) && call.args.some(isRequested))),
    },
    examples: {
      bad: ['conn.search_s(base, 2, "(uid=" + name + ")")'],
      good: ["re.search('a=' + b, text)", 'conn.search_s(base, 2, "(uid=admin)")'],
    },
  },
  {
    id: 'injection/xpath',
    languages: code,
    type: 'sql-injection',
    severity: 'medium',
    cwe: 'CWE-643',
    description: 'Puts an XPath expression together from text and values.',
    recommendation: 'Pass values as XPath variables.',
    implies: ['read'],
    match: {
      on: 'call',
      names: ['*.xpath', '*.findall', '*.select', '*.evaluate', '*.iterfind', 'xpath.select'],
      when: call => call.args.some(value => hasHole(value) && says(value, /\/\/|\[@?\w+\s*=|\/\w+\[/)),
    },
    examples: { bad: [`tree.xpath("//user[name='" + name + "']")`], good: ["tree.xpath('//user')"] },
  },
  {
    id: 'injection/template',
    languages: code,
    type: 'xss',
    severity: 'high',
    cwe: 'CWE-1336',
    description: 'Renders a template that is not known before the program runs; a template can run code.',
    recommendation: 'Keep templates fixed and pass the values in.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'flask.render_template_string',
        'render_template_string',
        'jinja2.Template',
        'jinja2.Environment().from_string',
        '*.from_string',
        'mako.template.Template',
        'django.template.Template',
        'ejs.render',
        'pug.render',
        'pug.compile',
        'handlebars.compile',
        'Handlebars.compile',
        'lodash.template',
        '_.template',
        'nunjucks.renderString',
        'dot.template',
        'mustache.render',
        'Vue',
        'Vue.component',
        'Vue.extend',
        'Vue.compile',
      ],
      when: call => {
        // A component is an object; the template is one of its fields.
        if (call.name.startsWith('Vue')) return isRequested(option(call, 'template') ?? call.args[0])
        const [value] = call.args
        if (value === undefined) return false
        if (isFixed(value)) return says(value, /__(class|mro|subclasses|globals|builtins|import)__/)
        return isRequested(value) || hasHole(value) || isForeign(value) ? true : { severity: 'medium' }
      },
    },
    examples: {
      bad: [
        "from flask import request, render_template_string\nrender_template_string('<b>' + request.args['n'])",
        "from jinja2 import Template\nTemplate('{{ x.__class__.__mro__ }}').render(x=1)",
      ],
      good: ["from jinja2 import Template\nTemplate('Hello {{ name }}').render(name=x)"],
    },
  },
  {
    id: 'injection/requested-pattern',
    languages: code,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-1333',
    description: 'Makes a regular expression from data of a request.',
    recommendation: 'Escape it, or compare text.',
    implies: ['resources'],
    match: {
      on: 'call',
      names: ['re.compile', 're.match', 're.search', 're.findall', 're.sub', 'RegExp'],
      when: call => isRequested(call.args[0]),
    },
    examples: {
      bad: ["import re\nfrom flask import request\nre.match(request.args['p'], text)"],
      good: ["import re\nre.match('a+', text)"],
    },
  },
  {
    id: 'injection/open-pattern',
    languages: python,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-777',
    description: 'Checks an address with a pattern that is not tied to the end, so that anything may follow it.',
    recommendation: 'Use `re.fullmatch`, or the module `ipaddress`.',
    implies: [],
    match: {
      on: 'call',
      names: ['re.match', 're.compile().match'],
      when: (call, { program }) => {
        if (!/valid|check|verify|is_?ip/i.test(call.within ?? '')) return false
        const made =
          call.name === 're.match'
            ? call
            : program.calls.find(other => other.name === 're.compile' && other.start < call.start)
        const pattern = textOf(made?.args[0]) ?? ''
        return /\\\./.test(pattern) && /\\d|\[0-9\]|25\[0-5\]/.test(pattern) && !/(\$|\\Z)\)*$/.test(pattern)
      },
    },
    examples: {
      bad: [
        "import re\ndef valid_ip(ip):\n    return re.match(r'(\\d{1,3}\\.){3}\\d{1,3}', ip)",
        "import re\ndef check(ip):\n    p = re.compile(r'\\d+\\.\\d+\\.\\d+\\.\\d+')\n    return p.match(ip)",
      ],
      good: [
        "import re\ndef valid_ip(ip):\n    return re.match(r'^(\\d{1,3}\\.){3}\\d{1,3}$', ip)",
        "import re\ndef find(text):\n    return re.match(r'\\d+\\.\\d+', text)",
      ],
    },
  },
  {
    id: 'injection/slow-pattern',
    languages: code,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-1333',
    description: 'A regular expression repeats a repetition, so that some texts take for ever.',
    recommendation: 'Rewrite it without nested repetition.',
    implies: ['resources'],
    match: {
      on: 'call',
      names: ['re.compile', 're.match', 're.search', 're.findall', 're.sub', 're.fullmatch', 'RegExp'],
      when: call => says(call.args[0], slow),
    },
    examples: {
      bad: ["import re\nre.match('(a+)+$', text)", { language: 'javascript', code: 'const r = /^(\\w+)*$/' }],
      good: [
        "import re\nre.match('^[a-z]+$', text)",
        { language: 'javascript', code: 'const digits = /\\d+(_+\\d+)*/' },
      ],
    },
  },
]

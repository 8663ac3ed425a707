import type { Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { sketch, textOf } from '../values.ts'
import { code, hasHole, isFixed, isRequested, names, option, python, says, scripts } from './ask.ts'

/** The body, the query or the parameters of a request as a whole, or one part of them that may be an object. */
const isSent = (value: Value | undefined): boolean =>
  isRequested(value) && names(value, /^(req|request|ctx|event)\b.*\b(body|query|params|form|json)\b/)

/** Rules about what the functions that answer requests do with them. */
export const handlerRules: readonly Rule[] = [
  {
    id: 'injection/mass-assignment',
    languages: scripts,
    type: 'sql-injection',
    severity: 'medium',
    cwe: 'CWE-915',
    description:
      'Stores every field of a request, so that the sender can set fields that they should not (mass assignment).',
    recommendation: 'Take the fields that are meant, one by one.',
    implies: ['modify'],
    match: {
      on: 'call',
      names: [
        '*.create',
        '*.insert',
        '*.insertOne',
        '*.insertMany',
        '*.save',
        '*.update',
        '*.updateOne',
        '*.updateMany',
        '*.replaceOne',
        '*.findByIdAndUpdate',
        '*.findOneAndUpdate',
        '*.findOneAndReplace',
        '*.upsert',
        '*.bulkCreate',
        '*.build',
      ],
      when: call =>
        !/Hash|Hmac|Sign|Verify/i.test(call.name) &&
        call.args.some(
          value =>
            names(value, /^(req|request|ctx\.request|ctx)\.body$/) ||
            (value.kind === 'map' && names(value.entries.get('$set'), /^(req|request|ctx\.request)\.body$/)),
        ),
    },
    examples: {
      bad: [
        "router.post('/me', (req, res) => User.findByIdAndUpdate(req.user.id, req.body))",
        "app.put('/a/:id', (q, r) => Item.updateOne({ _id: 1 }, { $set: q.body }))",
      ],
      good: [
        "router.post('/me', (req, res) => User.findByIdAndUpdate(req.user.id, { name: String(req.body.name) }))",
        "app.post('/h', (req, res) => crypto.createHash('sha256').update(req.body))",
      ],
    },
  },
  {
    id: 'injection/template-object',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-73',
    description:
      'Gives a template an object that a request sends; some of its fields are settings of the template engine.',
    recommendation: 'Give the template an object of your own with the values that it shows.',
    implies: ['read'],
    match: {
      on: 'call',
      names: ['res.render', 'res.status().render', 'response.render', 'reply.view', 'ctx.render', 'h.view'],
      when: call => call.args.slice(1).some(isSent),
    },
    examples: {
      bad: ["app.post('/', (req, res) => { res.render('index', req.body.profile) })"],
      good: ["app.post('/', (req, res) => { res.render('index', { name: req.body.name }) })"],
    },
  },
  {
    id: 'injection/chosen-member',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-915',
    description:
      'A request chooses the property that is called or written, which may belong to the prototype that all objects share.',
    recommendation: 'Use a `Map`, or choose among known names.',
    implies: ['run'],
    match: { on: 'mark', kinds: ['chosen-name'] },
    examples: {
      bad: [
        "app.get('/do', (req, res) => { actions[req.query.action](1) })",
        "app.get('/set', (req, res) => { all[req.query.key] = make() })",
      ],
      good: [
        "app.get('/n', (req, res) => { rows[Number(req.query.row)] = 1 })",
        'for (const name of names) totals[name] = sums[name](rows)',
      ],
    },
  },
  {
    id: 'injection/header-name',
    languages: ['python'],
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-113',
    description: 'A request chooses which header of the answer is set.',
    recommendation: 'Set headers by names that the program knows.',
    implies: [],
    match: { on: 'mark', kinds: ['chosen-name'], when: ({ detail }) => /headers\.\?$/.test(detail) },
    examples: {
      bad: ["from flask import request\ndef view(response):\n    response.headers['X-' + request.args['n']] = 'a'"],
      good: ["from flask import request\ncounts = {}\ndef view():\n    counts[request.args['n']] = 1"],
    },
  },
  {
    id: 'injection/requested-code',
    languages: code,
    type: 'eval',
    severity: 'high',
    cwe: 'CWE-94',
    description: 'Passes data of a request to something that runs it: a page, a database, another interpreter.',
    recommendation: 'Keep the code fixed and pass the value as data.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        '*.eval',
        '*.evaluate',
        '*.$eval',
        '*.evaluateOnNewDocument',
        '*.executeJavaScript',
        '*.executeScript',
        '*.execute_script',
        '*.addScriptTag',
        '*.runScript',
        '*.eval_js',
        'eval_js',
        'js2py.eval_js',
        'sandbox().run',
        '*.mapReduce',
        '*.setDocumentContent',
        '*.navigate',
      ],
      when: call => [call.args[0], option(call, 'expression'), option(call, 'url')].some(isRequested),
    },
    examples: {
      bad: [
        "from flask import request\nimport js2py\njs2py.eval_js(request.form['a'] + '()')",
        { language: 'javascript', code: "app.get('/', (req, res) => redis.eval(req.query.script, 0))" },
      ],
      good: ["df.eval('a = b + c')", { language: 'javascript', code: 'page.evaluate(() => document.title)' }],
    },
  },
  {
    id: 'injection/mass-format',
    languages: python,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-134',
    description: 'A format string comes from a request and can reach attributes of what it formats.',
    recommendation: 'Keep the format fixed.',
    implies: [],
    match: {
      on: 'call',
      names: ['*.format', '*.format_map'],
      when: call => isRequested(call.receiver ?? undefined) && !hasHole(call.receiver ?? undefined),
    },
    examples: { bad: ["from flask import request\nrequest.args['f'].format(user=user)"], good: ["'{}'.format(x)"] },
  },
  {
    id: 'injection/requested-path-part',
    languages: scripts,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-22',
    description: 'Makes a path from data of a request.',
    recommendation: 'Reduce it to a file name and check that the resolved path stays in its folder.',
    implies: ['read'],
    match: { on: 'call', names: ['path.join', 'path.resolve'], when: call => call.args.some(isRequested) },
    examples: {
      bad: ["app.get('/', (req, res) => { const file = path.join(__dirname, 'up', req.query.name); send(file) })"],
      good: ["app.get('/', (req, res) => { const file = path.join('up', path.basename(req.query.name)); send(file) })"],
    },
  },
  {
    id: 'injection/host-header',
    languages: scripts,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-640',
    description: 'Makes an address with the host that the sender of a request names.',
    recommendation: 'Take the host from the settings of the application.',
    implies: ['connect'],
    match: {
      on: 'assignment',
      when: ({ value, how }) =>
        how !== 'compare' &&
        value.kind === 'joined' &&
        value.parts.some(
          part =>
            typeof part !== 'string' && names(part, /^req(uest)?\.(headers\.(host|x-forwarded-host)|hostname|host)$/),
        ),
    },
    examples: {
      bad: ["app.post('/reset', (req, res) => { const link = 'https://' + req.headers.host + '/reset'; mail(link) })"],
      good: ["app.post('/reset', (req, res) => { const link = base + '/reset'; mail(link) })"],
    },
  },
  {
    id: 'injection/returned-markup',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'The body of a response is a page that contains data of a request without escaping it.',
    recommendation: 'Escape it, or render it with a template that does.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => /(^|\.)body$/.test(target),
      when: ({ target, value, how }) =>
        isRequested(value) &&
        (how === 'entry'
          ? hasHole(value) && says(value, /<\w/)
          : /^ctx\.(response\.)?body$/.test(target) && hasHole(value)),
    },
    examples: {
      bad: [
        "app.use(async ctx => { ctx.body = '<h1>' + ctx.query.name + '</h1>' })",
        "exports.handler = async event => ({ statusCode: 200, body: '<p>' + event.queryStringParameters.q + '</p>' })",
      ],
      good: ['app.use(async ctx => { ctx.body = { name: ctx.query.name } })'],
    },
  },
  {
    id: 'web/secret-in-address',
    languages: scripts,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-598',
    description: 'Takes a password or a token from an address, which ends up in logs and histories.',
    recommendation: 'Take it from the body or a header.',
    implies: ['secrets'],
    match: {
      on: 'assignment',
      when: ({ value }) => names(value, /^req(uest)?\.(query|params)\.(passw\w*|pwd|secret\w*|token|api_?key)$/i),
    },
    examples: {
      bad: ["app.get('/login', (req, res) => { const given = req.query.password; check(given) })"],
      good: ["app.post('/login', (req, res) => { const given = req.body.password; check(given) })"],
    },
  },
  {
    id: 'web/no-forgery-token',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-352',
    description: 'Signs visitors in by cookie and accepts forms that other sites have sent in their name.',
    recommendation: 'Check a token that only pages of this site know.',
    implies: [],
    match: {
      on: 'calls',
      about: name => /^(cookie-parser|cookieParser|express-session|cookie-session|cookieSession|session)$/.test(name),
      find: ([first], { program }) => {
        if (first === undefined) return []
        const writes = program.calls.some(({ name }) =>
          /(^|\.|\))(app|router|express\(\))\.(post|put|patch|delete)$/.test(name),
        )
        const checks = /csrf|xsrf|csurf|lusca|sameSite/i.test(program.source)
        return writes && !checks ? [{ at: first }] : []
      },
    },
    examples: {
      bad: ["app.use(require('cookie-parser')())\napp.post('/mail', (req, res) => change(req.cookies.user))"],
      good: [
        "app.use(require('cookie-parser')())\napp.use(require('csurf')())\napp.post('/mail', (req, res) => change(req.user))",
        "app.use(require('cookie-parser')())\napp.get('/mail', (req, res) => show(req.user))",
      ],
    },
  },
  {
    id: 'web/bare-cookie',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-1004',
    description: 'Sets a cookie for a session that scripts can read or that travels unencrypted.',
    recommendation: 'Let the server set it, with `Secure` and `HttpOnly`.',
    implies: ['secrets'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(document\.cookie|set-cookie)$/i.test(target),
      when: ({ value }) => isBareCookie(value),
    },
    examples: {
      bad: ["document.cookie = 'session=' + token", "res.writeHead(200, { 'Set-Cookie': `auth=${token}; Path=/` })"],
      good: [
        "document.cookie = 'theme=' + theme",
        "res.writeHead(200, { 'Set-Cookie': `auth=${token}; Secure; HttpOnly` })",
      ],
    },
  },
  {
    id: 'web/bare-cookie-header',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-1004',
    description:
      'Sends a cookie for a session without the marks that protect it, or switches a protection of pages off.',
    recommendation: 'Add `Secure` and `HttpOnly`; leave protections on.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['*.setHeader', '*.header', '*.set', '*.append'],
      when: call => {
        const header = textOf(call.args[0])?.toLowerCase() ?? ''
        if (header === 'set-cookie') return isBareCookie(call.args[1])
        const said = sketch(call.args[1]) ?? ''
        if (header === 'x-xss-protection') return /^\s*0/.test(said)
        return header === 'strict-transport-security' && /max-age=0\b/.test(said)
      },
    },
    examples: {
      bad: ['res.setHeader("Set-Cookie", `authKey=${key}`)', "res.setHeader('X-XSS-Protection', '0')"],
      good: ["res.setHeader('Set-Cookie', 'lang=en')", "cells.set('a1', '0')"],
    },
  },
]

function isBareCookie(value: Value | undefined): boolean {
  if (value === undefined || isFixed(value)) return false
  const said = sketch(value) ?? ''
  return /^\s*\w*(sess|auth|token|sid|jwt|login|user)\w*=/i.test(said) && !/httponly|secure/i.test(said)
}

import type { Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { code, isFalse, isRequested, isTrue, names, option, python, says, scripts } from './ask.ts'

/** A text, a list or an object with this in it. */
function tells(value: Value, pattern: RegExp): boolean {
  if (value.kind === 'joined') return value.parts.some(part => typeof part !== 'string' && tells(part, pattern))
  if (value.kind === 'list') return value.items.some(item => tells(item, pattern))
  if (value.kind === 'map') return [...value.entries.values()].some(entry => names(entry, pattern))
  return names(value, pattern)
}

/** Rules about what a web application sends back, serves or lets a visitor choose. */
export const replyRules: readonly Rule[] = [
  {
    id: 'web/error-details',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-209',
    description: 'Sends a stack trace or other details of an error to the client.',
    recommendation: 'Log the details, and answer with a plain sentence.',
    implies: [],
    match: {
      on: 'program',
      find: ({ program }) => {
        const returned = program.assignments.filter(
          ({ target, value }) => target === 'return' && tells(value, /^traceback\.format_(exc|exception)\(\)/),
        )
        const sent = program.calls.filter(
          ({ name, args }) =>
            args.some(value => tells(value, /^traceback\.format_(exc|exception)\(\)|\.stack$/)) &&
            /^(res|response|reply|ctx|h|self|flask|django\.http)\b.*\.(send|end|write|json|response|make_response|HttpResponse)$|^(make_response|jsonify|HttpResponse)$/.test(
              name,
            ),
        )
        return [...returned, ...sent].map(at => ({ at }))
      },
    },
    examples: {
      bad: [
        'import traceback\ndef view():\n    try:\n        run()\n    except Exception:\n        return traceback.format_exc()',
        { language: 'javascript', code: 'app.use((err, req, res, next) => { res.end(err.stack) })' },
        { language: 'javascript', code: 'try { run() } catch (e) { res.status(500).json({ at: e.stack }) }' },
      ],
      good: ['import traceback\ntraceback.print_exc()', 'import traceback\nlog(traceback.format_exc())'],
    },
  },
  {
    id: 'injection/header-value',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-113',
    description: 'A header of the answer comes from the request: an address to go to, a cookie, a type of content.',
    recommendation: 'Choose among known values.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => /(^|\.)headers\.[\w-]+$|^(res|resp|response|reply|answer)\.[A-Z][\w-]*$/.test(target),
      when: ({ value, how }) => how === 'assign' && isRequested(value),
    },
    examples: {
      bad: [
        "from flask import request\ndef view():\n    response = make()\n    response.headers['Location'] = request.args['next']",
      ],
      good: ["response.headers['X-A'] = 'b'", "from flask import request\nseen = request.headers['X-A']"],
    },
  },
  {
    id: 'injection/requested-view',
    languages: code,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-73',
    description: 'The page, method or property that is used comes from a request.',
    recommendation: 'Choose among names that the program knows.',
    implies: ['read'],
    match: {
      on: 'call',
      names: [
        'res.render',
        'response.render',
        'reply.view',
        'flask.render_template',
        '*.goto',
        '*.setContent',
        '*.createPage().open',
        'page.open',
        'wkhtmltopdf',
        'wkhtmltoimage',
        'wkhtmltoimage.generate',
        'html-pdf.create',
        'Buffer',
        'Buffer.allocUnsafe',
      ],
      when: call => isRequested(call.args[0]) && !says(call.args[0], /^https?:\/\/[\w.-]+\//),
    },
    examples: {
      bad: [
        { language: 'javascript', code: 'app.get("/", (req, res) => { res.render(req.query.page) })' },
        { language: 'javascript', code: 'app.get("/", async (req, res) => { await page.goto(req.query.url) })' },
      ],
      good: [
        { language: 'javascript', code: 'app.get("/", (req, res) => { res.render("home", { q: req.query.q }) })' },
      ],
    },
  },
  {
    id: 'injection/requested-property',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-915',
    description:
      'A request chooses the property that is written, which may belong to the prototype that all objects share.',
    recommendation: 'Use a `Map`, or choose among known names.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => target.endsWith('.?'),
      when: ({ value, how }) => how === 'assign' && names(value, /^(req|request|ctx)\./) && isRequested(value),
    },
    examples: {
      bad: ['app.post("/", (req, res) => { const a = {}; a[req.body.key] = req.body.value })'],
      good: ['app.post("/", (req, res) => { const a = {}; a.name = req.body.name })', 'counts[word] = 1'],
    },
  },
  {
    id: 'injection/script-address',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Loads a script or a frame from an address that comes from outside.',
    recommendation: 'Choose among known addresses.',
    implies: ['connect', 'run'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(src|action|formAction)$/.test(target),
      when: ({ value, how }) => how === 'assign' && (isRequested(value) || names(value, /location|searchParams/)),
    },
    examples: { bad: ["script.src = new URL(location).searchParams.get('s')"], good: ["script.src = '/app.js'"] },
  },
  {
    id: 'files/archive-path',
    languages: code,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-22',
    description: 'Writes to a path that an archive names, which may lead out of the folder.',
    recommendation: 'Check that the resolved path stays in its folder.',
    implies: ['write'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: ({ target, call }, { program }) =>
        (target.kind === 'joined' ? target.parts : [target]).some(
          part =>
            typeof part !== 'string' &&
            names(part, /(^|\.)(entryName|entry\.(path|name|fileName)|header\.name|member\.(name|filename))$/),
        ) ||
        // In a loop over the names of an archive, what ends a path is such a name.
        (target.kind === 'joined' &&
          typeof target.parts.at(-1) !== 'string' &&
          call?.inLoop === true &&
          program.calls.some(({ name }) =>
            /^(zipfile\.ZipFile|tarfile\.open)\(\)\.(namelist|infolist|getnames|getmembers)$/.test(name),
          ) &&
          !program.calls.some(({ name }) =>
            /\.(basename|realpath|abspath|commonpath|resolve|is_relative_to|secure_filename)$/.test(name),
          )),
    },
    examples: {
      bad: [
        {
          language: 'javascript',
          code: "zip.getEntries().forEach(e => fs.writeFileSync('out/' + e.entryName, e.getData()))",
        },
        "import zipfile\nwith zipfile.ZipFile('a.zip') as z:\n    for n in z.namelist():\n        open('out/' + n, 'wb').write(z.read(n))",
      ],
      good: [
        { language: 'javascript', code: "fs.writeFileSync('out/' + path.basename(name), data)" },
        "import zipfile\nfor n in zipfile.ZipFile('a.zip').namelist():\n    print(n)",
      ],
    },
  },
  {
    id: 'web/escape-replaced',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-116',
    description: 'Replaces the function that escapes what is put into pages.',
    recommendation: 'Leave it as it is.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => /^(Mustache|mustache|Handlebars|ejs)\.(escape|escapeExpression|escapeXML)$/.test(target),
      when: ({ how }) => how === 'assign',
    },
    examples: { bad: ['Mustache.escape = text => text'], good: ['const escape = text => text'] },
  },
  {
    id: 'network/open-socket',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-319',
    description: 'Talks over a socket that anybody in between can read.',
    recommendation: 'Use `wss:`.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: ['WebSocket', 'ws', 'websocket.create_connection', 'websockets.connect', 'websocket.WebSocketApp'],
      when: call => says(call.args[0], /^ws:\/\/(?!localhost|127\.|\[?::1)/i),
    },
    examples: {
      bad: [{ language: 'javascript', code: "new WebSocket('ws://example.org/a')" }],
      good: [
        { language: 'javascript', code: "new WebSocket('wss://example.org/a')" },
        { language: 'javascript', code: "new WebSocket('ws://localhost:8080')" },
      ],
    },
  },
  {
    id: 'secrets/signing-key',
    languages: scripts,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-798',
    description: 'The key that signs sessions is written into the code.',
    recommendation: 'Keep it in the key store.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['cookie-session', 'cookieSession', 'cookieParser', 'cookie-parser'],
      when: call => {
        const keys = option(call, 'keys')
        if (keys?.kind === 'list') return keys.items.some(item => textOf(item) !== null)
        return (textOf(option(call, 'secret')) ?? textOf(call.args[0])) !== null
      },
    },
    examples: {
      bad: ["const cookieSession = require('cookie-session'); app.use(cookieSession({ keys: ['a', 'b'] }))"],
      good: ["const cookieSession = require('cookie-session'); app.use(cookieSession({ keys: [process.env.KEY] }))"],
    },
  },
  {
    id: 'web/everything-served',
    languages: scripts,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-548',
    description: 'Serves a folder that holds more than what visitors should see.',
    recommendation: 'Serve a folder of its own with nothing else in it.',
    implies: ['read'],
    match: {
      on: 'call',
      names: ['express.static', 'serveStatic', 'serveIndex', 'serve-static', 'serve-index'],
      when: call =>
        /index$/i.test(call.name) ||
        /^(\/|\.|\.\.|\/(etc|home|root|var|usr)?\/?)$/.test(textOf(call.args[0]) ?? 'x') ||
        /(^|\/)(node_modules|\.git)\/?$/.test(textOf(call.args[0]) ?? '') ||
        names(call.args[0], /^(__dirname|process\.cwd\(\))$/),
    },
    examples: {
      bad: ["const express = require('express'); app.use(express.static(__dirname))", "app.use(express.static('/'))"],
      good: ["app.use(express.static('public'))"],
    },
  },
  {
    id: 'web/protection-removed',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-693',
    description: 'Takes a protective header out of what the middleware sets.',
    recommendation: 'Keep it, and allow only what the page needs.',
    implies: [],
    match: {
      on: 'call',
      names: ['helmet'],
      when: call =>
        ['contentSecurityPolicy', 'frameguard', 'hsts', 'noSniff', 'xssFilter', 'referrerPolicy'].some(name =>
          isFalse(option(call, name)),
        ),
    },
    examples: {
      bad: ["const helmet = require('helmet'); app.use(helmet({ contentSecurityPolicy: false }))"],
      good: ["const helmet = require('helmet'); app.use(helmet())"],
    },
  },
  {
    id: 'web/stored-secret',
    languages: scripts,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-922',
    description: 'Keeps a secret where every script of the page can read it.',
    recommendation: 'Use a cookie that scripts cannot read.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['localStorage.setItem', 'sessionStorage.setItem', 'window.localStorage.setItem'],
      when: call => /passw|secret|token|jwt|api_?key|credential/i.test(textOf(call.args[0]) ?? ''),
    },
    examples: { bad: ["localStorage.setItem('token', t)"], good: ["localStorage.setItem('theme', 'dark')"] },
  },
  {
    id: 'web/no-forgery-middleware',
    languages: python,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-352',
    description: 'Lists the middleware of a web application without the check against forged requests.',
    recommendation: 'Put `django.middleware.csrf.CsrfViewMiddleware` back.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => /(^|\.)MIDDLEWARE(_CLASSES)?$/.test(target),
      when: ({ value }) =>
        value.kind === 'list' &&
        value.items.some(item => /^django\.contrib\.(sessions|auth)\./.test(textOf(item) ?? '')) &&
        !value.items.some(item => /Csrf/.test(textOf(item) ?? '')),
    },
    examples: {
      bad: ["MIDDLEWARE = ['django.contrib.sessions.middleware.SessionMiddleware']"],
      good: [
        "MIDDLEWARE = ['django.contrib.sessions.middleware.SessionMiddleware', 'django.middleware.csrf.CsrfViewMiddleware']",
        "MIDDLEWARE = ['app.middleware.Timing']",
      ],
    },
  },
  {
    id: 'injection/tag-filter',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-116',
    description: 'Takes script tags out with a pattern, which a browser reads differently from the pattern.',
    recommendation: 'Use a sanitiser that parses the page.',
    implies: [],
    match: {
      on: 'calls',
      about: name => /^((re|regex)\.(sub|compile|subn)|RegExp)$/.test(name),
      find: calls => {
        const loose = /<\\?\/?script\b.*(\.[*+]|\[\^)/i
        return calls.filter(({ args }) => loose.test(textOf(args[0]) ?? '')).map(at => ({ at }))
      },
    },
    examples: {
      bad: [
        "import re\nre.sub(r'<script.*?>.*?</script>', '', page)",
        { language: 'javascript', code: "html.replace(/<script.*?>.*?<\\/script>/gi, '')" },
      ],
      good: ["import re\nre.sub(r'<[^>]+>', '', page)", { language: 'javascript', code: "a.replace(/b.*/, '')" }],
    },
  },
  {
    id: 'execution/remote-model-code',
    languages: python,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Runs the code that comes with a model from elsewhere.',
    recommendation: 'Read that code, and keep a copy of the version that was read.',
    implies: ['run', 'connect'],
    match: {
      on: 'call',
      names: ['*.from_pretrained', 'datasets.load_dataset', 'transformers.pipeline', 'torch.hub.load', 'load_dataset'],
      when: call => isTrue(call.named.get('trust_remote_code')) || isTrue(call.named.get('trust_repo')),
    },
    examples: {
      bad: ["from transformers import AutoModel\nAutoModel.from_pretrained('a/b', trust_remote_code=True)"],
      good: ["from transformers import AutoModel\nAutoModel.from_pretrained('a/b')"],
    },
  },
  {
    id: 'execution/configuration-listener',
    languages: python,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-94',
    description: 'Listens for a logging configuration, parts of which are run as code.',
    recommendation: 'Configure from a file of the program.',
    implies: ['connect', 'run'],
    match: { on: 'call', names: ['logging.config.listen'] },
    examples: { bad: ['import logging.config\nlogging.config.listen(9999)'], good: ['import logging.config'] },
  },
]

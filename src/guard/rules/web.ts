import type { Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { code, given, isFalse, isRequested, isTrue, lower, option, python, says, scripts } from './ask.ts'

const weakSetting =
  /(^|\.)(WTF_CSRF_ENABLED|SESSION_COOKIE_SECURE|SESSION_COOKIE_HTTPONLY|CSRF_COOKIE_SECURE|CSRF_ENABLED|SECURE_SSL_REDIRECT|REMEMBER_COOKIE_HTTPONLY|http_?only|contextIsolation|webSecurity|autoescape|csrf|nodeIntegration|allowRunningInsecureContent|noent|TEMPLATES_AUTO_RELOAD_UNSAFE|debug|ALLOWED_HOSTS|secure|origin|access-control-allow-origin)$/i

export const webRules: readonly Rule[] = [
  {
    id: 'web/debug',
    languages: code,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-489',
    description: 'Runs a web application in debug mode, which lets visitors run code.',
    recommendation: 'Leave debug mode off.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        '*.run',
        'uvicorn.run',
        'flask.Flask().run',
        'bottle.run',
        '*.run_server',
        '*.set_trace',
        'pdb.set_trace',
        'werkzeug.debug.DebuggedApplication',
        'errorhandler',
      ],
      when: call =>
        /set_trace$/.test(call.name)
          ? { severity: 'low' }
          : call.name === 'errorhandler'
            ? false
            : call.name.endsWith('DebuggedApplication') ||
              isTrue(call.named.get('debug')) ||
              isTrue(call.named.get('use_debugger')),
    },
    examples: { bad: ['app.run(debug=True)'], good: ['app.run()', 'model.run(debug=False)'] },
  },
  {
    id: 'web/weak-setting',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-16',
    description: 'Switches a protection of the web framework off.',
    recommendation: 'Leave it on.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => weakSetting.test(target),
      when: ({ target, value, how }) => {
        if (how === 'compare') return false
        const name = target.slice(target.lastIndexOf('.') + 1)
        if (
          /^(WTF_CSRF_ENABLED|SESSION_COOKIE_SECURE|SESSION_COOKIE_HTTPONLY|CSRF_COOKIE_SECURE|CSRF_ENABLED|SECURE_SSL_REDIRECT|REMEMBER_COOKIE_HTTPONLY)$/.test(
            name,
          )
        )
          return isFalse(value)
        if (/^(httpOnly|httponly|contextIsolation|webSecurity|autoescape|autoEscape|csrf|csrf_enabled)$/.test(name))
          return isFalse(value)
        if (/^(nodeIntegration|allowRunningInsecureContent|noent|TEMPLATES_AUTO_RELOAD_UNSAFE)$/.test(name))
          return isTrue(value)
        if (name === 'DEBUG' && /config/i.test(target)) return isTrue(value)
        if (name === 'debug' && /^app\./.test(target)) return isTrue(value)
        if (name === 'ALLOWED_HOSTS') return value.kind === 'list' && value.items.some(item => textOf(item) === '*')
        if (name === 'secure' && how !== 'assign') return isFalse(value)
        return /^(access-control-allow-origin|origin)$/i.test(name) && textOf(value) === '*'
      },
    },
    examples: {
      bad: [
        "app.config['WTF_CSRF_ENABLED'] = False",
        { language: 'javascript', code: "res.cookie('a', b, { httpOnly: false })" },
      ],
      good: ["app.config['SESSION_COOKIE_SECURE'] = True"],
    },
  },
  {
    id: 'web/cross-origin',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-942',
    description: 'Lets pages of every origin read the responses (CORS).',
    recommendation: 'Name the sites that may.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'flask_cors.CORS',
        'CORS',
        'flask_cors.cross_origin',
        'cors',
        '*.setHeader',
        '*.header',
        '*.set',
        '*.add_header',
        '*.send_header',
        '*.add_middleware',
        '*.postMessage',
        '*.append',
      ],
      when: (call, { program }) => {
        if (call.name.endsWith('postMessage')) return textOf(call.args[1]) === '*'
        if (/(setHeader|header|set|append)$/.test(call.name))
          return (
            lower(call.args[0]) === 'access-control-allow-origin' &&
            (textOf(call.args[1]) === '*' || isRequested(call.args[1]))
          )
        const origins = option(call, 'origins') ?? option(call, 'origin') ?? option(call, 'allow_origins')
        if (call.name.endsWith('add_middleware'))
          return origins?.kind === 'list' && origins.items.some(item => textOf(item) === '*')
        if (call.name === 'cors')
          return (
            textOf(origins) === '*' ||
            isTrue(origins) ||
            call.args.length === 0 ||
            // A function that says yes to everybody.
            (origins?.kind === 'own' &&
              /=>\s*\{?\s*\w+\(null,\s*true\)/.test(program.source.slice(call.start, call.end)))
          )
        return origins === undefined
          ? !call.named.has('resources') || opensAll(call.named.get('resources'))
          : textOf(origins) === '*'
      },
    },
    examples: {
      bad: [
        'from flask_cors import CORS\nCORS(app)',
        { language: 'javascript', code: "res.setHeader('Access-Control-Allow-Origin', '*')" },
        { language: 'javascript', code: 'app.use(cors({ origin: (site, done) => done(null, true) }))' },
        "from flask_cors import CORS\nCORS(app, resources={'/*': {'origins': '*'}})",
      ],
      good: ["from flask_cors import CORS\nCORS(app, origins=['https://a.org'])"],
    },
  },
  {
    id: 'web/cookie',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-614',
    description: 'Sets a cookie that scripts can read or that travels unencrypted.',
    recommendation: 'Set `secure` and `httponly`.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['*.set_cookie', 'res.cookie', 'response.cookie', 'express-session', 'session', 'cookie-session'],
      when: call => {
        if (/session$/.test(call.name))
          return (
            call.args[0]?.kind === 'map' &&
            ['secret', 'keys'].some(name => call.args[0]?.kind === 'map' && call.args[0].entries.has(name)) &&
            !isTrue(call.args[0].entries.get('secure')) &&
            !isTrue(cookieFlag(call.args[0].entries.get('cookie'), 'secure'))
          )
        const secure = given(call, 99, 'secure')
        const scripted = given(call, 99, 'httponly', 'httpOnly')
        return isFalse(secure) || isFalse(scripted) || (secure === undefined && scripted === undefined)
      },
    },
    examples: { bad: ["resp.set_cookie('a', b)"], good: ["resp.set_cookie('a', b, secure=True, httponly=True)"] },
  },
  {
    id: 'web/no-forgery-check',
    languages: python,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-352',
    description: 'Accepts forms that other sites have sent in a visitor’s name.',
    recommendation: 'Keep the check for forged requests.',
    implies: [],
    match: {
      on: 'call',
      names: ['django.views.decorators.csrf.csrf_exempt', 'csrf_exempt', 'csrf.exempt', '*.csrf_exempt'],
    },
    examples: {
      bad: ['from django.views.decorators.csrf import csrf_exempt\n@csrf_exempt\ndef view(request):\n    pass'],
      good: ['def view(request):\n    pass'],
    },
  },
  {
    id: 'web/no-escaping',
    languages: python,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'Renders pages without escaping what is put into them.',
    recommendation: 'Set `autoescape=True`.',
    implies: [],
    match: {
      on: 'call',
      names: ['jinja2.Environment', 'Environment', 'mako.template.Template', 'mako.lookup.TemplateLookup'],
      when: (call, { program }) => {
        if (call.name.startsWith('mako')) return !call.named.has('default_filters')
        if (call.name === 'Environment' && !program.imports.some(({ module }) => module.startsWith('jinja2')))
          return false
        const escaping = call.named.get('autoescape')
        return escaping === undefined || isFalse(escaping)
      },
    },
    examples: {
      bad: ['import jinja2\njinja2.Environment(loader=x)'],
      good: ['import jinja2\njinja2.Environment(autoescape=True)'],
    },
  },
  {
    id: 'web/upload',
    languages: code,
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-434',
    description: 'Stores an uploaded file under the name that the sender chose.',
    recommendation: 'Choose the name, and check type and size.',
    implies: ['write'],
    match: {
      on: 'call',
      names: ['*.save', '*.mv'],
      when: call =>
        isRequested(call.args[0]) || (isRequested(call.receiver ?? undefined) && call.args[0]?.kind === 'joined'),
    },
    examples: {
      bad: ["from flask import request\nf = request.files['f']\nf.save('up/' + f.filename)"],
      good: ["img.save('a.png')"],
    },
  },
  {
    id: 'web/electron',
    languages: scripts,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Hands an address that is not known before the run to the operating system.',
    recommendation: 'Open known `https:` addresses only.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['electron.shell.openExternal', 'shell.openExternal', 'opn', 'open-url'],
      when: call => call.args[0]?.kind !== 'text',
    },
    examples: {
      bad: ["const { shell } = require('electron'); shell.openExternal(url)"],
      good: ["const { shell } = require('electron'); shell.openExternal('https://a.org')"],
    },
  },
]

/** `{'/*': {'origins': '*'}}`. */
function opensAll(resources: Value | undefined): boolean {
  if (resources?.kind !== 'map') return says(resources, /\*/)
  return [...resources.entries.values()].some(
    value => value.kind === 'map' && textOf(value.entries.get('origins')) === '*',
  )
}

function cookieFlag(cookie: Parameters<typeof isTrue>[0], name: string): Parameters<typeof isTrue>[0] {
  return cookie?.kind === 'map' ? cookie.entries.get(name) : undefined
}

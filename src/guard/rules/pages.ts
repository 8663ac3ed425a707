import { origin } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, textOf } from '../values.ts'
import { code, hasHole, isFixed, isForeign, isRequested, python, says, scripts } from './ask.ts'

/** Rules about what reaches a visitor: pages, redirects, headers. */
export const pageRules: readonly Rule[] = [
  {
    id: 'injection/response',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'Writes data of a request into the page without escaping it.',
    recommendation: 'Escape it, or render it with a template that does.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'res.send',
        'res.write',
        'res.end',
        'response.send',
        'response.write',
        'reply.send',
        'reply.type().send',
        'reply.header().send',
        'res.status().send',
        'res.type().send',
        'res.set().send',
        'res.status().end',
        'res.status().write',
        'response.end',
        'response.status().send',
        'h.response',
        'aiohttp.web.Response',
        'sanic.response.html',
        'tornado.web.RequestHandler().write',
        'flask.make_response',
        'make_response',
        'flask.Response',
        'Response',
        'django.http.HttpResponse',
        'HttpResponse',
        // What a program of the old kind prints is the page.
        'print',
        'fastapi.responses.HTMLResponse',
        'starlette.responses.HTMLResponse',
        'flask.Markup',
        'markupsafe.Markup',
        'Markup',
        'django.utils.safestring.mark_safe',
        'mark_safe',
        'django.utils.html.format_html',
        '*.wfile.write',
        'self.write',
        'self.wfile.write',
        '*.write_message',
        '*.html',
        'bottle.template',
      ],
      when: (call, { program }) => {
        const [value] = call.args
        if (call.name === 'print')
          return isRequested(value) && hasHole(value) && program.imports.some(({ module }) => module === 'cgi')
        if (/mark_?safe|Markup/i.test(call.name)) return value !== undefined && !isFixed(value)
        if (call.name.startsWith('aiohttp.'))
          return [value, call.named.get('text'), call.named.get('body')].some(isRequested)
        if (call.name.endsWith('.HTMLResponse') && hasHole(value) && isForeign(value)) return true
        return isRequested(value) && value?.kind !== 'map'
      },
    },
    examples: {
      bad: [
        "from flask import request, make_response\nmake_response('Hello ' + request.args['n'])",
        "import cgi\nprint('<p>' + cgi.FieldStorage().getvalue('n') + '</p>')",
        "from fastapi.responses import HTMLResponse\ndef view(name: str):\n    return HTMLResponse(f'<b>{name}</b>')",
        { language: 'javascript', code: 'app.get("/", (req, res) => res.send("<b>" + req.query.n))' },
      ],
      good: ["make_response('Hello')", { language: 'javascript', code: 'app.get("/", (req, res) => res.send("ok"))' }],
    },
  },
  {
    id: 'injection/returned-page',
    languages: python,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'A view returns data of a request without escaping it.',
    recommendation: 'Escape it, or render it with a template that does.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => target === 'return',
      when: ({ value }) =>
        comesFrom(value, origin.request) &&
        (hasHole(value) ||
          // `request.param` belongs to a test, not to a visitor.
          (value.kind === 'thing' &&
            /^(flask\.)?request\.(?!param|node|config|module|cls|getfixturevalue)/.test(value.name))),
    },
    examples: {
      bad: ["from flask import request\ndef view():\n    return '<h1>' + request.args['n'] + '</h1>'"],
      good: ["def view():\n    return '<h1>Hello</h1>'"],
    },
  },
  {
    id: 'injection/page-sink',
    languages: scripts,
    type: 'xss',
    severity: 'high',
    cwe: 'CWE-79',
    description: 'Writes markup that is not known before the program runs into the page.',
    recommendation: 'Use `textContent`, or clean the markup with a sanitiser.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(innerHTML|outerHTML|srcdoc|dangerouslySetInnerHTML)$/.test(target),
      when: ({ value }) => {
        const content = value.kind === 'map' ? value.entries.get('__html') : value
        if (content === undefined || isFixed(content)) return false
        return isRequested(content) || isForeign(content) ? true : { severity: 'medium' }
      },
    },
    examples: {
      bad: [
        'el.innerHTML = location.hash',
        { language: 'javascript', code: 'const a = <div dangerouslySetInnerHTML={{ __html: props.html }} />' },
      ],
      good: ['el.textContent = x', "el.innerHTML = ''"],
    },
  },
  {
    id: 'injection/page-call',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'Writes markup that is not known before the program runs into the page.',
    recommendation: 'Create elements and set their text.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'document.write',
        'document.writeln',
        '*.insertAdjacentHTML',
        '*.setAttribute',
        '*.html',
        '*.append',
        '*.prepend',
        '*.after',
        '*.before',
        '$.parseHTML',
        '*.createContextualFragment',
        '$sce.trustAsHtml',
        '*.bypassSecurityTrustHtml',
        'jQuery',
        '$',
      ],
      when: (call, { program }) => {
        const sets = call.name.endsWith('setAttribute')
        // A listener that is written as text is code.
        if (sets && !/^(on\w+|srcdoc)$/i.test(textOf(call.args[0]) ?? '')) return false
        const value = call.args[sets || call.name.endsWith('insertAdjacentHTML') ? 1 : 0]
        if (
          value === undefined ||
          isFixed(value) ||
          value.kind === 'own' ||
          value.kind === 'list' ||
          value.kind === 'map'
        )
          return false
        if (isRequested(value)) return { severity: 'high' }
        // A plugin is given selectors by others; one that starts with `<` is markup.
        if (/^(\$|jQuery)$/.test(call.name) && comesFrom(value, origin.parameter) && value.kind === 'thing')
          return value.name.includes('.') && /(\$|jQuery)\.fn\.\w+\s*=/.test(program.source)
        if (/append|prepend|after|before|\$$|jQuery/.test(call.name)) return hasHole(value) && says(value, /<\w+/)
        if (/\.html$/.test(call.name))
          return (hasHole(value) && says(value, /</)) || (/^(\$|jQuery)\(\)/.test(call.name) && value.kind === 'thing')
        return true
      },
    },
    examples: {
      bad: [
        "document.write('<b>' + name)",
        "$('#out').html(data.text)",
        "el.setAttribute('onclick', 'run(' + id + ')')",
        '$.fn.copy = function (options) { $(options.from).text() }',
      ],
      good: [
        "document.write('<b>x</b>')",
        "el.setAttribute('width', w + 'px')",
        'list.append(item)',
        "$(options.from).text('a')",
      ],
    },
  },
  {
    id: 'injection/redirect',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-601',
    description: 'Redirects to an address that comes from a request.',
    recommendation: 'Redirect to paths of this site only.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'redirect',
        'flask.redirect',
        'django.shortcuts.redirect',
        'django.http.HttpResponseRedirect',
        'HttpResponseRedirect',
        'res.redirect',
        'response.redirect',
        'self.redirect',
        'h.redirect',
        'ctx.redirect',
        'reply.redirect',
        'res.status().redirect',
        'res.location',
        'aiohttp.web.HTTPFound',
        'fastapi.responses.RedirectResponse',
        'starlette.responses.RedirectResponse',
        'NextResponse.redirect',
        'Response.redirect',
        'tornado.web.RequestHandler().redirect',
        'location.replace',
        'location.assign',
        'window.open',
        'open',
      ],
      when: (call, { program }) =>
        call.name === 'open'
          ? program.language !== 'python' && isRequested(call.args[0])
          : call.args.some(value => isRequested(value) && !says(value, /^\/\w|^https?:\/\/[\w.-]+\//)),
    },
    examples: {
      bad: ["from flask import redirect, request\nredirect(request.args['next'])"],
      good: ["from flask import redirect\nredirect('/home')"],
    },
  },
  {
    id: 'injection/page-address',
    languages: scripts,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-601',
    description: 'Sends the page to an address that comes from outside.',
    recommendation: 'Choose among known addresses.',
    implies: ['connect'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(location|location\.href|document\.location)$/.test(target),
      when: ({ value, how }) => how === 'assign' && isRequested(value),
    },
    examples: {
      bad: ['window.location = new URLSearchParams(location.search).get("u")'],
      good: ["window.location = '/home'"],
    },
  },
  {
    id: 'injection/header',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-113',
    description: 'Writes data of a request into a header.',
    recommendation: 'Remove line breaks, or choose among known values.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'res.setHeader',
        'res.set',
        'res.header',
        'response.setHeader',
        'res.writeHead',
        '*.headers.add',
        '*.headers.set',
        '*.add_header',
        '*.set_cookie',
        '*.__setitem__',
        'werkzeug.datastructures.Headers().add',
        'Headers().add',
        'res.cookie',
      ],
      when: call =>
        call.args.slice(1).some(value => isRequested(value) && value.kind !== 'map') ||
        // `writeHead(302, { Location: … })`.
        (call.name.endsWith('.writeHead') && call.args.some(value => value.kind === 'map' && isRequested(value))),
    },
    examples: {
      bad: [{ language: 'javascript', code: 'app.get("/", (req, res) => res.setHeader("X-A", req.query.a))' }],
      good: ["res.setHeader('X-A', 'b')"],
    },
  },
  {
    id: 'injection/prototype',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-1321',
    description:
      'Writes to the prototype that all objects share, or merges the body of a request into an object (prototype pollution).',
    recommendation: 'Use `Object.create(null)` or a `Map`, and refuse the key `__proto__`.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'lodash.merge',
        '_.merge',
        'lodash.defaultsDeep',
        '_.defaultsDeep',
        '$.extend',
        'jQuery.extend',
        'lodash.set',
        '_.set',
        'Object.assign',
        'deepmerge',
        'merge',
        '~merge',
        '~extend',
        '~deepMerge',
        '~deepExtend',
      ],
      when: call =>
        call.args.some(isRequested) ||
        call.args.some(value => says(value, /__proto__/)) ||
        (call.args.length === 3 && call.args[0]?.kind === 'boolean' && call.args.some(isForeign)),
    },
    examples: { bad: ['app.post("/", (req, res) => { _.merge({}, req.body) })'], good: ['_.merge({}, { a: 1 })'] },
  },
  {
    id: 'injection/prototype-write',
    languages: scripts,
    type: 'eval',
    severity: 'medium',
    cwe: 'CWE-1321',
    description: 'Writes to the prototype that all objects share (prototype pollution).',
    recommendation: 'Leave `__proto__` and `Object.prototype` alone.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => /(__proto__|constructor\.prototype|^Object\.prototype)\../.test(target),
      when: ({ how }) => how === 'assign',
    },
    examples: { bad: ['obj.__proto__.admin = true'], good: ['Foo.prototype.run = function () {}'] },
  },
  {
    id: 'injection/log',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-117',
    description: 'Writes data of a request into the log without checking it.',
    recommendation: 'Remove line breaks first.',
    implies: [],
    match: {
      on: 'call',
      names: [
        'logging.info',
        'logging.warning',
        'logging.error',
        'logging.debug',
        'logger.info',
        'logger.error',
        'console.log',
        '*.info',
        '*.warning',
        '*.error',
        '*.debug',
        '*.critical',
        '*.exception',
      ],
      when: (call, { program }) =>
        /(^|\.)(log\w*|console|logger|winston|pino|bunyan)\b.*\./i.test(call.name) &&
        call.args.some(isRequested) &&
        // A script in a page writes to the console of the one who looks at the page.
        (call.name !== 'console.log' || /\breq\b/.test(program.source)),
    },
    examples: {
      bad: ["import logging\nfrom flask import request\nlogging.info('x ' + request.args['a'])"],
      good: ["import logging\nlogging.info('x')"],
    },
  },
]

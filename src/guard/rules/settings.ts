import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { code, given, isFalse, isFixed, isTrue, numberIn, option, python, says, scripts } from './ask.ts'

const switchedOn =
  /(^|\.)(introspection|playground|graphiql|experimentalFeatures|nodeIntegrationInWorker|nodeIntegrationInSubFrames|enableRemoteModule|webviewTag|noEscape|dangerouslyAllowBrowser|dtdload|expandEntities|skipVerify|insecureSkipVerify|allowInsecure|disableHostCheck)$/
const switchedOff =
  /(^|\.)(escapeMarkup|escapeHtml|sanitize|require_csrf|check_csrf|check_origin|csrf_protect|xsrf_cookies|CSRF_COOKIE_HTTPONLY|SECURE_CONTENT_TYPE_NOSNIFF|SECURE_BROWSER_XSS_FILTER|noSniff|xFrameOptions|use_ssl|ssl_verify|verify_ssl|verify_certs|validate_certs|ssl_check_hostname|verifyServerCertificate|trustServerCertificateOff)$/

/** Rules about settings and channels that leave a door open. */
export const settingRules: readonly Rule[] = [
  {
    id: 'web/open-setting',
    languages: code,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-16',
    description: 'Switches on a setting that exposes more than visitors should see, or switches off a check.',
    recommendation: 'Leave it as it is by default.',
    implies: [],
    match: {
      on: 'assignment',
      about: target => switchedOn.test(target) || switchedOff.test(target),
      when: ({ target, value, how }) =>
        how !== 'compare' && how !== 'default' && (switchedOn.test(target) ? isTrue(value) : isFalse(value)),
    },
    examples: {
      bad: [
        "config.add_view(view, route_name='pay', require_csrf=False)",
        { language: 'javascript', code: 'new ApolloServer({ typeDefs, introspection: true })' },
        { language: 'javascript', code: 'const a = <ReactMarkdown escapeHtml={false} source={text} />' },
      ],
      good: [
        "config.add_view(view, route_name='pay', require_csrf=True)",
        { language: 'javascript', code: 'new ApolloServer({ typeDefs, introspection: false })' },
      ],
    },
  },
  {
    id: 'network/open-channel',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-319',
    description: 'Speaks to other machines without encryption or with a password that everybody knows.',
    recommendation: 'Use the encrypted form of the protocol.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'grpc.insecure_channel',
        'grpc.aio.insecure_channel',
        '*.add_insecure_port',
        '*.createInsecure',
        'pysnmp.hlapi.CommunityData',
        'CommunityData',
        'pysnmp.hlapi.UsmUserData',
        'UsmUserData',
      ],
      when: call => {
        if (call.name.endsWith('CommunityData')) return (numberIn(call.named.get('mpModel')) ?? 0) <= 1
        if (call.name.endsWith('UsmUserData')) return call.args.length + call.named.size < 3
        return !says(call.args[0], /^(localhost|127\.|unix:|\[?::1)/)
      },
    },
    examples: {
      bad: [
        "import grpc\ngrpc.insecure_channel('api.example.org:50051')",
        { language: 'javascript', code: 'server.bind(address, grpc.ServerCredentials.createInsecure())' },
        "from pysnmp.hlapi import CommunityData\nCommunityData('public', mpModel=0)",
      ],
      good: ["import grpc\ngrpc.insecure_channel('localhost:50051')"],
    },
  },
  {
    id: 'web/any-certificate',
    languages: scripts,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-295',
    description: 'Lets a window of the desktop accept any certificate, or takes its protections away.',
    recommendation: 'Leave the checks of the browser on.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: ['*.on', '*.setCertificateVerifyProc', '*.appendSwitch'],
      when: (call, { program }) => {
        const said = program.source.slice(call.start, Math.min(call.end, call.start + 2_000))
        if (call.name.endsWith('.on'))
          return textOf(call.args[0]) === 'certificate-error' && /\(\s*true\s*\)/.test(said)
        if (call.name.endsWith('Proc')) return /\(\s*0\s*\)/.test(said)
        return /^(ignore-certificate-errors|disable-web-security|no-sandbox|allow-running-insecure-content)$/.test(
          textOf(call.args[0]) ?? '',
        )
      },
    },
    examples: {
      bad: [
        "app.on('certificate-error', (event, contents, url, error, certificate, done) => { event.preventDefault(); done(true) })",
        "app.commandLine.appendSwitch('ignore-certificate-errors')",
      ],
      good: ["app.on('ready', () => done(true))", "app.commandLine.appendSwitch('lang', 'en')"],
    },
  },
  {
    id: 'web/trusted-markup',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'Tells the framework to trust markup, addresses or scripts that it would check.',
    recommendation: 'Let the framework check them.',
    implies: [],
    match: {
      on: 'call',
      names: [
        '*.bypassSecurityTrustScript',
        '*.bypassSecurityTrustStyle',
        '*.bypassSecurityTrustUrl',
        '*.bypassSecurityTrustResourceUrl',
        '*.trustAs',
        '*.trustAsJs',
        '*.trustAsUrl',
        '*.trustAsResourceUrl',
        '*.trustAsCss',
        '$sceProvider.enabled',
        '*.resourceUrlWhitelist',
        '*.trustedResourceUrlList',
        '*.useSanitizeValueStrategy',
        'Handlebars.SafeString',
        'handlebars.SafeString',
        '*.SafeString',
      ],
      when: call => {
        const [value] = call.args
        if (call.name.endsWith('.enabled')) return isFalse(value)
        if (call.name.endsWith('Strategy')) return value?.kind === 'nothing'
        if (/List$|Whitelist$/.test(call.name))
          return value?.kind === 'list' && value.items.some(item => says(item, /^(\*|https?:\/\/\*|\*:)|\*\*?\./))
        return value !== undefined && !isFixed(value)
      },
    },
    examples: {
      bad: [
        'this.link = this.sanitizer.bypassSecurityTrustUrl(this.address)',
        '$sceProvider.enabled(false)',
        "Handlebars.registerHelper('raw', text => new Handlebars.SafeString(text))",
      ],
      good: ['$sceProvider.enabled(true)', "new Handlebars.SafeString('<br>')"],
    },
  },
  {
    id: 'injection/script-link',
    languages: scripts,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-79',
    description: 'Makes a link that runs code with values that are not known before the program runs.',
    recommendation: 'Use a listener for the click.',
    implies: ['run'],
    match: {
      on: 'assignment',
      about: target => /(^|\.)(href|src|action|formAction|xlinkHref)$/.test(target),
      when: ({ value }) => value.kind === 'joined' && says(value, /^\s*javascript:/i),
    },
    examples: {
      bad: ['const a = <a href={`javascript:open("${user.site}")`}>site</a>'],
      good: ["const a = <a href='javascript:void(0)'>site</a>", 'link.href = `/items/${id}`'],
    },
  },
  {
    id: 'crypto/told-token',
    languages: code,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-522',
    description: 'Puts a password or a whole account into a token, which everybody who holds it can read.',
    recommendation: 'Put the number of the account into the token.',
    implies: ['secrets'],
    match: {
      on: 'call',
      names: ['jwt.encode', 'jwt.sign', 'jsonwebtoken.sign', 'jose.JWT.sign', 'jwt-simple.encode'],
      when: call => {
        const [content] = call.args
        return content?.kind === 'map' && [...content.entries.keys()].some(key => /passw|secret|credit|ssn/i.test(key))
      },
    },
    examples: {
      bad: ["import jwt\njwt.encode({'user': u, 'password': p}, key, algorithm='HS256')"],
      good: ["import jwt\njwt.encode({'sub': 1}, key, algorithm='HS256')"],
    },
  },
  {
    id: 'crypto/weak-curve',
    languages: code,
    type: 'weak-crypto',
    severity: 'medium',
    cwe: 'CWE-326',
    description: 'Makes a key on a curve that is too small.',
    recommendation: 'Use P-256, P-384 or Ed25519.',
    implies: [],
    match: {
      on: 'call',
      names: [
        '*.SECT163K1',
        '*.SECT163R2',
        '*.SECP192R1',
        '*.SECT233K1',
        '*.SECP224R1',
        'crypto.createECDH',
        'crypto.generateKeyPair',
        'crypto.generateKeyPairSync',
      ],
      when: call =>
        call.name.startsWith('crypto.')
          ? /^(sec[pt]1(1|2|3|6|9)\d|prime192|wap-|brainpoolP1(6|9)|secp224)/i.test(
              textOf(given(call, 0, 'namedCurve')) ?? '',
            )
          : !call.name.endsWith('224R1'),
    },
    examples: {
      bad: [
        'from cryptography.hazmat.primitives.asymmetric import ec\nec.generate_private_key(ec.SECT163K1())',
        { language: 'javascript', code: "require('crypto').createECDH('secp192k1')" },
      ],
      good: ['from cryptography.hazmat.primitives.asymmetric import ec\nec.generate_private_key(ec.SECP256R1())'],
    },
  },
  {
    id: 'system/account-check',
    languages: python,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-285',
    description: 'Accepts a correct password without checking that the account is still valid.',
    recommendation: 'Call `pam_acct_mgmt` as well.',
    implies: ['privilege'],
    match: {
      on: 'program',
      find: ({ program }) => {
        const { source } = program
        const at = source.indexOf('pam_authenticate(')
        return at === -1 || source.includes('pam_acct_mgmt') ? [] : [{ at: { start: at, end: at + 17 } }]
      },
    },
    examples: {
      bad: ['def check(handle):\n    return libpam.pam_authenticate(handle, 0) == 0'],
      good: [
        'def check(handle):\n    return libpam.pam_authenticate(handle, 0) == 0 and libpam.pam_acct_mgmt(handle, 0) == 0',
      ],
    },
  },
  {
    id: 'web/shared-names',
    languages: python,
    type: 'xss',
    severity: 'medium',
    cwe: 'CWE-96',
    description: 'Passes all local variables to a template.',
    recommendation: 'Give it the values that it shows, by name.',
    implies: [],
    match: {
      on: 'call',
      names: ['django.shortcuts.render', 'render', 'flask.render_template', 'render_template', '*.render'],
      when: call =>
        [...call.args, option(call, 'context')].some(
          value => value?.kind === 'thing' && /^((locals|globals)\(\)|builtins)$/.test(value.name),
        ),
    },
    examples: {
      bad: ["from django.shortcuts import render\ndef view(request):\n    return render(request, 'a.html', locals())"],
      good: ["from django.shortcuts import render\ndef view(request):\n    return render(request, 'a.html', {'a': 1})"],
    },
  },
]

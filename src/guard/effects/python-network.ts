import type { Effect, EffectOf } from '../effect.ts'
import { type Call, origin } from '../model.ts'
import { comesFrom, from, startOf, text, unknown } from '../values.ts'
import { arg, effect, table } from './make.ts'
import { clients, verbs } from './python-names.ts'

const connects = (target: ReturnType<typeof arg>): EffectOf => {
  return call => {
    const named = arg(99, 'data', 'json', 'files', 'content', 'body')(call)
    // The second argument is the body everywhere but in calls that only ask.
    const positional = /\.(post|put|patch|urlopen)$/.test(call.name) ? call.args[1] : undefined
    // A key in the query is how services are asked; facts about this machine there are sent to somebody.
    const asked = call.named.get('params')
    const payload = named ?? positional ?? (comesFrom(asked, origin.system) ? asked : undefined)
    const address = target(call)
    if (/^file:/i.test(startOf(address))) return [effect('read', call, address)]
    return [effect('connect', call, address, payload === undefined ? {} : { payload })]
  }
}

/** `socket.connect((host, port))`. */
const toAddress: EffectOf = call => {
  const [address] = call.args
  return [effect('connect', call, address?.kind === 'list' ? address.items[0] : address)]
}

const url = arg(0, 'url')

const against =
  (name: string, position = 99): EffectOf =>
  call => {
    const base = arg(position, name)(call)
    return base === undefined ? [] : [effect('connect', call, base)]
  }

/** Libraries that fetch data or models by a name: from which host, where they have one of their own. */
const fetchers: Readonly<Record<string, string>> = {
  'sklearn.datasets.fetch_openml': 'openml.org',
  'sklearn.datasets.fetch_california_housing': 'ndownloader.figshare.com',
  'sklearn.datasets.fetch_20newsgroups': 'ndownloader.figshare.com',
  'seaborn.load_dataset': 'raw.githubusercontent.com',
  'yfinance.*': 'query1.finance.yahoo.com',
  'statsmodels.datasets.get_rdataset': 'raw.githubusercontent.com',
  'statsmodels.api.datasets.get_rdataset': 'raw.githubusercontent.com',
  'nltk.download': 'raw.githubusercontent.com',
  'gensim.downloader.load': 'github.com',
  'spacy.cli.download': 'github.com',
  'transformers.pipeline': 'huggingface.co',
  '*.from_pretrained': 'huggingface.co',
  'sentence_transformers.SentenceTransformer': 'huggingface.co',
  'datasets.load_dataset': 'huggingface.co',
  'fredapi.Fred().*': 'api.stlouisfed.org',
}

/** Whom Python and its libraries talk to. */
export const networkEffects: Readonly<Record<string, EffectOf>> = {
  ...table(
    clients.flatMap(client => [...verbs.map(verb => `${client}.${verb}`)]),
    connects(url),
  ),
  ...table(
    [
      'requests.request',
      'httpx.request',
      'httpx.stream',
      'urllib3.PoolManager().request',
      'requests.Session().request',
    ],
    connects(arg(1, 'url')),
  ),
  ...table(
    [
      'urllib.request.urlopen',
      'urllib.urlopen',
      'urllib2.urlopen',
      'http.client.HTTPSConnection',
      'http.client.HTTPConnection',
      'httplib.HTTPConnection',
      'httplib.HTTPSConnection',
      'smtplib.SMTP',
      'smtplib.SMTP_SSL',
      'ftplib.FTP',
      'ftplib.FTP_TLS',
      'telnetlib.Telnet',
      'imaplib.IMAP4_SSL',
      'poplib.POP3',
      'websocket.create_connection',
      'websockets.connect',
      'websocket.WebSocketApp',
      'paramiko.Transport',
      'xmlrpc.client.ServerProxy',
      'socket.gethostbyname',
      'socket.getaddrinfo',
      'dns.resolver.resolve',
      'dns.resolver.query',
      'ldap.initialize',
      'aiohttp.request',
      'asyncio.open_connection',
      'nntplib.NNTP',
      'nntplib.NNTP_SSL',
      'imaplib.IMAP4',
      'poplib.POP3_SSL',
      'logging.handlers.HTTPHandler',
      'logging.handlers.SocketHandler',
      'logging.handlers.DatagramHandler',
      'logging.handlers.SMTPHandler',
    ],
    connects(arg(0, 'host', 'url', 'server', 'mailhost')),
  ),
  // `c.setopt(c.URL, address)`.
  'pycurl.Curl().setopt': call =>
    call.args[0]?.kind === 'thing' && /(^|\.)(URL|PROXY)$/.test(call.args[0].name)
      ? [effect('connect', call, call.args[1])]
      : [],
  'logging.handlers.SysLogHandler': call => {
    const address = arg(0, 'address')(call)
    return [effect('connect', call, address?.kind === 'list' ? address.items[0] : address)]
  },
  // A document that is read from where its name says, which may be an address.
  ...table(['lxml.etree.parse', 'lxml.html.parse', 'xml.dom.minidom.parse', 'xml.sax.parse'], call =>
    /^(https?|ftp):/i.test(startOf(url(call))) ? [effect('connect', call, url(call))] : [],
  ),
  ...table(['*.to_gbq', 'pandas_gbq.to_gbq', 'pandas_gbq.read_gbq', 'pandas.read_gbq'], call => [
    effect('connect', call, text('bigquery.googleapis.com'), call.name.endsWith('to_gbq') ? { payload: unknown } : {}),
  ]),
  // Whoever has a base is asked for a path only, and the host stands here alone.
  ...table(['httpx.Client', 'httpx.AsyncClient', 'requests_toolbelt.sessions.BaseUrlSession'], against('base_url')),
  'aiohttp.ClientSession': against('base_url', 0),
  ...Object.fromEntries(
    Object.entries(fetchers).map(([name, from]): [string, EffectOf] => [
      name,
      call => [effect('connect', call, text(from))],
    ]),
  ),
  ...table(
    ['pandas_datareader.*', 'pandas_datareader.data.*', 'tensorflow.keras.utils.get_file', 'numpy.DataSource().open'],
    connects(arg(1, 'origin')),
  ),
  // A request is an object first; with a body it is made to be sent.
  ...table(['urllib.request.Request', 'urllib2.Request'], call => {
    const payload = arg(1, 'data')(call)
    return payload === undefined ? [] : [effect('connect', call, url(call), { payload })]
  }),
  ...table(['*.sendall', '*.send', '*.sendto'], sendsBytes),
  // Stores of files take the name of one and send what is in it.
  ...table(['*.upload_from_filename', '*.upload_file', '*.files_upload', '*.files_upload_v2'], call => {
    const file = arg(0, 'file', 'filename', 'Filename')(call)
    return [effect('read', call, file), effect('connect', call, undefined, { payload: from(origin.file) })]
  }),
  '*.upload_blob': call => [
    effect('connect', call, undefined, { payload: arg(call.args.length > 1 ? 1 : 0, 'data')(call) ?? unknown }),
  ],
  ...table(['http.client.HTTPSConnection().request', 'http.client.HTTPConnection().request'], call => [
    effect('connect', call, undefined, call.args[2] ? { payload: call.args[2] } : {}),
  ]),
  ...table(
    ['paramiko.SSHClient().connect', 'ftplib.FTP().connect', 'smtplib.SMTP().connect'],
    connects(arg(0, 'hostname', 'host')),
  ),
  ...table(['*.connect', '*.connect_ex', 'socket.create_connection'], call =>
    call.args[0]?.kind === 'list' || call.name.startsWith('socket.') ? toAddress(call) : [],
  ),
}

/** `socket.send(bytes)`, `socket.sendto(bytes, (host, port))`. */
function sendsBytes(call: Call): Effect[] {
  // A parameter that is only called `socket` may be anything.
  if (!/^socket\.\w+\(\)/.test(call.name)) return []
  const [payload = unknown, address] = call.args
  return [effect('connect', call, address?.kind === 'list' ? address.items[0] : undefined, { payload })]
}

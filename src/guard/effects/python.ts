import type { Effect, EffectOf, EffectTable } from '../effect.ts'
import { type Call, origin, type Value } from '../model.ts'
import { isMadeAgain } from '../paths.ts'
import { comesFrom, list, sketch, startOf, text, textOf, unknown } from '../values.ts'
import { all, arg, does, effect, embed, embedCommand, isTrue, readsFileOrUrl, receiver, table } from './make.ts'
import {
  argvNames,
  clients,
  execNames,
  frameWriters,
  pandasReaders,
  shellNames,
  spawnNames,
  textRunners,
  verbs,
} from './python-names.ts'

const opens: EffectOf = call => {
  const asMethod = call.name.endsWith('.open') && call.receiver !== null && call.receiver.kind !== 'thing'
  const file = asMethod ? call.receiver : arg(0, 'file')(call)
  return byMode(call, file ?? undefined, arg(asMethod ? 0 : 1, 'mode')(call))
}

function byMode(call: Call, file: Value | undefined, mode: Value | undefined): Effect[] {
  const letters = mode === undefined ? 'r' : textOf(mode)
  if (letters === null) return [effect('read', call, file), effect('write', call, file)]
  const writes = /[wax+]/.test(letters)
  const effects: Effect[] = []
  if (/[r+]/.test(letters) || !writes) effects.push(effect('read', call, file))
  if (writes) effects.push(effect('write', call, file, { harmless: /[ax]/.test(letters) }))
  return effects
}

/** SQL that changes something; a query is no effect on data. */
const executes: EffectOf = call => {
  const statement = sketch(call.args[0]) ?? ''
  const verb = /^\s*(?:--.*\n\s*)*(insert|update|delete|drop|alter|create|truncate|replace|merge|grant|revoke)\b/i.exec(
    statement,
  )
  if (!verb) return []
  const kind = /drop|delete|truncate/i.test(verb[1] ?? '') ? false : /create|insert/i.test(verb[1] ?? '')
  return [effect('modify', call, call.args[0], { harmless: kind })]
}

const connects = (target: ReturnType<typeof arg>): EffectOf => {
  return call => {
    const named = arg(99, 'data', 'json', 'files', 'content', 'body')(call)
    // The second argument is the body everywhere but in calls that only ask.
    const positional = /\.(post|put|patch|urlopen)$/.test(call.name) ? call.args[1] : undefined
    // A key in the query is how services are asked; facts about this machine there are sent to somebody.
    const asked = call.named.get('params')
    const payload = named ?? positional ?? (comesFrom(asked, origin.system) ? asked : undefined)
    return [effect('connect', call, target(call), payload === undefined ? {} : { payload })]
  }
}

/** `socket.connect((host, port))`. */
const toAddress: EffectOf = call => {
  const [address] = call.args
  return [effect('connect', call, address?.kind === 'list' ? address.items[0] : address)]
}

const command = arg(0, 'args', 'cmd', 'command')
const commandText = (call: Call): Value | undefined => {
  const value = command(call)
  if (value?.kind !== 'list') return value
  return value.items.every(item => item.kind === 'text') ? text(value.items.map(item => textOf(item)).join(' ')) : value
}

const url = arg(0, 'url')

const temporary = /^(tempfile\.|~)/

const deletes = (target: ReturnType<typeof arg>, many = false): EffectOf => {
  return call => {
    const value = target(call)
    const own = (value?.kind === 'thing' && temporary.test(value.name)) || isMadeAgain(startOf(value))
    return [effect('delete', call, value, { many: many || call.inLoop, harmless: own })]
  }
}

/** `os.execl('/bin/sh', 'sh', '-c', …)`: the second argument is only the name that the program sees. */
const execWords = (call: Call): Value | undefined => {
  const listed = call.name.includes('.execl')
    ? list(call.args.slice(1))
    : call.args.find(value => value.kind === 'list')
  const program = call.args.find(value => value.kind === 'text')
  if (listed?.kind !== 'list') return program
  return program === undefined ? listed : list([program, ...listed.items.slice(1)], listed.open)
}

export const pythonEffects: EffectTable = {
  languages: ['python'],
  calls: {
    open: opens,
    '*.open': call => (call.receiver !== null && call.receiver.kind !== 'thing' ? opens(call) : []),
    'os.open': does('read', arg(0)),
    ...table(
      pandasReaders.map(kind => `pandas.read_${kind}`),
      readsFileOrUrl(arg(0, 'filepath_or_buffer', 'io', 'path', 'path_or_buf')),
    ),
    ...table(
      frameWriters.map(kind => `*.to_${kind}`),
      call =>
        arg(0, 'path_or_buf', 'path', 'excel_writer')(call)
          ? [effect('write', call, arg(0, 'path_or_buf', 'path', 'excel_writer')(call))]
          : [],
    ),
    ...table(
      [
        'pandas.read_pickle',
        'joblib.load',
        'torch.load',
        'numpy.load',
        'numpy.loadtxt',
        'numpy.genfromtxt',
        'numpy.fromfile',
        'PIL.Image.open',
        'cv2.imread',
        'matplotlib.pyplot.imread',
        'imageio.imread',
        'zipfile.ZipFile',
        'tarfile.open',
        'linecache.getlines',
        'linecache.getline',
        'fileinput.input',
        'shelve.open',
        'dotenv.load_dotenv',
        'dotenv.dotenv_values',
        'gzip.open',
        'bz2.open',
        'lzma.open',
        'configparser.ConfigParser().read',
        'openpyxl.load_workbook',
        'h5py.File',
        'geopandas.read_file',
        'polars.read_csv',
        'polars.scan_csv',
        'polars.read_parquet',
        'xarray.open_dataset',
        'os.stat',
        'os.readlink',
        'os.path.getsize',
        'flask.send_file',
        'send_file',
        'hashlib.file_digest',
        'mmap.mmap',
        'csv.reader',
        'yaml.safe_load',
      ],
      readsOnlyPaths,
    ),
    ...table(
      [
        '*.savefig',
        '*.save',
        '*.write_image',
        '*.write_html',
        '*.write_csv',
        '*.write_parquet',
        'joblib.dump',
        'torch.save',
        'numpy.save',
        'numpy.savez',
        'numpy.savetxt',
        'cv2.imwrite',
        'imageio.imwrite',
        '*.tofile',
        'os.mkdir',
        'os.makedirs',
        'os.mkfifo',
        'os.mknod',
        'os.truncate',
        'os.utime',
        'logging.FileHandler',
        'pandas.ExcelWriter',
        'pandas.HDFStore',
      ],
      writes,
    ),
    // What goes into an archive was read for it.
    ...table(
      ['tarfile.open().add', 'tarfile.TarFile().add', 'tarfile.TarFile.open().add', 'zipfile.ZipFile().write'],
      does('read', arg(0, 'name', 'filename')),
    ),
    'shutil.make_archive': call => [
      effect('write', call, arg(0, 'base_name')(call)),
      effect('read', call, arg(2, 'root_dir')(call) ?? text('.'), { many: true }),
    ],
    ...table(['*.read_text', '*.read_bytes', '*.iterdir', '*.glob', '*.rglob'], call =>
      isPath(call.receiver)
        ? [effect('read', call, call.receiver ?? undefined, { many: /glob|iterdir/.test(call.name) })]
        : [],
    ),
    ...table(
      ['*.write_text', '*.write_bytes', '*.mkdir', '*.touch', '*.chmod', '*.symlink_to', '*.hardlink_to'],
      call =>
        isPath(call.receiver)
          ? [
              effect('write', call, call.receiver ?? undefined, {
                payload: call.args[0],
                harmless: /mkdir|touch/.test(call.name),
              }),
            ]
          : [],
    ),
    // Whoever watches a folder sees every name in it, and every change.
    ...table(
      [
        'watchdog.observers.Observer().schedule',
        'watchdog.observers.polling.PollingObserver().schedule',
        'pyinotify.WatchManager().add_watch',
        'inotify.adapters.Inotify().add_watch',
      ],
      call => [effect('read', call, arg(call.name.startsWith('watchdog.') ? 1 : 0, 'path')(call), { many: true })],
    ),
    ...table(
      ['inotify.adapters.InotifyTree', 'watchfiles.watch', 'watchfiles.awatch'],
      does('read', arg(0), { many: true }),
    ),
    ...table(['os.listdir', 'os.scandir', 'os.walk', 'glob.glob', 'glob.iglob', 'os.fwalk'], call => [
      effect('read', call, call.args[0] ?? text('.'), { many: true }),
    ]),
    ...table(
      ['os.remove', 'os.unlink', 'os.rmdir', 'os.removedirs', 'send2trash.send2trash', 'Deno.remove'],
      deletes(arg(0, 'path')),
    ),
    ...table(
      ['shutil.rmtree', 'distutils.dir_util.remove_tree', 'test.support.os_helper.rmtree'],
      deletes(arg(0, 'path', 'directory'), true),
    ),
    ...table(['*.unlink', '*.rmdir'], call =>
      call.name.startsWith('os.') || call.name.includes('SharedMemory') ? [] : deletes(receiver)(call),
    ),
    ...table(
      ['shutil.copy', 'shutil.copy2', 'shutil.copyfile', 'shutil.copytree'],
      all(does('read', arg(0, 'src')), does('write', arg(1, 'dst'))),
    ),
    ...table(
      ['shutil.move', 'os.rename', 'os.renames', 'os.replace'],
      all(does('read', arg(0, 'src')), does('write', arg(1, 'dst'))),
    ),
    ...table(['*.rename', '*.replace'], call =>
      isPath(call.receiver) && call.args.length === 1 ? [effect('write', call, call.args[0])] : [],
    ),
    ...table(['os.link', 'os.symlink'], all(does('read', arg(0)), does('write', arg(1)))),
    ...table(['os.chmod', 'os.chown', 'os.lchown', 'shutil.chown'], does('write', arg(0))),
    'sqlite3.connect': call =>
      textOf(call.args[0]) === ':memory:' ? [] : [effect('write', call, arg(0, 'database')(call), { harmless: true })],
    ...table(
      ['*.execute', '*.executemany', '*.executescript', '*.raw', 'pandas.read_sql', 'pandas.read_sql_query'],
      executes,
    ),
    '*.to_sql': does('modify', arg(0, 'name')),
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
        'urllib.request.urlretrieve',
        'urllib.urlopen',
        'urllib.urlretrieve',
        'urllib2.urlopen',
        'wget.download',
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
        'pymongo.MongoClient',
        'redis.Redis',
        'psycopg2.connect',
        'mysql.connector.connect',
        'pymysql.connect',
        'ldap.initialize',
        'aiohttp.request',
        'asyncio.open_connection',
      ],
      connects(arg(0, 'host', 'url', 'server')),
    ),
    // A request is an object first; with a body it is made to be sent.
    ...table(['urllib.request.Request', 'urllib2.Request'], call => {
      const payload = arg(1, 'data')(call)
      return payload === undefined ? [] : [effect('connect', call, url(call), { payload })]
    }),
    ...table(['*.sendall', '*.send', '*.sendto'], sendsBytes),
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
    ...table(
      [
        ...shellNames,
        ...argvNames,
        ...execNames,
        ...spawnNames,
        'pty.spawn',
        'os.startfile',
        'webbrowser.open',
        'asyncio.create_subprocess_exec',
      ],
      call => [effect('run', call, commandText(call))],
    ),
  },
  embeds: {
    ...Object.fromEntries(shellNames.map(name => [name, (call: Call) => embedCommand(call, command(call))])),
    ...Object.fromEntries(argvNames.map(name => [name, embedArgv])),
    ...Object.fromEntries(execNames.map(name => [name, (call: Call) => embedCommand(call, execWords(call))])),
    ...Object.fromEntries(spawnNames.map(name => [name, (call: Call) => embedCommand(call, execWords(call))])),
    'pty.spawn': call => embedCommand(call, command(call)),
    'asyncio.create_subprocess_exec': call => embedCommand(call, list(call.args)),
    '*.exec_command': call => embedCommand(call, call.args[0]),
    eval: call => embed(call, 'python', call.args[0]),
    exec: call => embed(call, 'python', call.args[0]),
    'code.InteractiveInterpreter().runsource': call => embed(call, 'python', call.args[0]),
    ...Object.fromEntries(
      textRunners.map(name => [
        name,
        (call: Call) => [
          ...embed(call, 'python', arg(0, 'stmt', 'code', 'statement')(call)),
          ...embed(call, 'python', arg(name.startsWith('timeit.') ? 1 : 99, 'setup')(call)),
        ],
      ]),
    ),
    ...Object.fromEntries(['pandas.eval', '*.query', '*.eval'].map(name => [name, embedQuery])),
    ...Object.fromEntries(
      ['get_ipython()', 'IPython.get_ipython()'].flatMap(shell => [
        [`${shell}.run_cell`, (call: Call) => embed(call, 'python', call.args[0])],
        [`${shell}.ex`, (call: Call) => embed(call, 'python', call.args[0])],
        [`${shell}.ev`, (call: Call) => embed(call, 'python', call.args[0])],
        [`${shell}.getoutput`, (call: Call) => embedCommand(call, call.args[0])],
        [`${shell}.run_line_magic`, embedMagic],
        [`${shell}.run_cell_magic`, embedMagic],
      ]),
    ),
    ...Object.fromEntries(
      ['pip.main', 'pip._internal.main', 'pip._internal.cli.main.main'].map(name => [
        name,
        (call: Call) =>
          call.args[0]?.kind === 'list' ? embedCommand(call, list([text('pip'), ...call.args[0].items])) : [],
      ]),
    ),
    'pydoc.pipepager': call => embedCommand(call, call.args[1]),
    'pipes.Template().append': call => embedCommand(call, call.args[0]),
    'webbrowser.GenericBrowser': call => embedCommand(call, call.args[0]),
    'runpy.run_path': () => [],
    'IPython.get_ipython().system': call => embedCommand(call, call.args[0]),
    'get_ipython().system': call => embedCommand(call, call.args[0]),
  },
}

/** `socket.send(bytes)`, `socket.sendto(bytes, (host, port))`. */
function sendsBytes(call: Call): Effect[] {
  if (!call.name.startsWith('socket.')) return []
  const [payload = unknown, address] = call.args
  return [effect('connect', call, address?.kind === 'list' ? address.items[0] : undefined, { payload })]
}

/** With `shell=True` a list gives the shell its first word only; without it, text is the name of a program. */
function embedArgv(call: Call): ReturnType<typeof embed> {
  const value = command(call)
  if (value?.kind === 'list' && isTrue(call.named.get('shell'))) return embedCommand(call, value.items[0])
  return embedCommand(call, value)
}

/** `df.query('@f(x)')` calls what stands outside of the frame; a plain comparison is no code to follow. */
function embedQuery(call: Call): ReturnType<typeof embed> {
  const written = sketch(arg(0, 'expr')(call)) ?? ''
  if (!/__|@\s*[\w.]+\s*\(/.test(written)) return []
  return embed(call, 'python', text(written.replace(/`[^`]*`/g, 'column').replace(/@/g, '')))
}

/** `%sx rm a`, `%%bash` and the like, called by name. */
function embedMagic(call: Call): ReturnType<typeof embed> {
  const [name, ...rest] = call.args
  if (/^(sx|system|bash|sh|script)$/.test(textOf(name) ?? '')) return embedCommand(call, rest.at(-1))
  return /^(time|timeit|prun|python3?)$/.test(textOf(name) ?? '') ? embed(call, 'python', rest.at(-1)) : []
}

/** Only what is a path: `csv.reader(handle)` reads nothing new. */
function readsOnlyPaths(call: Call): Effect[] {
  const value = call.args[0] ?? call.named.get('path') ?? call.named.get('dotenv_path')
  if (value === undefined) return call.name.startsWith('dotenv.') ? [effect('read', call, text('.env'))] : []
  return sketch(value) === null && (call.name.startsWith('csv.') || call.name.startsWith('yaml.'))
    ? []
    : readsFileOrUrl(() => value)(call)
}

function writes(call: Call): Effect[] {
  const value = arg(
    call.name === 'joblib.dump' || call.name === 'torch.save' ? 1 : 0,
    'fname',
    'filename',
    'path',
  )(call)
  if (value === undefined || (sketch(value) === null && /\.(save|tofile)$/.test(call.name))) return []
  return [effect('write', call, value, { harmless: /mkdir|makedirs|FileHandler/.test(call.name) })]
}

function isPath(value: Value | null): boolean {
  return (
    value !== null &&
    (value.kind === 'text' ||
      value.kind === 'joined' ||
      (value.kind === 'thing' && /path|file|dir|folder/i.test(value.name)) ||
      value.kind === 'unknown')
  )
}

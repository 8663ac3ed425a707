import type { Effect, EffectOf } from '../effect.ts'
import type { Call, Value } from '../model.ts'
import { isMadeAgain } from '../paths.ts'
import { sketch, startOf, text, textOf } from '../values.ts'
import { all, arg, does, effect, isElsewhere, isTrue, moves, readsFileOrUrl, receiver, table, worksIn } from './make.ts'
import { byMode } from './modes.ts'
import { frameWriters, pandasReaders } from './python-names.ts'
import { changesStore, executes, storeMethods } from './sql.ts'

const opens: EffectOf = call => {
  const asMethod = call.name.endsWith('.open') && call.receiver !== null && call.receiver.kind !== 'thing'
  const file = asMethod ? call.receiver : arg(0, 'file')(call)
  return byMode(call, file ?? undefined, arg(asMethod ? 0 : 1, 'mode')(call))
}

const frameTarget = arg(0, 'path_or_buf', 'path', 'excel_writer', 'path_or_buffer', 'buf', 'filename', 'fname')

const isReadOnly = (flags: Value | undefined): boolean =>
  flags === undefined || (flags.kind === 'thing' && /O_RDONLY$/.test(flags.name))

const temporary = /^(tempfile\.|~)/
/** Out of `tempfile`, or below what came from there. */
const isTemporary = (value: Value | undefined): boolean => {
  if (value?.kind === 'thing') return temporary.test(value.name)
  const [first, ...below] = value?.kind === 'joined' ? value.parts : []
  return (
    typeof first === 'object' &&
    first.kind === 'thing' &&
    /^tempfile\./.test(first.name) &&
    below.every(part => typeof part === 'string' && !part.includes('..'))
  )
}

const deletes = (target: ReturnType<typeof arg>, many = false): EffectOf => {
  return call => {
    const value = target(call)
    const own = isTemporary(value) || isMadeAgain(startOf(value))
    return [effect('delete', call, value, { many: many || call.inLoop, harmless: own })]
  }
}

/** What Python and its libraries do to files, folders and tables. */
export const fileEffects: Readonly<Record<string, EffectOf>> = {
  open: opens,
  'io.FileIO': opens,
  '*.open': call => (call.receiver !== null && call.receiver.kind !== 'thing' ? opens(call) : []),
  // Anything but the flag for reading alone may write.
  'os.open': call => [
    effect('read', call, arg(0, 'path')(call)),
    ...(isReadOnly(arg(1, 'flags')(call)) ? [] : [effect('write', call, arg(0, 'path')(call), { harmless: true })]),
  ],
  ...table(
    pandasReaders.map(kind => `pandas.read_${kind}`),
    readsFileOrUrl(arg(0, 'filepath_or_buffer', 'io', 'path', 'path_or_buf')),
  ),
  'pandas.read_clipboard': call => [effect('read', call, undefined)],
  ...table(
    frameWriters.map(kind => `*.to_${kind}`),
    call =>
      frameTarget(call) === undefined || frameTarget(call)?.kind === 'nothing'
        ? []
        : isElsewhere(startOf(frameTarget(call)))
          ? [effect('connect', call, frameTarget(call), call.receiver ? { payload: call.receiver } : {})]
          : [effect('write', call, frameTarget(call))],
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
      'linecache.getlines',
      'linecache.getline',
      'dotenv.load_dotenv',
      'dotenv.dotenv_values',
      'configparser.ConfigParser().read',
      'openpyxl.load_workbook',
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
      'numpy.savetxt',
      'cv2.imwrite',
      'imageio.imwrite',
      '*.tofile',
      'os.mkdir',
      'os.makedirs',
      'os.mkfifo',
      'os.mknod',
      'os.utime',
      'logging.FileHandler',
      'pandas.ExcelWriter',
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
  ...table(['*.write_text', '*.write_bytes', '*.mkdir', '*.touch', '*.chmod'], call =>
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
    effect('read', call, arg(99, 'root_dir')(call) ?? call.args[0] ?? text('.'), { many: true }),
  ]),
  'fileinput.input': call => {
    const files = arg(0, 'files')(call)
    const each = files?.kind === 'list' ? files.items : files === undefined ? [] : [files]
    const inPlace = isTrue(arg(1, 'inplace')(call))
    return each.flatMap(file => [effect('read', call, file), ...(inPlace ? [effect('write', call, file)] : [])])
  },
  ...table(
    ['os.remove', 'os.unlink', 'os.rmdir', 'os.removedirs', 'send2trash.send2trash', 'Deno.remove'],
    deletes(arg(0, 'path')),
  ),
  // Cut off at the start, a file is as good as gone.
  'os.truncate': call =>
    call.args[1]?.kind === 'number' && call.args[1].number > 0
      ? [effect('write', call, call.args[0])]
      : deletes(arg(0, 'path'))(call),
  // Without a name it reads the one in the home folder.
  'netrc.netrc': call => [effect('read', call, arg(0, 'file')(call) ?? text('~/.netrc'))],
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
    ['shutil.move', 'os.rename', 'os.renames', 'os.replace', 'distutils.file_util.move_file'],
    moves(arg(0, 'src', 'old'), arg(1, 'dst', 'new')),
  ),
  ...table(['*.rename', '*.replace', '*.copy', '*.copy_into', '*.move', '*.move_into'], call => {
    const { receiver: from, args } = call
    const to = arg(0, 'target', 'target_dir')(call)
    if (!isPath(from) || args.length > 1 || to === undefined) return []
    if (from?.kind !== 'text') return /\.(rename|replace)$/.test(call.name) ? [effect('write', call, to)] : []
    if (!/\.copy/.test(call.name)) return moves(receiver, () => to)(call)
    return [effect('read', call, from), effect('write', call, to)]
  }),
  ...table(['*.symlink_to', '*.hardlink_to'], call =>
    isPath(call.receiver)
      ? [effect('read', call, arg(0, 'target')(call)), effect('write', call, call.receiver ?? undefined)]
      : [],
  ),
  '*.walk': call => (call.receiver?.kind === 'text' ? [effect('read', call, call.receiver, { many: true })] : []),
  'os.chdir': worksIn(arg(0, 'path')),
  'logging.basicConfig': call => {
    const file = call.named.get('filename')
    return file === undefined ? [] : [effect('write', call, file, { harmless: true })]
  },
  'importlib.util.spec_from_file_location': call => [effect('read', call, arg(1, 'location')(call))],
  ...table(['os.link', 'os.symlink'], all(does('read', arg(0, 'src')), does('write', arg(1, 'dst')))),
  ...table(['os.chmod', 'os.chown', 'os.lchown', 'shutil.chown'], does('write', arg(0, 'path'))),
  'sqlite3.connect': call =>
    textOf(call.args[0]) === ':memory:' ? [] : [effect('write', call, arg(0, 'database')(call), { harmless: true })],
  ...table(
    ['*.execute', '*.executemany', '*.executescript', '*.raw', 'pandas.read_sql', 'pandas.read_sql_query'],
    executes,
  ),
  // ClickHouse; a command of one word is one of a command line, not of a database.
  '*.command': call => (/\s/.test(sketch(call.args[0]) ?? '') ? executes(call) : []),
  ...table(
    [...storeMethods.removing, ...storeMethods.changing, ...storeMethods.adding].map(method => `*.${method}`),
    changesStore,
  ),
  ...table(['sqlalchemy.orm.Session().commit', 'sqlalchemy.orm.sessionmaker()().commit'], call => [
    effect('modify', call, undefined),
  ]),
  '*.drop': call => (/^(pymongo|motor|sqlalchemy)\b/.test(call.name) ? changesStore(call) : []),
  '*.to_sql': call => {
    const address = arg(1, 'con')(call)
    const changes = effect('modify', call, arg(0, 'name')(call))
    return isElsewhere(startOf(address)) ? [changes, effect('connect', call, address)] : [changes]
  },
  ...table(['pandas.read_sql', 'pandas.read_sql_query', 'pandas.read_sql_table', 'polars.read_database_uri'], call => {
    const address = arg(1, 'con', 'uri')(call)
    return isElsewhere(startOf(address)) ? [effect('connect', call, address)] : []
  }),
  ...table(
    ['csv', 'parquet', 'json', 'table', 'hdf', 'orc'].map(kind => `dask.dataframe.read_${kind}`),
    readsFileOrUrl(arg(0, 'urlpath', 'path')),
  ),
}

/** Only what is a path: `csv.reader(handle)` reads nothing new. */
function readsOnlyPaths(call: Call): Effect[] {
  const value = arg(0, 'path', 'dotenv_path', 'file', 'filename', 'fname', 'fp', 'f')(call)
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
    'file',
    'f',
    'fp',
    'name',
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

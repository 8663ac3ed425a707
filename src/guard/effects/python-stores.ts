import type { Effect, EffectOf } from '../effect.ts'
import { type Call, origin, type Value } from '../model.ts'
import { from, list, sketch, startOf, text, unknown } from '../values.ts'
import { arg, effect, moves, table } from './make.ts'
import { byMode } from './modes.ts'

/** File systems as objects; some are folders of this machine, some are stores of a cloud. */
const stores = [
  ...['fsspec.filesystem', 'fsspec.get_filesystem_class()', 'fsspec.implementations.local.LocalFileSystem'],
  ...['fsspec.implementations.sftp.SFTPFileSystem', 'fsspec.implementations.ftp.FTPFileSystem', 'sshfs.SSHFileSystem'],
  ...['s3fs.S3FileSystem', 'gcsfs.GCSFileSystem', 'adlfs.AzureBlobFileSystem', 'ossfs.OSSFileSystem'],
  ...[
    'pyarrow.fs.LocalFileSystem',
    'pyarrow.fs.S3FileSystem',
    'pyarrow.fs.GcsFileSystem',
    'pyarrow.fs.HadoopFileSystem',
  ],
  ...[
    'pyarrow.hdfs.connect',
    'pyarrow.fs.SubTreeFileSystem',
    'pyarrow.fs.FileSystem.from_uri',
    'dask.bytes.core.get_fs_token_paths',
  ],
]
  .map(made => `${made}()`)
  // Those who give the file system and the path in it.
  .concat('fsspec.core.url_to_fs()[]', 'fsspec.url_to_fs()[]', 'pyarrow.fs.FileSystem.from_uri()[]')
const methods = (...names: readonly string[]): string[] =>
  stores.flatMap(store => names.map(name => `${store}.${name}`))

const isLocal = (call: Call): boolean => /^(?:fsspec|pyarrow)\b.*Local/.test(call.name)
/** What is not surely a folder of this machine may be anywhere. */
const isRemote = (call: Call, target: Value | undefined): boolean =>
  !isLocal(call) &&
  (!/^(fsspec\.(filesystem|core|url_to_fs)|pyarrow\.fs\.(SubTree|FileSystem))/.test(call.name) || isAddress(target))
export const isAddress = (value: Value | undefined): boolean =>
  /^(https?|ftps?|sftp|s3[an]?|gs|gcs|abfss?|az|adl|hdfs|oss|r2|hf|ssh):\/\//i.test(startOf(value))

/** A store of a cloud is reached over the network, and what is put there is sent. */
const reached = (call: Call, target: Value | undefined, payload?: Value): Effect[] =>
  isRemote(call, target) ? [effect('connect', call, target, payload === undefined ? {} : { payload })] : []

const each = (value: Value | undefined): readonly (Value | undefined)[] =>
  value?.kind === 'list' && !value.open ? value.items : [value]

const deletes =
  (many: boolean): EffectOf =>
  call =>
    each(arg(0, 'path', 'base_dir')(call)).flatMap(target => [
      effect('delete', call, target, { many: many || call.inLoop || call.named.has('recursive') }),
      ...reached(call, target),
    ])

/** What Python's libraries do to files through an object that stands for a file system. */
export const storeEffects: Readonly<Record<string, EffectOf>> = {
  ...table(methods('rm_file', 'delete_file', 'rmdir', 'delete'), deletes(false)),
  ...table(methods('rm', 'bulk_delete', 'delete_dir', 'delete_dir_contents', 'delete_bucket'), deletes(true)),
  ...table(methods('delete_root_dir_contents'), call => [effect('delete', call, text('/'), { many: true })]),
  ...table(methods('mv', 'move', 'rename', 'mv_file'), call => [
    ...moves(arg(0, 'path1', 'src'), arg(1, 'path2', 'dest'))(call),
    ...reached(call, arg(0, 'path1', 'src')(call)),
  ]),
  ...table(methods('cp', 'copy', 'cp_file', 'copy_file'), call => [
    effect('read', call, arg(0, 'path1', 'src')(call)),
    effect('write', call, arg(1, 'path2', 'dest')(call)),
    ...reached(call, arg(1, 'path2', 'dest')(call), from(origin.file)),
  ]),
  'pyarrow.fs.copy_files': call => {
    const [source, target] = [arg(0, 'source')(call), arg(1, 'destination')(call)]
    return [
      isAddress(source) ? effect('connect', call, source) : effect('read', call, source, { many: true }),
      isAddress(target)
        ? effect('connect', call, target, { payload: from(origin.file) })
        : effect('write', call, target, { many: true }),
    ]
  },
  // A mapping over a store: what is put into it is not seen, only where it goes.
  ...table(['s3fs.S3Map', 'gcsfs.GCSMap', 'fsspec.get_mapper'], call => [
    effect(isAddress(call.args[0]) || !call.name.startsWith('fsspec') ? 'connect' : 'write', call, call.args[0]),
  ]),
  ...table(methods('put', 'put_file', 'upload'), call => [
    effect('read', call, arg(0, 'lpath')(call)),
    effect('write', call, arg(1, 'rpath')(call)),
    ...reached(call, arg(1, 'rpath')(call), from(origin.file)),
  ]),
  ...table(methods('get', 'get_file', 'download'), call => [
    effect('write', call, arg(1, 'lpath')(call)),
    ...reached(call, arg(0, 'rpath')(call)),
  ]),
  ...table(
    methods('pipe', 'pipe_file', 'write_text', 'write_bytes', 'open_output_stream', 'open_append_stream'),
    call => [
      effect('write', call, arg(0, 'path')(call), { payload: call.args[1] }),
      ...reached(call, arg(0, 'path')(call), call.args[1] ?? from(origin.file)),
    ],
  ),
  ...table(methods('touch', 'mkdir', 'makedirs', 'create_dir'), call => [
    effect('write', call, arg(0, 'path')(call), { harmless: true }),
    ...reached(call, arg(0, 'path')(call)),
  ]),
  ...table(
    methods('cat', 'cat_file', 'head', 'tail', 'read_text', 'read_bytes', 'open_input_stream', 'open_input_file'),
    call => [effect('read', call, arg(0, 'path')(call)), ...reached(call, arg(0, 'path')(call))],
  ),
  ...table(methods('ls', 'find', 'glob', 'walk', 'du', 'get_file_info'), call => [
    effect('read', call, arg(0, 'path')(call) ?? text('.'), { many: true }),
    ...reached(call, arg(0, 'path')(call)),
  ]),
  ...table(methods('open'), call => [
    ...byMode(call, arg(0, 'path')(call), arg(1, 'mode')(call) ?? text('rb')),
    ...reached(call, arg(0, 'path')(call)),
  ]),
}

/** `sh.rm('-rf', 'a')`, `plumbum.local['rm']['-rf', 'a']()`: the name of the command is a name of the program. */
const commandPrefixes = ['sh.', 'sh.contrib.', 'plumbum.cmd.', 'plumbum.local.', 'plumbum.local.cmd.']
const notCommands = /^(contrib|ErrorReturnCode\w*|CommandNotFound|cd|pushd|bake|env|cwd|path|which|cmd|Command|_\w+)$/

/** The words of a command that a library runs under its own name; null when the name is no command. */
export function commandWords(call: Call): Value | null {
  const prefix = commandPrefixes.findLast(each => call.name.startsWith(each))
  // `sh.Command(name)(…)`: what was made a command is not said where it is called.
  if (call.name === 'sh.Command()') return list([unknown, ...call.args], true)
  const [command = '', ...given] = call.name.slice(prefix?.length ?? 0).split('.')
  if (prefix === undefined || notCommands.test(command.replace(/\(.*$/, ''))) return null
  const name = command.replaceAll('_', '-').replace(/\(\).*$/, '')
  // What stands in brackets is known as far as its first word.
  const words = [
    text(name),
    ...given.filter(word => !/\(\)|^bake$|^run$|^bound_command$/.test(word)).map(word => text(word)),
  ]
  const args = call.args.filter(value => value.kind !== 'map')
  return list([...words, ...args], given.length > 0 || call.args.length !== args.length)
}

export const commandNames = commandPrefixes.map(prefix => `${prefix}*`)

/** `loop.subprocess_shell(factory, 'ls')`, `loop.subprocess_exec(factory, 'ls', '-l')`. */
export const loopWords = (call: Call): Value | undefined =>
  call.name.endsWith('_shell') ? arg(1, 'cmd')(call) : list(call.args.slice(1))

/** Connections that an event loop makes; the first argument makes what answers. */
export const loopEffects: Readonly<Record<string, EffectOf>> = {
  ...table(['*.create_connection'], call =>
    call.name.startsWith('socket.') || sketch(call.args[0]) !== null || call.args[0]?.kind === 'list'
      ? []
      : call.args.length < 2 && !call.named.has('host')
        ? []
        : [effect('connect', call, arg(1, 'host')(call))],
  ),
  '*.create_datagram_endpoint': call => {
    const address = arg(99, 'remote_addr')(call)
    return address === undefined ? [] : [effect('connect', call, address.kind === 'list' ? address.items[0] : address)]
  },
  ...table(['*.sock_connect', '*.sock_sendto'], call => {
    const address = call.args.at(-1)
    return [effect('connect', call, address?.kind === 'list' ? address.items[0] : address)]
  }),
}

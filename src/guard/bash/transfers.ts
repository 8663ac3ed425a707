import { type Effect, type EffectOf, effectAt } from '../effect.ts'
import { type Call, origin, type Value } from '../model.ts'
import { placeOf } from '../paths.ts'
import { from, join, startOf, text, textOf, unknown } from '../values.ts'
import { inputOf, located } from './facts.ts'
import { after, has, readOptions, valuesOf } from './options.ts'

/** What shell commands send and fetch: the host as the target, what is sent as the payload, files as files. */

const file = (kind: 'read' | 'write' | 'delete', call: Call, target: Value): Effect =>
  effectAt(kind, located(call, target), call, call, call.inLoop)
const connect = (call: Call, target: Value, payload?: Value): Effect =>
  effectAt('connect', target, call, call, call.inLoop, { payload })
const content = (call: Call, path: Value): Value =>
  from(origin.file | path.origins | (placeOf(startOf(located(call, path))) === 'secret' ? origin.secret : 0))

const curlValued =
  'X H d F T o O A b c C D e E K m r s u U w x y z Y request header data data-raw data-binary data-ascii data-urlencode form form-string upload-file output user-agent cookie cookie-jar referer cert config max-time range user proxy write-out connect-timeout retry json url cacert key resolve interface limit-rate dump-header output-dir'

const curl: EffectOf = call => {
  const options = readOptions(call.args, curlValued.replace(' O ', ' ').replace(' s ', ' '))
  const effects: Effect[] = []
  const sent = valuesOf(
    options,
    'd',
    'data',
    'data-binary',
    'data-ascii',
    'data-urlencode',
    'data-raw',
    'json',
    'F',
    'form',
  )
  let payload: Value | undefined
  for (const value of sent) {
    const at = startOf(value).search(/[@<]/)
    const named = at !== -1 && (at === 0 || startOf(value)[at - 1] === '=') ? after(value, at + 1) : null
    if (named && !/^(-|$)/.test(startOf(named))) {
      effects.push(file('read', call, named))
      payload = join([payload ?? text(''), content(call, named)])
    } else payload = join([payload ?? text(''), named ? (inputOf(call) ?? unknown) : value])
  }
  for (const path of valuesOf(options, 'T', 'upload-file')) {
    if (startOf(path) !== '-') effects.push(file('read', call, path))
    payload = startOf(path) === '-' ? (inputOf(call) ?? unknown) : content(call, path)
  }
  const [folder] = valuesOf(options, 'output-dir')
  const saved = valuesOf(options, 'o', 'output').map(path => within(folder, path))
  for (const path of [...saved, ...valuesOf(options, 'c', 'cookie-jar', 'D', 'dump-header')])
    if (!/^(-|\/dev\/(null|stdout|stderr))$/.test(startOf(path))) effects.push(file('write', call, path))
  for (const path of valuesOf(options, 'K', 'config')) effects.push(file('read', call, path))
  const targets = [...options.operands, ...valuesOf(options, 'url')]
  for (const target of targets.length > 0 ? targets : [unknown]) {
    if (startOf(target).startsWith('file://')) effects.push(file('read', call, after(target, 7)))
    else effects.push(connect(call, address(target), payload ?? headers(options)))
    if (has(options, 'O', 'remote-name', 'remote-name-all'))
      effects.push(file('write', call, within(folder, pageOf(target))))
  }
  return effects
}

const within = (folder: Value | undefined, path: Value): Value =>
  folder === undefined || /^(-$|\/)/.test(startOf(path)) ? path : join([folder, '/', path])

/** The name under which a page is kept when nobody gives another: the last part of its address. */
function pageOf(target: Value): Value {
  const whole = textOf(target)
  if (whole === null) return unknown
  const name = whole
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^.*\//s, '')
  return text(name === '' ? 'index.html' : name)
}

/** Headers and query strings carry data out as well as bodies do. */
const headers = (options: ReturnType<typeof readOptions>): Value | undefined =>
  valuesOf(options, 'H', 'header', 'A', 'user-agent', 'b', 'cookie').find(
    value => (value.origins & (origin.secret | origin.file | origin.system)) !== 0,
  )

/** `host/path` without a scheme is still an address. */
function address(target: Value): Value {
  const start = startOf(target)
  return /^[\w.-]+\.[a-z]{2,}([/:]|$)/i.test(start) && target.kind === 'text'
    ? text(`http://${start}`, target.origins)
    : target
}

const wget: EffectOf = call => {
  const options = readOptions(
    call.args,
    'O o a P i U T t e B A R D l w Q X I accept reject domains level wait output-document output-file directory-prefix input-file post-data post-file body-data body-file header user-agent method user password tries timeout referer',
  )
  const effects: Effect[] = []
  let payload: Value | undefined = valuesOf(options, 'post-data', 'body-data')[0]
  for (const path of valuesOf(options, 'post-file', 'body-file')) {
    effects.push(file('read', call, path))
    payload = content(call, path)
  }
  const documents = valuesOf(options, 'O', 'output-document')
  for (const path of [...documents, ...valuesOf(options, 'o', 'output-file')])
    if (!/^(-|\/dev\/(null|stdout))$/.test(startOf(path))) effects.push(file('write', call, path))
  for (const path of valuesOf(options, 'i', 'input-file'))
    if (startOf(path) !== '-') effects.push(file('read', call, path))
  const [folder] = valuesOf(options, 'P', 'directory-prefix')
  for (const target of options.operands.length > 0 ? options.operands : [unknown]) {
    effects.push(connect(call, address(target), payload))
    if (documents.length === 0 && !has(options, 'spider'))
      effects.push(file('write', call, within(folder, pageOf(target))))
  }
  return effects
}

/** Connects, and sends what it is fed. */
const speaks =
  (valued = ''): EffectOf =>
  call => {
    const [target] = readOptions(call.args, valued).operands
    return [connect(call, target ?? unknown, inputOf(call))]
  }

/** `scp a host:b`: whichever side has a colon is elsewhere. */
const copiesOver: EffectOf = call => {
  const options = readOptions(call.args, 'P p i o S F c l e J rsh exclude include port')
  const effects: Effect[] = []
  const isRemote = (value: Value): boolean =>
    /^[^/:]*@?[\w.-]*:|^rsync:\/\//.test(startOf(value)) ||
    (value.kind === 'joined' && value.parts.some(part => typeof part === 'string' && /^:|@.*:|^@/.test(part)))
  const target = options.operands.at(-1)
  for (const source of options.operands.slice(0, -1)) {
    if (isRemote(source)) effects.push(connect(call, hostIn(source)))
    else {
      effects.push(file('read', call, source))
      if (target && isRemote(target)) effects.push(connect(call, hostIn(target), content(call, source)))
    }
  }
  if (target && !isRemote(target) && options.operands.length > 1) {
    effects.push(file('write', call, target))
    // `rsync --delete`: what the source does not have is gone from the target, as whoever mirrors a folder means it.
    if (call.args.some(arg => /^--del(ete(-\w+)?)?$/.test(startOf(arg))))
      effects.push({ ...file('delete', call, target), many: true, harmless: true })
  }
  return effects
}
function hostIn(value: Value): Value {
  const found = /^(?:[^@/]*@)?([\w.-]+):/.exec(startOf(value))?.[1]
  return found ? text(found) : unknown
}

const changesFiles = /^(checkout|switch|restore|reset|clean|apply|am|merge|rebase|stash|mv|rm|init|revert|cherry-pick)$/

const git: EffectOf = call => {
  const options = readOptions(call.args, 'c C git-dir work-tree b depth')
  const words = options.operands
  const [verb, ...rest] = words.map(word => textOf(word) ?? '')
  const [folder] = valuesOf(options, 'C', 'work-tree')
  if (verb === 'clone' || verb === 'ls-remote') {
    const target = words[1] ?? unknown
    const copy = verb === 'clone' && words[2] !== undefined ? [file('write', call, within(folder, words[2]))] : []
    return /^(\.|\/|~)/.test(startOf(target)) ? copy : [connect(call, target), ...copy]
  }
  // In a folder of somebody else the files there are what it changes.
  if (folder !== undefined && changesFiles.test(verb ?? '')) return [file('write', call, folder)]
  // To a remote with a name goes what the repository holds anyway; an address may be anybody's.
  if (verb === 'push') {
    const target = words[1] ?? unknown
    return /:\/\/|@.*:/.test(startOf(target)) ? [connect(call, target, from(origin.file))] : [connect(call, unknown)]
  }
  if (
    verb === 'fetch' ||
    verb === 'pull' ||
    (verb === 'remote' && rest[0] === 'update') ||
    (verb === 'submodule' && rest[0] === 'update')
  )
    return [connect(call, unknown)]
  return []
}

const installs: EffectOf = call => {
  const verb = call.args.map(arg => textOf(arg) ?? '').find(word => !word.startsWith('-'))
  return /^(install|i|add|update|upgrade|download|get|ci|exec|dlx|publish|require|global|tool|sync)$/.test(verb ?? '')
    ? [connect(call, unknown)]
    : []
}

const any: EffectOf = call => [connect(call, readOptions(call.args).operands[0] ?? unknown, inputOf(call))]
const cloud: EffectOf = call => [
  connect(call, unknown, has(readOptions(call.args), 'upload') ? from(origin.file) : undefined),
]

/** Browsers, and what starts one. */
const visits: EffectOf = call =>
  call.args.filter(arg => /^(https?|ftp):/.test(startOf(arg))).map(arg => connect(call, arg))

/** `socat - TCP:host:443`, `logger -n host`. */
const addressed: EffectOf = call =>
  call.args.flatMap((arg, at) => {
    const named = /^(?:TCP|UDP|SCTP|OPENSSL|SSL|SOCKS|PROXY)\w*[:-]+([^:,]+)/i.exec(startOf(arg))?.[1]
    if (named && !/listen|recv/i.test(startOf(arg))) return [connect(call, text(named), inputOf(call))]
    return /^(-n|--server)$/.test(startOf(arg)) ? [connect(call, call.args[at + 1] ?? unknown, inputOf(call))] : []
  })

/** `openssl s_client -connect host:443` is a line to anybody. */
const sealed: EffectOf = call => {
  if (textOf(call.args[0]) !== 's_client') return []
  const at = call.args.findIndex(arg => /^-(connect|host)$/.test(startOf(arg)))
  const fed = inputOf(call)
  return [connect(call, at === -1 ? unknown : (call.args[at + 1] ?? unknown), textOf(fed) === '' ? undefined : fed)]
}

/** `parallel -S host`: the command runs on other machines. */
const spreads: EffectOf = call =>
  valuesOf(readOptions(call.args, 'S sshlogin j a', true), 'S', 'sshlogin').map(host => connect(call, host))

export const networkEffects: Record<string, EffectOf> = {
  curl,
  wget,
  nc: speaks('p s w q e c i x X g G o O T h'),
  ncat: speaks('p s w q e c i x'),
  netcat: speaks('p s w q e c'),
  telnet: speaks('l b e n'),
  socket: speaks(),
  ssh: speaks('p i o l F b c D E e I J L m O Q R S W w B'),
  scp: copiesOver,
  sftp: speaks('P i o b F'),
  rsync: call => copiesOver(call),
  ftp: speaks(),
  lftp: speaks('u p e c f'),
  tftp: speaks(),
  ncftp: any,
  aria2c: any,
  axel: any,
  'lwp-download': any,
  'lwp-request': any,
  GET: any,
  POST: any,
  HEAD: any,
  http: any,
  https: any,
  xh: any,
  lynx: any,
  links: any,
  elinks: any,
  w3m: any,
  finger: any,
  whois: speaks('h p'),
  ping: speaks('c i W w s t I'),
  dig: any,
  host: any,
  nslookup: any,
  traceroute: any,
  smbclient: any,
  rclone: cloud,
  gsutil: cloud,
  aws: cloud,
  git,
  openssl: sealed,
  socat: addressed,
  logger: addressed,
  parallel: spreads,
  hdiutil: visits,
  ...Object.fromEntries(
    'snmpwalk snmpget ldapsearch rpcclient websocat grpcurl mosquitto_pub mosquitto_sub curlftpfs sshfs nping'
      .split(' ')
      .map(name => [name, speaks('H h b D w c p')]),
  ),
  'xdg-open': visits,
  open: visits,
  firefox: visits,
  chromium: visits,
  'google-chrome': visits,
  'sensible-browser': visits,
  pip: installs,
  pip3: installs,
  npm: installs,
  pnpm: installs,
  yarn: installs,
  gem: installs,
  cargo: installs,
  go: installs,
  apt: installs,
  'apt-get': installs,
  yum: installs,
  dnf: installs,
  brew: installs,
  conda: installs,
  apk: installs,
  pacman: call => [connect(call, unknown)],
  snap: installs,
}

import { type Effect, type EffectKind, type EffectOf, type EffectTable, effectAt } from '../effect.ts'
import type { Call, Redirection, Value } from '../model.ts'
import { placeOf } from '../paths.ts'
import { from, fromSketch, sketch, spaced, startOf, text, textOf, unknown, wholeOf } from '../values.ts'
import { databaseClients } from './databases.ts'
import { located } from './facts.ts'
import { has, readOptions, valuesOf, words } from './options.ts'
import { fileTargets, installs, toolTargets } from './targets.ts'
import {
  archived,
  converted,
  copies,
  deletes,
  edits,
  found,
  isNothing,
  linked,
  listed,
  one,
  reads,
  sourced,
  spelled,
  takenIn,
  writesAll,
} from './touching.ts'
import { networkEffects } from './transfers.ts'

/** What shell commands and redirections do to files. */

const made = writesAll('m mode r reference d date t', { harmless: true })
/** Owner and rights of a file; in the workspace nothing is lost by that. */
const changed: EffectOf = call =>
  readOptions(call.args, 'm')
    .operands.slice(1)
    .map(file =>
      one('write', call, file, {
        harmless: /^(workspace|temporary)$/.test(placeOf(startOf(located(call, file)))),
      }),
    )

const reader = reads('n c w t s f d k o N A')
const pattern = reads('e f m A B C include exclude exclude-dir', 1, ['e', 'f', 'regexp', 'file'])

/** A program that a compiler writes: where it goes is what matters. */
const built: EffectOf = call =>
  valuesOf(readOptions(call.args, 'o'), 'o')
    .filter(file => !isNothing(file))
    .map(file => one('write', call, file))

/** Code in a language without a front end, as the reader found it. */
const script =
  (kind: EffectKind): EffectOf =>
  call => [one(kind, call, call.args[0] ?? unknown)]

const readers =
  words(`cat tac nl less more most bat od xxd hexdump hd strings base64 base32 basenc rev wc sort uniq shuf paste join
  comm cmp diff colordiff sdiff column expand unexpand fold fmt pr md5sum sha1sum sha256sum sha512sum cksum sum
  b2sum zcat bzcat xzcat zless iconv uuencode view vim vi nano emacs ed look tsort file head tail vimdiff code
  xdg-open open ul hexedit pg split bzip2 gzip xz zstd lp lpr ccrypt ccencrypt mcrypt`)

const compilers = words('gcc g++ cc c89 c99 clang clang++ ld rustc')
const sealing = 'o output passphrase passphrase-fd passphrase-file cipher-algo u r recipient local-user homedir'
const sealed: EffectOf = call => [
  ...reads(sealing)(call),
  ...valuesOf(readOptions(call.args, sealing), 'o', 'output')
    .filter(file => !isNothing(file))
    .map(file => one('write', call, file)),
]

/** A program that stands in a file of its own, where this script does not show it. */
const followed = (call: Call, valued: string, ...switches: readonly string[]): Effect[] =>
  valuesOf(readOptions(call.args, `${valued} ${switches.join(' ')}`), ...switches).map(file =>
    one('run', call, spaced([fromSketch(call.name), file])),
  )
const filtered: EffectOf = call => [
  ...reads('F v f', 1, ['f', 'file'])(call),
  ...followed(call, 'F v e source', 'f', 'file'),
]
const hasCode = (call: Call): boolean => call.args.some(arg => /^-\w*[eEcVv]/.test(startOf(arg)))
const ranFile = (call: Call): Effect[] =>
  readOptions(call.args, 'I M', true)
    .operands.slice(0, 1)
    .map(file => one('run', call, spaced([fromSketch(call.name), file])))

const fileEffects: Record<string, EffectOf> = {
  ...Object.fromEntries(readers.map(name => [name, reader])),
  ...Object.fromEntries(compilers.map(name => [name, built])),
  go: call =>
    textOf(call.args[0]) === 'build'
      ? built(call)
      : /^(run|test|generate|install|tool|get)$/.test(textOf(call.args[0]) ?? '')
        ? [one('run', call, spaced([text('go'), ...call.args]))]
        : [],
  ...fileTargets,
  gpg: sealed,
  gpg2: sealed,
  od: reads('j N A t w S'),
  hexdump: reads('n s e f'),
  hd: reads('n s e f'),
  column: reads('s o N'),
  // `xargs -a list`: what is on the list becomes words.
  xargs: call =>
    valuesOf(readOptions(call.args, 'a I L n P s d E', true), 'a', 'arg-file').map(file => one('read', call, file)),
  time: call =>
    valuesOf(readOptions(call.args, 'o f output format', true), 'o', 'output').map(file => one('write', call, file)),
  rename: call =>
    readOptions(call.args)
      .operands.slice(1)
      .map(file => one('write', call, file, { harmless: true })),
  head: reads('n c lines bytes'),
  tail: reads('n c s lines bytes pid'),
  cut: reads('d f c b delimiter fields characters bytes output-delimiter'),
  grep: pattern,
  egrep: pattern,
  fgrep: pattern,
  rg: pattern,
  ag: pattern,
  zgrep: pattern,
  ack: pattern,
  jq: reads('f arg argjson slurpfile indent', 1, ['f', 'from-file']),
  yq: reads('', 1),
  sqlite3: call => {
    const [database] = readOptions(call.args, 'cmd separator').operands
    return database && !isNothing(database) ? [one('read', call, database)] : []
  },
  ...Object.fromEntries(['awk', 'gawk', 'mawk', 'nawk'].map(name => [name, filtered])),
  sed: call => [...edits('e f expression file l', 1)(call), ...followed(call, 'e expression l', 'f', 'file')],
  perl: call => [...edits('e E I M n p', 9)(call), ...(hasCode(call) ? [] : ranFile(call))],
  plutil: call =>
    call.args.some(arg => /^-(insert|replace|remove|convert)$/.test(startOf(arg))) && call.args.length > 1
      ? [one('write', call, call.args.at(-1) ?? unknown)]
      : [],
  tee: writesAll(),
  touch: made,
  // A new folder costs nobody anything, except where only the system belongs or where it hides.
  mkdir: call =>
    made(call).filter(
      ({ target }) =>
        !/^(workspace|temporary|home|outside)$/.test(placeOf(startOf(target))) ||
        /^\/(tmp|var\/tmp|dev\/shm)\/\./.test(startOf(target)),
    ),
  mkfifo: made,
  mknod: made,
  truncate: writesAll('s r size reference'),
  fallocate: writesAll('l o length offset'),
  chmod: changed,
  chown: changed,
  chgrp: changed,
  chattr: changed,
  setfacl: changed,
  cp: copies('t S suffix target-directory', false),
  mv: copies('t S suffix target-directory', true),
  install: installs(copies('m o g t mode owner group target-directory', false)),
  dd: converted,
  ln: linked,
  tar: archived,
  zip: call => {
    const options = readOptions(call.args, 'P i x')
    const [archive, ...files] = options.operands
    return [
      ...(archive && !isNothing(archive) ? [one('write', call, archive)] : []),
      ...files.flatMap(file => takenIn(call, file, has(options, 'm', 'move'))),
    ]
  },
  rm: deletes('interactive'),
  // An empty folder is all that it removes.
  rmdir: call => deletes()(call).map(effect => ({ ...effect, harmless: true, many: false })),
  unlink: deletes(),
  shred: deletes('n s iterations size random-source'),
  srm: deletes(),
  wipe: deletes(),
  trash: deletes(),
  find: found,
  ls: listed,
  dir: listed,
  vdir: listed,
  echo: spelled,
  printf: spelled,
  tree: listed,
  stat: listed,
  du: listed,
  // Whoever watches a folder sees every name in it.
  inotifywait: listed,
  inotifywatch: listed,
  fswatch: listed,
  'loop.over': listed,
  source: sourced,
  '.': sourced,
  'script.read': script('read'),
  'script.write': script('write'),
  'script.delete': script('delete'),
  'script.connect': script('connect'),
}

function redirected(redirection: Redirection): Effect[] {
  const { operator, target, call } = redirection
  if (operator.startsWith('<<') || isNothing(target)) return []
  const path = located(call, target)
  const many = call?.inLoop ?? false
  const start = startOf(path)
  const network = /^\/dev\/(tcp|udp)\/([^/]*)/.exec(start)
  if (network) {
    const host = network[2] ? text(network[2]) : unknown
    return [effectAt('connect', host, call, redirection, many, { payload: from(0) })]
  }
  if (operator === '<') return [effectAt('read', path, call, redirection, many)]
  if (operator === '<>' || !operator.includes('>')) return []
  return [effectAt('write', path, call, redirection, many, operator.includes('>>') ? { harmless: true } : undefined)]
}

/** Programs worth a line in the impact: not the ones whose whole effect is listed as files and hosts. */
const plain = new Set([
  ...Object.keys(fileEffects),
  ...Object.keys(networkEffects),
  ...words(`echo printf cd pushd popd test [ true false : exit return break continue shift set unset local export
    declare typeset readonly read eval exec command builtin type which hash alias unalias trap wait sleep date
    pwd let getopts mapfile readarray shopt umask ulimit seq expr bc dirname basename realpath readlink tr env
    printenv time nice yes tput clear factor cal mktemp xargs hidden.name unknown.name unread.code
    unread.file script.run script.privilege jobs fg bg
    disown times caller enable help uname whoami id hostname nproc arch tty df numfmt history local`),
])

const isRun = (name: string): boolean => !plain.has(name) && !name.startsWith('~') && !name.startsWith('carried.')

function runs(call: Call): Effect[] {
  const target = call.name === '?' ? unknown : spaced([fromSketch(call.name), ...call.args])
  const shown = target.kind === 'unknown' || wholeOf(target) !== null ? target : text(sketch(target, '…') ?? call.name)
  const effects = [effectAt('run', shown, call, call, call.inLoop)]
  const targets = Object.hasOwn(toolTargets, call.name) ? toolTargets[call.name]?.(call) : undefined
  const known = new Set(targets?.map(({ target }) => textOf(target)))
  for (const arg of call.args) {
    const file = known.has(textOf(arg)) ? null : named(call, arg)
    if (file !== null) effects.push(file)
  }
  return effects
}

const busTools = /^(dbus-|gdbus|busctl|qdbus|gconftool|gsettings|dconf|kwriteconfig|xfconf)/

/**
 * A file that is named to a tool of which nothing is known: it is read at least. Only what lies where a script has no
 * business is listed; a path into the system is more often a place to look for something than a file to show.
 */
function named(call: Call, arg: Value): Effect | null {
  const word = textOf(arg)
  const path = !word?.includes('/')
    ? undefined
    : /^(?:-{1,2}[\w-]+[=:]|[\w-]+=|@)?((?:\/|~\/)[^\s,:;]+)$/.exec(word)?.[1]
  // The subject of a certificate, the name of an object on a bus and `//title` of a document look like paths.
  if (
    path === undefined ||
    path.startsWith('//') ||
    /=/.test(path) ||
    isNothing(text(path)) ||
    busTools.test(call.name)
  )
    return null
  const place = placeOf(path)
  return /^(secret|identity|outside)$/.test(place) ? one('read', call, text(path)) : null
}

/** A tool that several tables speak of does all that they say: `openssl` talks to hosts and writes files. */
function together(...tables: readonly Readonly<Record<string, EffectOf>>[]): Record<string, EffectOf> {
  const all: Record<string, EffectOf> = {}
  for (const table of tables)
    for (const [name, effects] of Object.entries(table)) {
      const before = Object.hasOwn(all, name) ? all[name] : undefined
      all[name] = before === undefined ? effects : call => [...before(call), ...effects(call)]
    }
  return all
}

export const shellEffects: EffectTable = {
  languages: ['bash'],
  calls: together(fileEffects, networkEffects, toolTargets, databaseClients),
  others: { about: isRun, effects: runs },
  redirection: redirected,
}

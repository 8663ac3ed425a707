import { listOf } from '../lists.ts'
import type { Value } from '../model.ts'
import { join, spaced, startOf, text, unknown } from '../values.ts'
import { after, has, readOptions, valuesOf } from './options.ts'
import { contentOf } from './outputs.ts'

/** A program whose business is to run another one: `sudo`, `env`, `timeout`, `xargs`. What it runs is read in turn. */
export interface Wrapper {
  /** Switches with a value, as for `readOptions`. */
  readonly valued?: string
  /** Operands that stand before the command: the time of `timeout`, the lock of `flock`. */
  readonly before?: number
  /** `NAME=value` words may stand before the command. */
  readonly assigns?: boolean
  /** Switches whose value is a command line for a shell. */
  readonly code?: readonly string[]
  /** The words are put together and given to a shell. */
  readonly joined?: boolean
  /** Without a command it opens a shell. */
  readonly shell?: boolean
  /** With these switches it runs nothing. */
  readonly unless?: readonly string[]
  /** What follows is known only to standard input: `xargs rm`. */
  readonly feeds?: boolean
  /** A word of the shell itself, which also runs functions of the script. */
  readonly inShell?: boolean
}

export const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: 'u g p C h r t T U D R user group prompt host role type chdir chroot close-from other-user command-timeout',
    assigns: true,
    unless: ['l', 'v', 'k', 'K', 'V', 'e', 'list', 'validate', 'edit', 'version'],
  },
  doas: { valued: 'u C a' },
  pkexec: { valued: 'user' },
  su: { valued: 'c command s shell g group G supp-group w', code: ['c', 'command'], before: 1, shell: true },
  runuser: { valued: 'c command s shell g group G supp-group u user', code: ['c', 'command'], shell: true },
  sg: { valued: 'c', code: ['c'], before: 1, shell: true, joined: true },
  newgrp: { before: 9, shell: true },
  ksu: { valued: 'n c', before: 1, code: ['e'], shell: true },
  gosu: { before: 1 },
  'su-exec': { before: 1 },
  setpriv: { valued: 'reuid regid groups inh-caps ambient-caps bounding-set securebits' },
  chroot: { valued: 'userspec groups', before: 1, shell: true },
  nsenter: { valued: 't target S setuid G setgid', shell: true },
  unshare: { valued: 'R root w wd S setuid G setgid map-user map-group propagation', shell: true },
  env: { valued: 'u unset C chdir S split-string', assigns: true, code: ['S', 'split-string'] },
  nohup: {},
  setsid: {},
  nice: { valued: 'n adjustment' },
  ionice: { valued: 'c n p P u class classdata', unless: ['p'] },
  chrt: { valued: 'T P D', before: 1 },
  taskset: { before: 1, unless: ['p'] },
  numactl: {
    valued: 'i N C m p w l d interleave cpunodebind physcpubind membind preferred localalloc',
    unless: ['s', 'H', 'show', 'hardware'],
  },
  choom: { valued: 'n p adjust' },
  cpulimit: { valued: 'l limit p pid e exe P path' },
  timeout: { valued: 's signal k kill-after', before: 1 },
  stdbuf: { valued: 'i o e input output error' },
  time: { valued: 'f o format output', inShell: true },
  multitime: { valued: 'f i n q r s I' },
  command: { unless: ['v', 'V'] },
  builtin: {},
  exec: { valued: 'a' },
  busybox: { unless: ['list', 'help', 'install'] },
  toybox: {},
  xargs: {
    valued: 'I i n P L d E s a max-args max-procs delimiter arg-file replace max-lines eof',
    feeds: true,
  },
  parallel: { valued: 'j jobs S sshlogin a arg-file colsep', feeds: true, joined: true },
  watch: { valued: 'n interval', joined: true },
  strace: { valued: 'o e p s u E a b I O S X', unless: ['p'] },
  ltrace: { valued: 'o e p s u a n l x F', unless: ['p'] },
  valgrind: {},
  catchsegv: {},
  flock: { valued: 'w timeout E c command', before: 1, code: ['c', 'command'] },
  setlock: { before: 1 },
  softlimit: { valued: 'a c d f l m o p r s t' },
  setarch: { before: 1, shell: true },
  linux32: { shell: true },
  linux64: { shell: true },
  torify: {},
  torsocks: {},
  proxychains: { valued: 'f' },
  proxychains4: { valued: 'f' },
  rlwrap: { valued: 'H f' },
  script: { valued: 'c command E I O B T', code: ['c', 'command'], before: 9, shell: true },
  logsave: { before: 1 },
  pexec: {},
  fakeroot: {},
  distcc: {},
  'dbus-run-session': {},
  'dbus-launch': {},
  'systemd-run': { valued: 'p property u unit d on-calendar on-active M machine' },
  'systemd-inhibit': {},
  'ssh-agent': { valued: 't a P', unless: ['k'] },
  sshpass: { valued: 'p f d P' },
  screen: { valued: 'S c h T e p X', shell: true, unless: ['ls', 'l', 'r', 'x', 'list'] },
  openvt: { valued: 'c' },
  'ld.so': { valued: 'preload library-path' },
  'xvfb-run': { valued: 's n' },
  unbuffer: {},
  chpst: { valued: 'u U b e m d o p f c' },
  firejail: {},
  bwrap: { valued: 'bind ro-bind dev proc tmpfs setenv chdir unsetenv' },
  'aa-exec': { valued: 'p n' },
  genie: { valued: 'c', code: ['c'], shell: true },
  entr: {},
  watchexec: { valued: 'w e f i d s', joined: true },
  hyperfine: { joined: true },
  daemon: {},
  daemonize: {},
  noglob: { inShell: true },
  caffeinate: { valued: 't w' },
  arch: {},
  doit: {},
}

export interface Peeled {
  /** The command inside, word by word. */
  readonly words: readonly Value[]
  /** Command lines for a shell. */
  readonly code: readonly Value[]
  readonly settings: readonly (readonly [string, Value])[]
  readonly opensShell: boolean
}

/** Takes the wrapping off; null when nothing is run. */
export function peel(wrapper: Wrapper, args: readonly Value[], input: Value | undefined): Peeled | null {
  const options = readOptions(args, wrapper.valued, true)
  if (wrapper.unless && has(options, ...wrapper.unless)) return null
  const code = wrapper.code ? valuesOf(options, ...wrapper.code) : []
  const settings: (readonly [string, Value])[] = []
  let rest = options.operands
  if (wrapper.assigns) {
    let at = 0
    for (; at < rest.length; at++) {
      // `env` takes any name, also such as no script could set: `BASH_FUNC_ls%%`.
      const found = /^([^=]+)=/.exec(startOf(rest[at]))
      if (!found?.[1]) break
      settings.push([found[1], after(rest[at] ?? unknown, found[0].length)])
    }
    rest = rest.slice(at)
  }
  const before = wrapper.before ?? 0
  // `su -c 'cmd' user`: what stands before the command may also stand behind its switches.
  const leading = rest.slice(0, before)
  const late =
    wrapper.code && code.length === 0 ? valuesOf(readOptions(rest.slice(1), wrapper.valued), ...wrapper.code) : []
  rest = rest.slice(before)
  if (startOf(rest[0]) === '--') rest = rest.slice(1)
  if (late.length > 0) return { words: [], code: late, settings, opensShell: false }
  if (code.length > 0) return { words: [], code, settings, opensShell: false }
  if (rest.length === 0) {
    const shell = wrapper.shell === true || (wrapper.assigns === true && has(options, 'i', 's', 'login', 'shell'))
    return { words: [], code: [], settings, opensShell: shell && !(wrapper.before === 9 && leading.length > 1) }
  }
  // `parallel rm ::: a b` has its words with it.
  const words =
    wrapper.feeds && !rest.some(word => startOf(word).startsWith(':::'))
      ? fed(rest, options, input, wrapper.joined === true)
      : rest
  if (wrapper.joined) return { words: [], code: [spaced(words)], settings, opensShell: false }
  return { words, code: [], settings, opensShell: false }
}

/** `find … | xargs rm` removes what `find` prints: the words of standard input come last, or in place of `{}`. */
function fed(
  words: readonly Value[],
  options: ReturnType<typeof readOptions>,
  input: Value | undefined,
  marks: boolean,
): Value[] {
  const [names] = valuesOf(options, 'a', 'arg-file')
  const content: Value = names === undefined ? (input ?? unknown) : contentOf(names)
  const known = content.kind === 'text' ? content.text.trim().split(/\s+/).slice(0, 16) : null
  const items: Value[] = known ? listOf(known, item => text(item, content.origins)) : [content]
  const [place] = valuesOf(options, 'I', 'i', 'replace')
  // `parallel gzip {}` marks the place without a switch.
  const marked = has(options, 'i') || (marks && words.some(word => startOf(word).includes('{}')))
  const mark = place === undefined ? (marked ? '{}' : null) : startOf(place)
  if (mark === null) return [...words, ...items]
  return words.flatMap(word => {
    const start = startOf(word)
    // In place of the mark stands the whole line.
    if (start === mark) return [content.kind === 'text' ? { ...content, text: content.text.trim() } : content]
    const at = mark === '' ? -1 : start.indexOf(mark)
    return at === -1
      ? [word]
      : [
          join([
            start.slice(0, at),
            known?.length === 1 ? (items[0] ?? content) : content,
            start.slice(at + mark.length),
          ]),
        ]
  })
}

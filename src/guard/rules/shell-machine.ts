import type { Call } from '../model.ts'
import { remembered } from '../names.ts'
import type { Rule } from '../rule.ts'
import { sketch, startOf } from '../values.ts'
import { line, shell, words } from './shell-ask.ts'

/** What uses a machine up. */
const isMiner = remembered(name =>
  /(^|\/)(xmrig|minerd|cpuminer|ethminer|cgminer|bfgminer|xmr-stak|nbminer|t-rex|phoenixminer|lolminer|cryptonight)$/i.test(
    name,
  ),
)

/** Asked of each word of a program, nearly none of which has this in it. */
const namesPool = (call: Call): boolean => {
  for (const arg of call.args) {
    const word = sketch(arg)
    if (word?.includes('stratum+') && /stratum\+(tcp|ssl):/.test(word)) return true
  }
  return false
}

export const shellMachineRules: readonly Rule[] = [
  {
    id: 'shell/fork-bomb',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'critical',
    cwe: 'CWE-400',
    description: 'Starts itself again and again until the machine stops.',
    recommendation: 'Remove it.',
    implies: ['resources'],
    match: { on: 'mark', kinds: ['fork-bomb'] },
    examples: {
      bad: [':(){ :|:& };:', 'bomb() { bomb | bomb & }; bomb'],
      good: ['f() { g | h & }; f', 'f() { [ "$1" -gt 0 ] && f $(($1-1)); }'],
    },
  },
  {
    id: 'shell/one-liner-bomb',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'critical',
    cwe: 'CWE-400',
    description: 'A one-liner starts itself again and again until the machine stops.',
    recommendation: 'Remove it.',
    implies: ['resources'],
    match: {
      on: 'call',
      names: ['perl', 'ruby', 'php', 'lua', 'python'],
      when: call =>
        /fork\s+while\s+fork|(while|loop|until)\s*[({]?\s*(1|true|True|0)?\s*[)}:]*\s*\{?\s*(os\.|pcntl_)?fork/.test(
          line(call),
        ),
    },
    examples: { bad: ["perl -e 'fork while fork'", "ruby -e 'loop { fork }'"], good: ["perl -e 'print 1'"] },
  },
  {
    id: 'shell/endless-input',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-400',
    description: 'Feeds a source that never ends to a program that waits for its end.',
    recommendation: 'Take as much as is needed with `head -c`.',
    implies: ['resources'],
    match: {
      on: 'pipeline',
      when: ({ calls }) => {
        const [first, second] = calls
        return (
          first !== undefined &&
          second !== undefined &&
          ((first.name === 'cat' && /^\/dev\/(zero|u?random)$/.test(line(first))) || first.name === 'yes') &&
          /^(tail|sort|tac|wc|cat|rev|grep|sed|awk|xargs|gzip|base64|tee)$/.test(second.name) &&
          !calls.some(call => call.name === 'head')
        )
      },
    },
    examples: {
      bad: ['cat /dev/zero | tail', 'yes | sort'],
      good: ['cat /dev/urandom | tr -dc a-z | head -c 8', 'yes | head -1', 'yes | ./configure'],
    },
  },
  {
    id: 'shell/endless-loop',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-835',
    description: 'A loop that never ends, never waits and never asks.',
    recommendation: 'Give the loop an end.',
    implies: ['resources'],
    match: {
      on: 'mark',
      kinds: ['endless-loop'],
      when: mark =>
        mark.detail === 'background' ? { severity: 'critical', message: 'Starts processes without end.' } : true,
    },
    examples: {
      bad: ['while true; do echo x; done', 'while :; do sleep 1000 & done | cat; while :; do ls & done'],
      good: [
        'while true; do read -r x || break; done',
        'while :; do check && break; sleep 1; done',
        'while read -r x; do echo "$x"; done',
      ],
    },
  },
  {
    id: 'shell/starts-itself',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'critical',
    cwe: 'CWE-400',
    description: 'The script starts itself in the background.',
    recommendation: 'Remove it.',
    implies: ['resources'],
    match: {
      on: 'calls',
      about: name => /^(\.\/script\.sh|sh|bash|source|\.)$/.test(name),
      find: calls =>
        calls
          .filter(
            call =>
              call.background === true && (call.name === './script.sh' || startOf(call.args[0]) === './script.sh'),
          )
          .map(call => ({ at: call })),
    },
    examples: { bad: ['$0 & $0 &', 'bash "$0" &'], good: ['exec "$0" --again', 'worker &'] },
  },
  {
    id: 'shell/fills-disk',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'high',
    cwe: 'CWE-400',
    description: 'Fills the disk, the memory or the processor without need.',
    recommendation: 'Name a size that the work needs.',
    implies: ['resources', 'write'],
    match: {
      on: 'call',
      names: words('dd fallocate cat yes head stress stress-ng tail cp truncate tr'),
      when: (call, { program }) => {
        const all = line(call)
        const toFile = program.redirections.some(
          ({ call: of, operator, target }) => of === call && operator.includes('>') && startOf(target) !== '/dev/null',
        )
        switch (call.name) {
          case 'dd':
            return (
              /if=\/dev\/(zero|u?random)/.test(all) &&
              /of=(?!\/dev\/null)/.test(all) &&
              (!/count=/.test(all) || /bs=\d+G/i.test(all) || /bs=\d*M.*count=\d{4,}|count=\d{4,}.*bs=\d*M/i.test(all))
            )
          case 'fallocate':
          case 'truncate':
            return (
              /(-l|-s|--length|--size)[ =]?(\d{3,}G|\d+T)/i.test(all) ||
              (call.name === 'fallocate' && /\d{2,}G/.test(all))
            )
          case 'cat':
          case 'cp':
            return /\/dev\/(zero|u?random)/.test(all) && (toFile || call.name === 'cp')
          case 'tail':
            return /\/dev\/(zero|u?random)/.test(all)
          case 'head':
            return /-c ?\d{2,}G.*\/dev\/zero|\/dev\/zero/.test(all) && /\d+G/.test(all)
          case 'yes':
            return toFile || call.background === true || program.redirections.some(({ call: of }) => of === call)
          case 'tr':
            return program.redirections.some(
              ({ call: of, target }) => of === call && /^\/dev\/zero/.test(startOf(target)),
            )
          default:
            return true
        }
      },
    },
    examples: {
      bad: ['dd if=/dev/zero of=fill bs=1G', 'yes > big.txt', 'cat /dev/zero > x', 'fallocate -l 500G x'],
      good: ['yes | head -3', 'dd if=/dev/urandom of=key bs=32 count=1', 'head -c 16 /dev/urandom'],
    },
  },
  {
    id: 'shell/limits-off',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-770',
    description: 'Raises or removes the limits of the script.',
    recommendation: 'Leave the limits as they are.',
    implies: ['resources'],
    match: { on: 'call', names: ['ulimit', 'prlimit'], when: call => /unlimited|-u \d{5,}|-n \d{6,}/.test(line(call)) },
    examples: { bad: ['ulimit -u unlimited'], good: ['ulimit -n', 'ulimit -c 0'] },
  },
  {
    id: 'shell/miner',
    languages: shell,
    type: 'resource-exhaustion',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'Mines a currency with this machine.',
    recommendation: 'Remove it.',
    implies: ['resources', 'connect'],
    match: {
      on: 'program',
      find: ({ program }) =>
        program.calls.filter(call => isMiner(call.name) || namesPool(call)).map(call => ({ at: call })),
    },
    examples: { bad: ['./xmrig -o pool:3333', 'xmrig'], good: ['miner_report.sh'] },
  },
]

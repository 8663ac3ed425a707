import type { Effect } from '../effect.ts'
import type { Program } from '../model.ts'
import { isTable } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { everywhere } from './ask.ts'
import { known, place } from './where.ts'

/** Programs, libraries and what they are built from: a script finds its tools there. */
const tools = /^\/(usr\/(local\/)?)?(s?bin|lib\w*|include|src|games)\/[^*?]+$|^\/opt\/[^*?]+$|^\/Applications\/[^*?]+$/
/** How the machine and its services are set up; that is no tool. */
const settings = /\.(conf|cfg|cnf|ini|ya?ml|json|toml|env|properties|service|timer|socket|log)$|-release$/
/** What every program looks at to write, to trust and to know itself. */
const openToAll =
  /^\/(etc\/(fonts|ssl\/certs|ca-certificates\/[^*?]+)|usr\/share\/(fonts|ca-certificates\/[^*?]+|dict|zoneinfo)|(System\/)?Library\/Fonts|proc\/self\/(status|stat|fd|exe)|var\/cache)(\/|$)/
const releases = /^\/(etc|usr\/lib)\/(\w+-release|debian_version)$/

const looksThrough = /(listdir|scandir|walk|glob|iterdir|readdir|opendir|watch|schedule)(Sync|File)?$/
const watches = /(watch|schedule)(Sync|File)?$/

/** Where somebody may look who only looks for a tool, a font or a table. */
function isOpen(effect: Effect): boolean {
  const path = known(effect)
  const name = effect.call?.name ?? ''
  if (watches.test(name)) return false
  if (openToAll.test(path)) return true
  if (/\/(site|dist)-packages\b/.test(path)) return true
  if (tools.test(path)) return !looksThrough.test(name) && !settings.test(path)
  return /^\/usr\/share\//.test(path) && isTable(path)
}

const picks = /^([efz]?grep|rg|awk|gawk|mawk|sed|cut)$/

/** One line out of what every program may know, and whether a word is in a file at all. */
function asksLittle(effect: Effect, program: Program): boolean {
  const { call } = effect
  if (call === null) return false
  const path = known(effect)
  if (/^[ef]?grep$/.test(call.name) && call.args.some(arg => /^-\w*q|^--quiet$/.test(textOf(arg) ?? ''))) return true
  if (/^\/var\/log\/(?!.*(auth|secure|wtmp|btmp|lastlog|faillog|audit|sudo))/.test(path)) return picks.test(call.name)
  if (!releases.test(path) && !/^\/proc\/(cpuinfo|meminfo|loadavg|uptime|stat|version|net\/dev)$/.test(path))
    return false
  return (
    picks.test(call.name) ||
    program.pipelines.some(({ calls }) => calls[0] === call && picks.test(calls[1]?.name ?? ''))
  )
}

/** Rules about the files of the machine itself. */
export const systemFileRules: readonly Rule[] = [
  {
    id: 'files/startup-change',
    languages: everywhere,
    type: 'persistence',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Writes to a file that is run at every login, boot or schedule, and so outlives the program.',
    recommendation: 'Ask the administrator to schedule it instead.',
    implies: ['write', 'persistence'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: effect =>
        place(effect) === 'startup' &&
        (/authorized_keys|sudoers|cron|ld\.so|pam|rc\.local|systemd|init/.test(known(effect))
          ? { severity: 'critical' }
          : true),
    },
    examples: {
      bad: [
        "import os\nopen(os.path.expanduser('~/.bashrc'), 'a').write('alias ls=rm')",
        "open('/etc/cron.d/job', 'w').write('* * * * * root sh')",
        "import os\nf = os.open(os.path.expanduser('~/.bashrc'), os.O_WRONLY | os.O_APPEND)\nos.write(f, b'x')",
      ],
      good: ["open('profile.txt', 'w').write('x')"],
    },
  },
  {
    id: 'files/startup-read',
    languages: everywhere,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Reads files that say how this machine lets people in and what it runs by itself.',
    recommendation: 'Check why a calculation would need this.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read'],
      when: effect =>
        place(effect) === 'startup' && /^\/(etc|root|(usr\/)?lib)\/|authorized_keys|^\/var\/spool/.test(known(effect)),
    },
    examples: {
      bad: ["open('/etc/sudoers').read()", { language: 'bash', code: 'cat /lib/systemd/system/ssh.service' }],
      good: ["open('schedule.txt').read()"],
    },
  },
  {
    id: 'files/identity-read',
    languages: everywhere,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Reads the list of accounts or the name resolution of this machine.',
    recommendation: 'Take out the access; a calculation does not need accounts.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read'],
      when: (effect, { program }) =>
        place(effect) === 'identity' &&
        !asksLittle(effect, program) &&
        (/passwd|group/.test(known(effect)) ? { severity: 'high' } : true),
    },
    examples: {
      bad: [
        "open('/etc/passwd')",
        "print(open('/etc/hostname').read())",
        "import os\nopen(os.path.join('/usr', '../etc/passwd'))",
        { language: 'javascript', code: "require('fs').readFileSync('/etc/hosts', 'utf8')" },
      ],
      good: ["open('passwd.csv')", '"""Explains /etc/passwd"""'],
    },
  },
  {
    id: 'files/identity-change',
    languages: everywhere,
    type: 'system-access',
    severity: 'critical',
    cwe: 'CWE-732',
    description: 'Changes accounts, name resolution or mounts of this machine.',
    recommendation: 'Leave system administration to administrators.',
    implies: ['write', 'privilege'],
    match: { on: 'effect', kinds: ['write'], when: effect => place(effect) === 'identity' },
    examples: {
      bad: ["open('/etc/hosts', 'a').write('127.0.0.1 example.org')"],
      good: ["open('hosts.txt', 'a').write('x')"],
    },
  },
  {
    id: 'files/system-read',
    languages: everywhere,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Reads system files or folders outside the working folder.',
    recommendation: 'Copy the data that is needed into the working folder.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read'],
      when: (effect, { program }) => {
        const where = place(effect)
        // A folder that all programs of the machine share is watched by those who want to know what the others do.
        if (where === 'temporary') return watches.test(effect.call?.name ?? '') && /^\/(var\/)?tmp$/.test(known(effect))
        if (where !== 'system' && where !== 'device' && where !== 'root') return false
        if (where !== 'root' && isOpen(effect)) return false
        return asksLittle(effect, program) ? { severity: 'low' } : true
      },
    },
    examples: {
      bad: [
        "import os\nos.listdir('/root')",
        "open('/var/log/auth.log').read()",
        "import os\nfor r, d, f in os.walk('/'):\n    print(f)",
        "import glob\nprint(glob.glob('/usr/*'))",
        "print(open('/proc/meminfo').read())",
        "import os\nfor name in os.listdir('/usr/local/bin'):\n    print(name)",
        "from watchdog.observers import Observer\nObserver().schedule(handler, '/etc', recursive=True)",
        { language: 'bash', code: 'for f in /etc/*; do echo "$f"; done' },
        "print(open('/etc/mime.types').read())",
        "import os\nos.chdir('/etc')\nprint(open('fstab').read())",
        "import subprocess\nsubprocess.run(['ls'], cwd='/var/log')",
        "from pathlib import Path\nfor folder, _, names in Path('/etc').walk():\n    print(names)",
        "import dask.dataframe as dd\nprint(dd.read_csv('/etc/login.defs'))",
        { language: 'javascript', code: "const fd = require('fs').openSync('/etc/login.defs', 'r')" },
        { language: 'javascript', code: "console.log(require('glob').sync('/etc/*'))" },
        "import tarfile\nwith tarfile.open('b.tgz', 'w:gz') as archive:\n    archive.add('/var/backups')",
        "import shutil\nshutil.make_archive('all', 'zip', '/home')",
        "from watchdog.observers import Observer\nObserver().schedule(handler, '/tmp')",
        "print(open('/opt/ledger/config.yaml').read())",
        { language: 'bash', code: 'ls /var/log' },
        { language: 'bash', code: 'cat /proc/cpuinfo' },
        { language: 'bash', code: 'cat /etc/os-release' },
        { language: 'bash', code: 'ls -la /usr/share' },
        { language: 'bash', code: 'find /etc -type f' },
        { language: 'bash', code: 'find /etc -name "*.conf" -exec head -3 {} +' },
        { language: 'bash', code: 'cd /etc && ls' },
        { language: 'bash', code: 'du -sh /home/*' },
        { language: 'bash', code: 'echo /etc/*' },
        { language: 'bash', code: 'od -c /etc/login.defs' },
        { language: 'bash', code: 'while read -r line; do echo "$line"; done < /etc/services' },
      ],
      good: [
        { language: 'bash', code: 'grep -c ^processor /proc/cpuinfo' },
        { language: 'bash', code: 'grep -q debian /etc/os-release && echo yes' },
        { language: 'bash', code: '. /etc/os-release; echo "$ID"' },
        { language: 'bash', code: '[ -f /etc/debian_version ] && echo debian' },
        { language: 'bash', code: "awk '/MemTotal/ {print $2}' /proc/meminfo" },
        { language: 'bash', code: 'cat /proc/cpuinfo | grep processor | wc -l' },
        { language: 'bash', code: 'find / -name photo.jpg 2>/dev/null' },
        { language: 'bash', code: 'find / -size +100M -exec ls -lh {} \\;' },
        { language: 'bash', code: 'find /path/to/data -name "*.csv"' },
        { language: 'bash', code: 'file /usr/bin/python3; ls /tmp' },
        { language: 'bash', code: 'head -c 16 /dev/urandom | xxd -p' },
        "open('/proc/self/status').read()",
        "words = open('/usr/share/dict/words').read().split()",
        "import os\nprint(os.listdir('/opt/ml/input/data'))",
        "import glob\nfonts = glob.glob('/usr/share/fonts/**/*.ttf', recursive=True)",
        "import os\nos.listdir('.')",
        "import os\nos.chdir('/home/me/project')",
        { language: 'bash', code: 'ln -s /usr/local/bin/tool bin/tool' },
        { language: 'bash', code: 'for f in data/*.csv; do wc -l "$f"; done' },
        { language: 'bash', code: 'ls -l /usr/bin/python3' },
      ],
    },
  },
  {
    id: 'files/system-change',
    languages: everywhere,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-732',
    description: 'Writes to the system, outside the working folder.',
    recommendation: 'Write results into the working folder.',
    implies: ['write'],
    match: { on: 'effect', kinds: ['write'], when: effect => place(effect) === 'system' || place(effect) === 'root' },
    examples: {
      bad: ["open('/usr/local/bin/tool', 'w').write(x)", "open('/usr/share/zoneinfo/UTC', 'wb').write(x)"],
      good: ["open('/tmp/tool.txt', 'w').write(x)"],
    },
  },
  {
    id: 'files/device-change',
    languages: everywhere,
    type: 'destructive-command',
    severity: 'critical',
    cwe: 'CWE-782',
    description: 'Writes to a disk, to kernel memory or to a kernel switch.',
    recommendation: 'Never from a notebook.',
    implies: ['write'],
    match: {
      on: 'effect',
      kinds: ['write', 'delete'],
      when: effect => place(effect) === 'device' && !/^\/dev\/(tcp|udp)/.test(known(effect)),
    },
    examples: { bad: ["open('/dev/sda', 'wb').write(b'0' * 512)"], good: ["open('/dev/null', 'w').write('x')"] },
  },
]

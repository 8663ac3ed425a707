import type { Effect } from '../effect.ts'
import { isDataFile, isTable, normalise, type Place, placeOf } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { sketch, startOf, textOf } from '../values.ts'
import { everywhere, isForeign, isRequested, says } from './ask.ts'

/** Where an effect goes; for a path of which only the start is known, as far as that start tells. */
function place(effect: Effect): Place | null {
  const start = startOf(effect.target)
  return start === '' ? null : placeOf(start)
}
const known = (effect: Effect): string => normalise(startOf(effect.target))

/** System files that every tool looks at and that tell nothing. */
const openToAll =
  /^\/(etc\/(os-release|lsb-release|debian_version|redhat-release|alpine-release|localtime|mime\.types|services|shells|hostname|fonts|ssl\/certs|ca-certificates|alternatives)|proc\/(cpuinfo|meminfo|loadavg|uptime|version|stat|filesystems|mounts|self\/(status|stat|fd)|net\/dev)|sys\/class|usr\/(s?bin|lib\w*|include|src|games|local|share(?!\/base-passwd))|opt|bin|sbin|lib|lib64|var\/(tmp|cache|lib\/dpkg)|Applications|System\/Library\/Fonts|Library\/Fonts)(\/|$|[-.])/

/** What a calculation has no use for: which machine this is, and what is installed on it. */
const isAboutMachine = (effect: Effect): boolean =>
  /^\/(proc\/(?!self\/)|etc\/(\w+-release|debian_version|hostname|services|shells|alternatives)(\/|$)|var\/lib\/dpkg)/.test(
    known(effect),
  ) ||
  (/(listdir|scandir|walk|glob|iterdir|readdir|opendir|watch|schedule)(Sync|File)?$/.test(effect.call?.name ?? '') &&
    !/\/(fonts|certs|ca-certificates|dict|zoneinfo|(site|dist)-packages)\b/i.test(known(effect)))

/** A line out of what the kernel says of itself, one of its switches, or whether a word is in a file at all. */
function asksLittle(effect: Effect): boolean {
  const { call } = effect
  if (call === null) return false
  const path = known(effect)
  if (/^(grep|egrep|fgrep|awk|gawk|mawk|sed|cut)$/.test(call.name) && /^\/(proc|sys)\//.test(path)) return true
  if (
    /^(grep|egrep|awk|gawk|sed|cut|zgrep)$/.test(call.name) &&
    /^\/var\/log\/(?!.*(auth|secure|wtmp|btmp|lastlog|faillog|audit|sudo))/.test(path)
  )
    return true
  if (
    call.name === 'cat' &&
    call.substitution === true &&
    /^\/(proc\/sys|sys\/(class|devices|block|bus|fs))\//.test(path)
  )
    return true
  return /^[ef]?grep$/.test(call.name) && call.args.some(arg => /^-\w*q|^--quiet$/.test(textOf(arg) ?? ''))
}

/** What browsers and messengers keep: passwords, cookies, sessions. */
const browserStore =
  /[\\/](Local Storage[\\/]leveldb|Login Data|Local State|Cookies|Web Data|logins\.json|key4\.db|cookies\.sqlite|tdata|wallet\.dat)([\\/]|$)/i

/** One file of the workspace that the program wrote before it removes it: whatever was there is gone already. */
function isOwn(effect: Effect, effects: readonly Effect[]): boolean {
  const path = textOf(effect.target)
  return (
    path !== null &&
    !effect.many &&
    /^(workspace|temporary)$/.test(placeOf(path)) &&
    effects.some(
      other =>
        other.kind === 'write' &&
        other.harmless !== true &&
        other.start < effect.start &&
        textOf(other.target) === path &&
        // A new name for a file is no new file.
        !/rename|replace|move|mv|link|chmod|chown/.test(other.call?.name ?? ''),
    )
  )
}

/** `/usr/../etc/issue`: names one folder of the root and goes to another, so that a check of its start is fooled. */
function changesRoot(effect: Effect): boolean {
  const whole = textOf(effect.target)
  if (whole === null || !/^\/[^/]+\/.*\.\.\//.test(whole)) return false
  const [, before] = whole.split('/')
  const [, after] = normalise(whole).split('/')
  return before !== after && before !== '..'
}

export const fileRules: readonly Rule[] = [
  {
    id: 'files/secret-read',
    languages: everywhere,
    type: 'secret',
    severity: 'high',
    cwe: 'CWE-522',
    description:
      'Reads a place where credentials are kept: keys, tokens, password stores, browser profiles or shell histories.',
    recommendation: 'Let the person hand over the one secret that is needed, through the key store.',
    implies: ['read', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['read'],
      // The public half of a key is there to be shown.
      when: effect =>
        (place(effect) === 'secret' && !/\.ssh\/[\w.-]+\.pub$/.test(known(effect))) ||
        // Of the path only the end is known, and that end says enough.
        (place(effect) === null && browserStore.test(sketch(effect.target) ?? '')),
    },
    examples: {
      bad: [
        "import os\nprint(open(os.path.expanduser('~/.ssh/id_rsa')).read())",
        "from pathlib import Path\n(Path.home() / '.aws' / 'credentials').read_text()",
        "import os\ndef all(profile):\n    return os.listdir(profile + '/Local Storage/leveldb')",
        { language: 'javascript', code: "require('fs').readFileSync(require('os').homedir() + '/.npmrc')" },
      ],
      good: ["open('data.csv').read()", "import pandas as pd\npd.read_csv('key_figures.csv')"],
    },
  },
  {
    id: 'files/telling-name',
    languages: everywhere,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Reads or copies a file whose name says that it is confidential.',
    recommendation: 'Check that this program is meant to see the file.',
    implies: ['read', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['read', 'write'],
      when: effect =>
        place(effect) !== 'secret' &&
        /(secret|sensitive|confidential|passw(or)?d|credential|private[-_.]?key|api[-_]?key)/i.test(known(effect)) &&
        !/\.(py|js|ts|html|md)$/.test(known(effect)),
    },
    examples: { bad: ["open('/mnt/sensitive_records.txt').read()"], good: ["open('records.txt').read()"] },
  },
  {
    id: 'files/secret-change',
    languages: everywhere,
    type: 'unsafe-file',
    severity: 'high',
    cwe: 'CWE-732',
    description: 'Writes to a place where credentials are kept.',
    recommendation: 'Leave credential files to the tools that own them.',
    implies: ['write', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: effect => place(effect) === 'secret' && !/(^|\/)\.env(\.|$)/.test(known(effect)),
    },
    examples: { bad: ["open('/etc/shadow', 'a').write(line)"], good: ["open('report.txt', 'w').write(line)"] },
  },
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
        place(effect) === 'startup' && /^\/(etc|root)\/|authorized_keys|^\/var\/spool/.test(known(effect)),
    },
    examples: { bad: ["open('/etc/sudoers').read()"], good: ["open('schedule.txt').read()"] },
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
        !(program.language === 'bash' && openToAll.test(known(effect))) &&
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
    description: 'Reads system files or folders outside the workspace.',
    recommendation: 'Copy the data that is needed into the workspace.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read'],
      when: (effect, { program }) => {
        const where = place(effect)
        if (where !== 'system' && where !== 'device' && where !== 'root') return false
        // A whole folder of the system is looked through by those who want to know what is there.
        if (where !== 'root' && openToAll.test(known(effect)))
          // A script of the shell asks about its machine all the time; a calculation does not.
          return program.language !== 'bash' && isAboutMachine(effect)
        return asksLittle(effect) ? { severity: 'low' } : true
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
        { language: 'bash', code: 'ls /var/log' },
      ],
      good: [
        { language: 'bash', code: 'cat /proc/cpuinfo' },
        "open('/proc/self/status').read()",
        "words = open('/usr/share/dict/words').read().split()",
        "import glob\nfonts = glob.glob('/usr/share/fonts/**/*.ttf', recursive=True)",
        "import os\nos.listdir('.')",
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
    description: 'Writes to the system, outside the workspace.',
    recommendation: 'Write results into the workspace.',
    implies: ['write'],
    match: { on: 'effect', kinds: ['write'], when: effect => place(effect) === 'system' || place(effect) === 'root' },
    examples: { bad: ["open('/usr/local/bin/tool', 'w').write(x)"], good: ["open('/tmp/tool.txt', 'w').write(x)"] },
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
  {
    id: 'files/home-access',
    languages: everywhere,
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-552',
    description:
      'Reaches into the home folder or another place outside the workspace, for something that is no data file.',
    recommendation: 'Drop the file into the notebook, so that it lies in the workspace.',
    implies: ['read', 'write'],
    match: {
      on: 'effect',
      kinds: ['read', 'write'],
      when: effect => {
        const where = place(effect)
        if (where !== 'home' && where !== 'outside') return false
        const path = known(effect)
        if (path.startsWith('..') ? isDataFile(path) : isTable(path)) return false
        // A disk or a share that somebody put there for data.
        if (/^\/(mnt|media|Volumes)\/./.test(path)) return false
        // Only a start is known, or only a folder above: `../data/` + name is how people keep their data.
        const relative = path.startsWith('..')
        if (relative) return effect.kind === 'write' && textOf(effect.target) !== null && /\.\w+$/.test(path)
        return true
      },
    },
    examples: {
      bad: ["import os\nos.listdir(os.path.expanduser('~/Documents'))", "open('/home/bob/notes').read()"],
      good: ["import pandas as pd\npd.read_csv('~/data.csv')", "open('../data/input.csv')"],
    },
  },
  {
    id: 'files/deletion',
    languages: everywhere,
    type: 'deletion',
    severity: 'medium',
    cwe: 'CWE-73',
    description: 'Deletes files.',
    recommendation: 'Keep what is not needed, or delete it by hand after looking.',
    implies: ['delete'],
    match: {
      on: 'effect',
      kinds: ['delete'],
      when: (effect, { program, effects }) => {
        if (effect.harmless) return { severity: 'low', message: 'Removes temporary or generated files.' }
        if (isOwn(effect, effects)) return { severity: 'low', message: 'Removes a file that it wrote itself.' }
        // `rm -f "$out"` is how scripts begin and end; a folder or many files would be another matter.
        if (program.language === 'bash' && !effect.many && startOf(effect.target) === '')
          return { severity: 'low', message: 'Removes one file whose name is known only when it runs.' }
        switch (place(effect)) {
          case 'root':
          case 'system':
          case 'startup':
          case 'identity':
          case 'secret':
            return { severity: 'critical', message: 'Deletes files of the system or of the person.' }
          case 'home':
          case 'outside':
            return { severity: 'high', message: 'Deletes files outside the workspace.' }
          default:
            return effect.many ? { severity: 'high', message: 'Deletes many files.' } : true
        }
      },
    },
    examples: {
      bad: [
        "import os\nos.remove('out.csv')",
        "import os\nos.remove('out.csv')\nopen('out.csv', 'w')",
        "import shutil\nshutil.rmtree('/home')",
        "import os, shutil\nos.makedirs('out', exist_ok=True)\nshutil.rmtree('out')",
        { language: 'javascript', code: "import fs from 'node:fs'\nfs.rmSync('dir', { recursive: true })" },
      ],
      good: [
        'items = [1, 2]\nitems.remove(1)',
        "import pandas as pd\ndf = pd.DataFrame()\ndf.drop(columns=['a'])",
        "import os\nimport pandas as pd\npd.DataFrame().to_csv('a.csv')\nos.remove('a.csv')",
      ],
    },
  },
  {
    id: 'files/hidden-temporary',
    languages: everywhere,
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-552',
    description: 'Puts a hidden file into a folder that everybody shares, where it is not looked for.',
    recommendation: 'Use a file of the workspace with a plain name.',
    implies: ['write'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: effect => /^\/(tmp|var\/tmp|dev\/shm)\/(.*\/)?\.(?!X11-unix|ICE-unix|lock|cache)[\w-]/.test(known(effect)),
    },
    examples: {
      bad: ["open('/tmp/.x', 'w').write('a')", { language: 'bash', code: 'cp tool /dev/shm/.tool' }],
      good: ["open('/tmp/x', 'w').write('a')"],
    },
  },
  {
    id: 'files/requested-path',
    languages: everywhere,
    type: 'path-traversal',
    severity: 'high',
    cwe: 'CWE-22',
    description: 'A path comes from a request, so that whoever sends it chooses the file.',
    recommendation: 'Reduce it to a file name and check that the resolved path stays in its folder.',
    implies: ['read'],
    match: { on: 'effect', kinds: ['read', 'write', 'delete'], when: effect => isRequested(effect.target) },
    examples: {
      bad: [
        "from flask import request\nopen('files/' + request.args['name'])",
        { language: 'javascript', code: "app.get('/f', (req, res) => fs.readFile('./' + req.query.name, done))" },
      ],
      good: [
        "from flask import request\nopen('files/fixed.txt')",
        "import os\nfrom flask import request\nopen(os.path.basename(request.args['name']))",
      ],
    },
  },
  {
    id: 'files/check-then-use',
    languages: ['python'],
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-367',
    description: 'Asks whether it may use a file and opens it afterwards; in between the file can be exchanged.',
    recommendation: 'Open the file and handle the failure.',
    implies: ['read'],
    match: {
      on: 'call',
      names: ['os.access'],
      when: (call, { effects }) => {
        const path = textOf(call.args[0])
        const name = call.args[0]?.kind === 'thing' ? call.args[0].name : null
        return effects.some(
          ({ call: used, target, start }) =>
            used?.name === 'open' &&
            start > call.start &&
            ((path !== null && textOf(target) === path) ||
              (name !== null && target.kind === 'thing' && target.name === name)),
        )
      },
    },
    examples: {
      bad: ["import os\nif os.access('a.txt', os.W_OK):\n    open('a.txt', 'w').write('b')"],
      good: ["import os\nprint(os.access('a.txt', os.R_OK))"],
    },
  },
  {
    id: 'files/given-path',
    languages: ['python'],
    type: 'path-traversal',
    severity: 'low',
    cwe: 'CWE-22',
    description: 'A path comes from outside the program.',
    recommendation: 'Check that it stays in the folder that it is meant for.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read', 'write'],
      when: effect => !isRequested(effect.target) && isForeign(effect.target),
    },
    examples: { bad: ['import sys\nopen(sys.argv[1])'], good: ["open('a.txt')"] },
  },
  {
    id: 'files/traversal-text',
    languages: everywhere,
    type: 'path-traversal',
    severity: 'medium',
    cwe: 'CWE-22',
    description: 'A path climbs several folders up, out of the workspace.',
    recommendation: 'Use paths inside the workspace.',
    implies: ['read'],
    match: {
      on: 'effect',
      kinds: ['read', 'write', 'delete'],
      when: effect =>
        says(effect.target, /^(\.\.[\\/]){3,}|[\\/](\.\.[\\/]){2,}(etc|home|root|windows)/i) || changesRoot(effect),
    },
    examples: {
      bad: [
        "open('../../../../srv/x').read()",
        "import os\nopen(os.path.join('/usr', '../etc/issue')).read()",
        { language: 'bash', code: 'base=/srv/app\ncat "$base/../../etc/timezone"' },
      ],
      good: ["open('../data/x.csv').read()", '"""../../.. in a docstring"""'],
    },
  },
]

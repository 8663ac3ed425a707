import type { Effect } from '../effect.ts'
import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { everywhere } from './ask.ts'
import { known, place } from './where.ts'

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
]

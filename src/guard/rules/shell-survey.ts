import type { Call } from '../model.ts'
import type { Rule } from '../rule.ts'
import { startOf } from '../values.ts'
import { line, shell, words } from './shell-ask.ts'

const surveys =
  /^(whoami|id|uname|hostname|ifconfig|ip|netstat|ss|ps|who|w|users|last|lastlog|lastb|finger|lsof|arp|route|mount|df|lscpu|lsblk|lspci|lsusb|lsmod|dmidecode|getent|groups|env|printenv|uptime|sw_vers|system_profiler|dscl|dscacheutil|lslogins|loginctl|pwck|systeminfo|dsquery|ausearch|aureport|crontab|sudo)$/

/** Looking a machine over, as it is done before it is taken. */
export const shellSurveyRules: readonly Rule[] = [
  {
    id: 'shell/survey',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Surveys the machine: who uses it, what it runs, how it is connected.',
    recommendation: 'Take out what the calculation does not need.',
    implies: ['read'],
    match: {
      on: 'program',
      find: ({ program }) => {
        const asked = new Map<string, Call>()
        for (const call of program.calls)
          if (surveys.test(call.name) && !call.name.startsWith('~') && !asked.has(call.name)) asked.set(call.name, call)
        const strong = [...asked.values()].find(
          call =>
            /^(last|lastlog|lastb|w|users|finger|lsof|netstat|ss|arp|dscl|dscacheutil|lslogins|loginctl|pwck|systeminfo|dsquery|lsmod|ausearch|aureport)$/.test(
              call.name,
            ) &&
            (call.name !== 'w' || call.args.length === 0) &&
            // When the machine was started says nothing about people.
            !(call.name === 'last' && /^(reboot|shutdown|-x)\b/.test(line(call))),
        )
        const [first] = asked.values()
        const wired = [...asked.keys()].filter(name => /^(ifconfig|ip|netstat|ss|arp|route|lsof)$/.test(name))
        if ((asked.size >= 4 || wired.length >= 3) && first) return [{ at: first }]
        return strong && !/^(ss|netstat|lsof|arp)$/.test(strong.name) ? [{ at: strong }] : []
      },
    },
    examples: {
      bad: ['whoami\nid\nuname -a\nifconfig', 'lastlog', 'w', 'arp -a\nifconfig\nnetstat -ant'],
      good: ['uname -s', 'whoami', 'ip addr show', 'last reboot'],
    },
  },
  {
    id: 'shell/rights-search',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Searches the machine for programs and files whose rights can be abused.',
    recommendation: 'Not on this machine.',
    implies: ['privilege', 'read'],
    match: {
      on: 'call',
      names: ['find', 'getcap', 'sudo', 'capsh'],
      when: call => {
        const all = line(call)
        if (call.name === 'getcap') return /(^| )-r/.test(all)
        if (call.name === 'sudo') return /^-l/.test(all)
        if (call.name === 'capsh') return /--print/.test(all) ? { severity: 'medium' } : false
        return /-perm [-/]?(u=s|g=s|\+?[2467]000|-?[ug][+=]s|0?2$|-?o\+w|-?222|-?0?002)|-perm -?\/?(6000|4000|2000)|-writable|-nouser/.test(
          all,
        )
      },
    },
    examples: {
      bad: ['find / -perm -4000 -type f 2>/dev/null', 'getcap -r /', 'find / -perm -u=s'],
      good: ['find . -perm 644'],
    },
  },
  {
    id: 'shell/sweep',
    languages: shell,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Asks one address after the other who is there.',
    recommendation: 'Name the hosts that are needed.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words('ping ping6 nc ncat netcat curl host dig nslookup arping telnet'),
      when: call =>
        call.inLoop && call.args.some(arg => arg.kind === 'joined' && /^(\d{1,3}\.){1,3}$/.test(startOf(arg))),
    },
    examples: {
      bad: ['for i in $(seq 1 254); do ping -c1 192.168.1.$i; done'],
      good: ['for h in a b; do ping -c1 "$h"; done', 'ping -c1 192.168.1.1'],
    },
  },
  {
    id: 'shell/looks-for-guards',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Looks whether software that protects this machine is running.',
    recommendation: 'Take it out; a calculation does not need to know.',
    implies: ['read'],
    match: {
      on: 'call',
      names: words('grep egrep pgrep pidof awk systemctl'),
      when: call =>
        /falcon(d|-sensor|ctl)|crowdstrike|CbOsxSensor|carbonblack|cbagentd|littlesnitch|sentinelone|sentinelctl|cylance|osqueryd|mdatp|wdavdaemon|wazuh|ossec|auditbeat|elastic-endpoint|sysmon|clamd|esets|falco\b/i.test(
          line(call),
        ),
    },
    examples: { bad: ['ps aux | grep -i falcond', 'pgrep osqueryd'], good: ['ps aux | grep python'] },
  },
]

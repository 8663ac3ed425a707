import type { Call, Program, Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { startOf } from '../values.ts'
import { line, shell, words } from './shell-ask.ts'

const guards =
  /falcon(d|-sensor|ctl)|crowdstrike|CbOsxSensor|carbonblack|cbagentd|littlesnitch|sentinelone|sentinelctl|cylance|osqueryd|mdatp|wdavdaemon|wazuh|ossec|auditbeat|elastic-endpoint|sysmon|clamd|esets|falco\b/i
const surveys =
  /^(whoami|id|uname|hostname|ifconfig|ip|netstat|ss|ps|who|w|users|last|lastlog|lastb|finger|lsof|arp|route|mount|df|lscpu|lsblk|lspci|lsusb|lsmod|dmidecode|getent|groups|env|printenv|uptime|sw_vers|system_profiler|dscl|dscacheutil|lslogins|loginctl|pwck|systeminfo|dsquery|ausearch|aureport|crontab|sudo)$/

const showsMachine = new Set(words('dmidecode ioreg lspci lsmod kldstat system_profiler sysctl ps lscpu cat'))

/** Does nothing else than to ask who it is and where: the first thing that somebody types who has got in. */
const asksOnly = (program: Program, asked: ReadonlyMap<string, Call>): boolean =>
  asked.size >= 2 &&
  ['whoami', 'id', 'groups', 'who', 'users'].some(name => asked.has(name)) &&
  program.calls.every(
    call =>
      !call.substitution && (surveys.test(call.name) || /^(echo|printf|cat|head|sort|grep|uniq)$/.test(call.name)),
  )

/** What runs out of a folder of the system is a question about the machine, not about a calculation. */
const namesSystem = (value: Value): boolean =>
  /^\/(etc|root|boot|home|opt|srv|sys|proc|usr|var|s?bin|lib\w*)?(\/|$)/.test(startOf(value))

/** Looking a machine over, as it is done before it is taken. */
export const shellSurveyRules: readonly Rule[] = [
  {
    id: 'shell/survey',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Collects facts about the machine: who uses it, what it runs, how it is connected.',
    recommendation: 'Take out what the calculation does not need.',
    implies: ['read'],
    match: {
      on: 'calls',
      about: name => surveys.test(name),
      find: (calls, { program }) => {
        const asked = new Map<string, Call>()
        for (const call of calls) if (!asked.has(call.name)) asked.set(call.name, call)
        const strong = [...asked.values()].find(
          call =>
            /^(last|lastlog|lastb|w|users|finger|dscl|dscacheutil|lslogins|loginctl|pwck|systeminfo|dsquery|lsmod|ausearch|aureport|system_profiler)$/.test(
              call.name,
            ) &&
            (!/^(w|system_profiler)$/.test(call.name) || call.args.length === 0) &&
            // When the machine was started says nothing about people.
            !(call.name === 'last' && /^(reboot|shutdown|-x)\b/.test(line(call))),
        )
        const [first] = asked.values()
        const wired = [...asked.keys()].filter(name => /^(ifconfig|ip|netstat|ss|arp|route|lsof)$/.test(name))
        if ((asked.size >= 4 || wired.length >= 3 || asksOnly(program, asked)) && first) return [{ at: first }]
        const kept = program.redirections.find(
          ({ call, operator, target }) =>
            call?.name === 'ps' && operator.includes('>') && !/^(\/dev\/|&|\d$)/.test(startOf(target)),
        )
        const searched = program.pipelines.find(
          ({ calls: [first, ...rest] }) =>
            first?.name === 'ps' && rest.some(({ name, args }) => /grep$/.test(name) && args.some(namesSystem)),
        )
        const found = strong ?? kept?.call ?? searched?.calls[0]
        return found ? [{ at: found }] : []
      },
    },
    examples: {
      bad: [
        'whoami\nid\nuname -a\nifconfig',
        'lastlog',
        'w',
        'arp -a\nifconfig\nnetstat -ant',
        'hostname\nwhoami',
        'ps aux >> processes.txt',
        'ps -eo pid,cmd | grep "/etc" | grep -v grep',
      ],
      good: [
        'uname -s',
        'whoami',
        'ip addr show',
        'last reboot',
        'echo "$(whoami) on $(hostname)"',
        'hostname; uname -r',
        'ps aux 2>/dev/null | head',
        'ps aux | grep python',
      ],
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
      names: ['find', 'getcap', 'sudo', 'capsh', 'getfacl', 'lsattr'],
      when: call => {
        const all = line(call)
        if (call.name === 'getcap') return /(^| )-r/.test(all)
        if (/^(getfacl|lsattr)$/.test(call.name)) return /(^| )-\w*R\w* (\S+ )*\//.test(all) && { severity: 'medium' }
        if (call.name === 'sudo') return /^-l/.test(all)
        if (call.name === 'capsh') return /--print/.test(all) ? { severity: 'medium' } : false
        return /-perm [-/]?(u=s|g=s|\+?[2467]000|-?[ug][+=]s|0?2$|-?o\+w|-?222|-?0?002)|-perm -?\/?(6000|4000|2000)|-writable|-nouser/.test(
          all,
        )
      },
    },
    examples: {
      bad: ['find / -perm -4000 -type f 2>/dev/null', 'getcap -r /', 'find / -perm -u=s', 'lsattr -R /etc'],
      good: ['find . -perm 644', 'getfacl report.csv'],
    },
  },
  {
    id: 'shell/sweep',
    languages: shell,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Scans a range of addresses or ports.',
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
      names: words(`grep egrep pgrep pidof awk systemctl csrutil systemextensionsctl getenforce sestatus aa-status
        apparmor_status auditctl ufw firewall-cmd pfctl iptables ip6tables nft spctl fdesetup pwpolicy socketfilterfw`),
      when: call => {
        const all = line(call)
        switch (call.name) {
          case 'csrutil':
          case 'spctl':
          case 'fdesetup':
          case 'ufw':
            return /(^| )-?-?status\b/.test(all)
          case 'auditctl':
            return /(^| )-[ls]\b/.test(all)
          case 'firewall-cmd':
            return /--(state|list|get)/.test(all)
          case 'pfctl':
            return /(^| )-\w*s/.test(all)
          case 'iptables':
          case 'ip6tables':
            return /(^| )(-\w*[LS]\b|--list)/.test(all)
          case 'nft':
          case 'systemextensionsctl':
            return /(^| )list\b/.test(all)
          case 'pwpolicy':
          case 'socketfilterfw':
            return /(^| )-?-?get/.test(all)
          case 'getenforce':
          case 'sestatus':
          case 'aa-status':
          case 'apparmor_status':
            return true
          default:
            return guards.test(all)
        }
      },
    },
    examples: {
      bad: ['ps aux | grep -i falcond', 'pgrep osqueryd', 'csrutil status', 'sudo iptables -L -n', 'getenforce'],
      good: ['ps aux | grep python', 'systemctl status web'],
    },
  },
  {
    id: 'shell/neighbours',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Lists the connections of this machine, or the machines near it.',
    recommendation: 'Take it out; a calculation does not need to know.',
    implies: ['read'],
    match: {
      on: 'call',
      names: words('netstat ss arp ip lsof smbutil showmount nbtscan nbtstat net airport'),
      when: call => {
        const all = line(call)
        switch (call.name) {
          // What listens here is what people ask whose port is taken.
          case 'netstat':
          case 'ss':
            return !/(^| )-\w*[lsi]|--listen|:\d|--version|--help|-V/.test(all)
          case 'ip':
            return /^(-\S+ )*(n|ne|nei|neigh\w*|tcp_metrics)\b/.test(all)
          case 'lsof':
            return /(^| )-u/.test(all)
          case 'smbutil':
          case 'net':
            return /^(view|lookup|statshares|share|ads|rpc)\b/.test(all)
          default:
            return true
        }
      },
    },
    examples: {
      bad: ['netstat -ant', 'arp -a', 'ip neigh show', 'ss -antp', 'lsof -u alice'],
      good: ['ss -tlnp', 'netstat -tlnp | grep :8080', 'lsof -i :8080', 'ip addr show', 'ip route'],
    },
  },
  {
    id: 'shell/services-listed',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Lists what this machine runs by itself.',
    recommendation: 'Ask for the one service that matters.',
    implies: ['read'],
    match: {
      on: 'call',
      names: words('systemctl service launchctl chkconfig initctl rc-status'),
      when: call => {
        const all = line(call)
        switch (call.name) {
          case 'systemctl':
            return /(^| )list-(units|unit-files|timers|sockets)\b/.test(all)
          case 'service':
            return /--status-all/.test(all)
          case 'launchctl':
          case 'initctl':
            return /^list$/.test(all)
          case 'chkconfig':
            return /--list$/.test(all)
          default:
            return true
        }
      },
    },
    examples: {
      bad: ['systemctl list-units --type=service', 'service --status-all', 'launchctl list'],
      good: ['systemctl status web', 'launchctl list com.example.web'],
    },
  },
  {
    id: 'shell/asks-if-watched',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-506',
    description:
      'Checks whether it runs in a virtual machine or under a debugger, as programs do that avoid being analysed.',
    recommendation: 'Let the script do the same everywhere.',
    implies: ['read'],
    match: {
      on: 'pipeline',
      when: ({ calls }) =>
        calls.length > 1 &&
        calls.some(call => showsMachine.has(call.name)) &&
        calls.some(
          call =>
            /^([ef]?grep|awk|rg)$/.test(call.name) &&
            /v(irtual)?box|vmware|qemu|parallels|hypervisor|xen\b|falcon|crowdstrike|carbon ?black|cbagent|osquery|auditbeat|little.?snitch/i.test(
              line(call),
            ),
        ),
    },
    examples: {
      bad: ["ioreg -l | grep -iE 'virtualbox|vmware'", 'lspci | grep -i qemu', 'ps aux | grep falcon-sensor'],
      good: ['lspci | grep VGA', 'ps aux | grep python'],
    },
  },
  {
    id: 'shell/asks-if-virtual',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-506',
    description:
      'Checks which machine it runs on, or whether that is virtual, as programs do that avoid being analysed.',
    recommendation: 'Let the script do the same everywhere.',
    implies: ['read'],
    match: {
      on: 'call',
      names: words('systemd-detect-virt virt-what dmidecode sysctl ioreg profiles'),
      when: call => {
        const all = line(call)
        if (call.name === 'ioreg') return /IOPlatformExpertDevice/.test(all)
        if (call.name === 'profiles') return /^(-[PLCe]|list|show|status)\b/.test(all)
        if (call.name === 'sysctl') return /\b(hw\.model|hv_vmm_present|hv_support)\b/.test(all)
        // How much memory is built in is another question than whose machine this is.
        return call.name !== 'dmidecode' || all === '' || /-s |system|bios|baseboard|-t ?[012]\b/.test(all)
      },
    },
    examples: {
      bad: [
        'systemd-detect-virt',
        'ioreg -rd1 -c IOPlatformExpertDevice',
        'sysctl -n kern.hv_vmm_present',
        'dmidecode -s system-product-name',
      ],
      good: ['sysctl -n hw.ncpu', 'dmidecode -t memory'],
    },
  },
]

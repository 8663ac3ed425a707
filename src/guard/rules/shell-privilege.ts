import type { Effect } from '../effect.ts'
import type { Call } from '../model.ts'
import { placeOf } from '../paths.ts'
import type { Answer, Rule } from '../rule.ts'
import { hasFresh, sketch, startOf, textOf } from '../values.ts'
import { searchPathRisk } from './search-path.ts'
import { line, namesShell, shell, words } from './shell-ask.ts'
import { loading } from './traces.ts'

/** Bits that let a program run with the rights of its owner, in any of the ways to write them. */
const setsOwnerRights = (mode: string): boolean =>
  /^0?[2-7][0-7]{3}$/.test(mode) || /(^|,)[ugoa]*[+=][rwxX]*s|^=\w*s/.test(mode)
const opensToAll = (mode: string): boolean =>
  /^0?[0-7]?[0-7]{2}[2367]$/.test(mode) ||
  (/(^|,)([ugo]*[oa][ugo]*)?[+=]r?w/.test(mode) && /(^|,)\w*[oa]\w*[+=]\w*w|^\+\w*w/.test(mode))

function changedMode(call: Call): Answer {
  const mode =
    call.args
      .map(arg => textOf(arg) ?? '')
      .find(word => /^(0?[0-7]{3,4}|[ugoa]*[-+=][rwxXstugo,+=-]*)$/.test(word) && !/^-[RcfvHLP]+$/.test(word)) ?? ''
  if (setsOwnerRights(mode))
    return { severity: 'critical', message: 'Makes a program run with the rights of its owner, whoever starts it.' }
  if (opensToAll(mode)) return true
  const last = call.args.at(-1)
  return /(^| )-\w*R/.test(line(call)) && /^(root|system|startup|identity|secret)$/.test(placeOf(startOf(last)))
    ? { severity: 'high', message: 'Changes rights on system folders.' }
    : false
}

export const shellPrivilegeRules: readonly Rule[] = [
  {
    id: 'shell/become-other',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Runs commands as another user, usually the administrator.',
    recommendation: 'Run with the rights that the sandbox gives.',
    implies: ['privilege', 'run'],
    match: {
      on: 'call',
      names: words(`sudo su doas pkexec runuser gosu su-exec ksu sg newgrp setpriv sudoedit run0 kdesu gksudo gksu
        please dzdo sux super calife mdo`),
      when: call =>
        call.name === 'sudo' && /^(-V|--version|-h|--help)$/.test(line(call)) ? { severity: 'low' } : true,
    },
    examples: {
      bad: ['sudo ls /root', 'su -c id', 'doas sh', 'pkexec /bin/bash'],
      good: ['echo sudo', 'summarise file'],
    },
  },
  {
    id: 'shell/other-root',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Enters another root, another name space or another set of capabilities.',
    recommendation: 'Stay in the sandbox.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: words(`chroot nsenter unshare capsh pivot_root switch_root setarch newuidmap systemd-nspawn schroot genie
        bwrap firejail`),
      when: call => !/^(--print|-V|--version|--help)$/.test(line(call)),
    },
    examples: { bad: ['unshare -r /bin/sh', 'nsenter -t 1 -m sh', 'chroot /mnt'], good: ['echo chroot'] },
  },
  {
    id: 'shell/owner-rights',
    languages: shell,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-732',
    description: 'Opens files to everybody.',
    recommendation: 'Give rights to the owner only.',
    implies: ['write', 'privilege'],
    match: {
      on: 'call',
      names: ['chmod', 'install', 'mkdir', 'umask'],
      when: call => {
        if (call.name === 'chmod') return changedMode(call)
        if (call.name === 'umask') return /^0+$/.test(line(call))
        const mode = /(?:-m ?|--mode[= ])(\S+)/.exec(line(call))?.[1] ?? ''
        return setsOwnerRights(mode)
          ? { severity: 'critical', message: 'Makes a program run with the rights of its owner, whoever starts it.' }
          : opensToAll(mode)
      },
    },
    examples: {
      bad: [
        'chmod 777 x',
        'chmod u+s /bin/bash',
        'chmod 4755 tool',
        'install -m =xs $(which find) .',
        'chmod -R a+w .',
      ],
      good: ['chmod +x run.sh', 'chmod 644 a', 'chmod u+rw a', 'chmod 700 d'],
    },
  },
  {
    id: 'shell/capabilities',
    languages: shell,
    type: 'privilege',
    severity: 'critical',
    cwe: 'CWE-250',
    description: 'Gives a program rights of the administrator.',
    recommendation: 'Never from a notebook.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: ['setcap', 'setfacl', 'script.privilege'],
      when: call => (call.name === 'setfacl' ? { severity: 'high' } : true),
    },
    examples: {
      bad: ['setcap cap_setuid+ep ./tool', 'perl -e \'use POSIX; POSIX::setuid(0); exec "/bin/sh"\''],
      good: ['getcap tool'],
    },
  },
  {
    id: 'shell/ownership',
    languages: shell,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-732',
    description: 'Changes the owner of files.',
    recommendation: 'Leave the owner as it is.',
    implies: ['write', 'privilege'],
    match: {
      on: 'call',
      names: ['chown', 'chgrp', 'lchown', 'chattr', 'chflags'],
      when: call => {
        if (/(^| )(root|0)(:|\.| |$)/.test(line(call)) || call.name === 'chattr') return { severity: 'high' }
        const files = call.args.filter(arg => !/^-/.test(startOf(arg))).slice(1)
        return files.every(file => placeOf(startOf(file)) === 'workspace') ? { severity: 'low' } : true
      },
    },
    examples: {
      bad: ['chown root:root tool', 'chown -R me /srv/data', 'chattr -i /etc/passwd'],
      good: ['ls -l', 'chown -R me .'],
    },
  },
  {
    id: 'shell/accounts',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-269',
    description: 'Makes, changes or removes accounts, groups or passwords.',
    recommendation: 'Leave accounts to the administrator.',
    implies: ['privilege', 'persistence'],
    match: {
      on: 'call',
      names: words(`useradd adduser usermod userdel deluser groupadd addgroup groupmod groupdel delgroup passwd chpasswd
        gpasswd vipw vigr visudo chsh chfn dscl dseditgroup sysadminctl newusers pwconv chage faillock pam-
        auth-update authconfig net update-passwd kadmin pwck grpck pw pam_tally pam_tally2`),
      when: call =>
        call.name === 'net'
          ? /^(user|localgroup|rpc|ads)\b/.test(line(call))
          : !(call.name === 'pw' && /show\b/.test(line(call))) &&
            !(/^(chage|chsh)$/.test(call.name) && /^-l/.test(line(call))),
    },
    examples: { bad: ['useradd -o -u 0 -g 0 backdoor', 'echo root:x | chpasswd', 'visudo'], good: ['echo user'] },
  },
  {
    id: 'shell/loaded-first',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-426',
    description: 'Makes other programs load code of its choice before their own.',
    recommendation: 'Call the program that is meant by its full path.',
    implies: ['privilege', 'run'],
    match: {
      on: 'program',
      find: ({ program, effects }) => {
        const hits: { at: { start: number; end: number }; severity?: 'medium' }[] = []
        for (const { target, value, start, end } of program.assignments) {
          const severity = loadsFirst(target, sketch(value) ?? '', effects)
          if (severity) hits.push({ at: { start, end }, ...(severity === 'medium' ? { severity } : {}) })
        }
        for (const call of program.calls) {
          if (standsIn(call)) hits.push({ at: call, severity: 'medium' })
          if (call.settings === undefined || call.settings.size === 0) continue
          for (const [name, value] of call.settings) {
            const severity = loadsFirst(name, sketch(value) ?? '', effects)
            if (severity) hits.push({ at: call, ...(severity === 'medium' ? { severity } : {}) })
          }
        }
        return hits
      },
    },
    examples: {
      bad: [
        'LD_PRELOAD=./x.so ls',
        'export PATH=/tmp:$PATH',
        'declare -n p=PATH; p=/tmp/tools:$p',
        'declare -n p=PATH',
        'printf -v PATH /tmp',
        'read -r PATH < file',
        'declare -n a=PATH b=a; b=/tmp/tools:$PATH',
        'f() { local -n p=$1; p+=:/tmp; }; f PATH',
        'BASH_ENV=./x sh run.sh',
        'PYTHONPATH=/tmp/lib python3 run.py',
        'PATH=/srv/evil:$PATH; ls',
        'export PATH="$PATH:."',
        'echo true > ~/bin/ls; export PATH=~/bin:$PATH',
      ],
      good: [
        'export PATH="$HOME/bin:$PATH"',
        'LANG=C sort a',
        'f() { local -n list=$1; list+=(a); }; f names',
        'declare -x p=PATH',
        'PYTHONPATH=src python3 run.py',
        'PATH=$PATH:/opt/tool/bin',
        'export PATH="$PWD/node_modules/.bin:$PATH"',
        'tools=$(mktemp -d); PATH=$tools:$PATH',
      ],
    },
  },
  {
    id: 'shell/other-command',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-426',
    description: 'Replaces a well-known command by something else, so that whoever uses it runs that instead.',
    recommendation: 'Give it a name of its own.',
    implies: ['privilege', 'persistence'],
    match: { on: 'call', names: ['alias'], when: call => call.args.some(arg => replaces(sketch(arg) ?? '')) },
    examples: {
      bad: ["alias ls='rm -rf'", "alias sudo='/tmp/x; sudo'", "alias cd='echo no'"],
      good: [
        "alias ll='ls -l'",
        "alias ls='ls --color=auto'",
        "alias grep='grep -n'",
        'alias vi=vim',
        "alias ..='cd ..'",
      ],
    },
  },
  {
    id: 'shell/kernel',
    languages: shell,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Changes the kernel, its modules, its settings or what is mounted.',
    recommendation: 'Leave the machine as it is.',
    implies: ['privilege', 'resources'],
    match: {
      on: 'call',
      names: words(`insmod modprobe rmmod kmod sysctl mount umount swapon swapoff losetup dmsetup bpftrace bpftool kexec
        depmod update-initramfs grub-install update-grub efibootmgr nvram kextload kldload hwclock setserial
        mknod fsck e2fsck update-alternatives dpkg-reconfigure hostnamectl timedatectl dpkg-divert ldconfig
        systemd-resolve openvt dmidecode fusermount kmutil kextutil bputil pmset`),
      when: call => {
        const all = line(call)
        if (call.name === 'sysctl' && !/(^| )(-w|-p|--system|--load)|=/.test(all))
          return /\.\.\//.test(all) ? true : { severity: 'low' }
        if (call.name === 'pmset') return /^-[abcu] |sleepnow|disablesleep|schedule/.test(all) && { severity: 'medium' }
        if (call.name === 'kmutil' && /^(showloaded|inspect|check)/.test(all)) return false
        if (call.name === 'mount' && all === '') return false
        if (/(^| )(--show|--query|--list\S*|--display|--get-\S+|--help|--version|--noheadings)/.test(all)) return false
        if (/^(hostnamectl|timedatectl)$/.test(call.name))
          return /\bset-|--set|list-timezones/.test(all) ? { severity: 'medium' } : false
        if (
          call.name === 'update-alternatives' ||
          call.name === 'ldconfig' ||
          call.name === 'dmidecode' ||
          call.name === 'systemd-resolve'
        )
          return { severity: 'medium' }
        if (call.name === 'mknod') return / [bc] /.test(` ${all} `)
        return true
      },
    },
    examples: {
      bad: ['insmod rootkit.ko', 'sysctl -w kernel.randomize_va_space=0', 'mount -o remount,rw /'],
      good: ['sysctl -n hw.ncpu', 'mount'],
    },
  },
  {
    id: 'shell/container',
    languages: shell,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-250',
    description: 'Starts or enters containers and machines, which have rights that this sandbox does not have.',
    recommendation: 'Run the work in this sandbox.',
    implies: ['privilege', 'run'],
    match: {
      on: 'call',
      names: words(`docker podman nerdctl lxc lxd ctr crictl runc kubectl oc virsh vagrant qemu-system-x86_64 multipass
        docker-compose minikube helm singularity apptainer`),
      when: call => {
        const all = line(call)
        if (
          /(-v|--volume|--mount)[= ](type=bind,)?(source=|src=)?\/(:|,| |$|(etc|root|home|var\/run\/docker\.sock|proc|sys)\b)|--privileged|--pid[= ]?host|--cap-add|--net(work)?[= ]host|--security-opt|security\.privileged=true|source=\/ |hostPath|--userns=host|docker\.sock/.test(
            all,
          )
        )
          return { severity: 'critical', message: 'Gives a container the whole machine.' }
        if (
          /^(compose |container |image )?(-\S+ )*(ps|images|version|info|logs|get|describe|top|list|ls|inspect|status|config|history|cluster-info|api-resources|--version|version|rollout status|template|lint|diff)\b/.test(
            all,
          )
        )
          return { severity: 'low' }
        // An image with no more rights than it comes with keeps what it does to itself.
        if (
          /^(docker|podman|nerdctl|docker-compose)$/.test(call.name) &&
          /^(compose )?(-\S+ )*(build|pull|run|up|start|stop|restart|tag|login|create|down|wait|buildx)\b/.test(all) &&
          !namesShell(call.args.at(-1)) &&
          !/(^| )(ba|da|a|z)?sh( |$)|\u{fffc}/u.test(all)
        )
          return { severity: 'low', message: 'Builds or starts a container.' }
        return true
      },
    },
    examples: {
      bad: [
        'docker run -v /:/mnt --rm -it alpine chroot /mnt sh',
        'kubectl exec -it pod -- sh',
        'docker run --privileged img',
      ],
      good: ['docker ps', 'kubectl get pods', 'docker build -t app .', 'docker run --rm -p 80:80 app'],
    },
  },
]

/** `declare -n p=PATH`: what is put into `p` later is where programs are looked for. So is what `read PATH` takes. */
const standsIn = ({ name, args }: Call): boolean => {
  const names = args.map(arg => textOf(arg) ?? '')
  if (/^(declare|typeset|local)$/.test(name))
    return names.some(arg => /^-[a-zA-Z]*n/.test(arg)) && names.some(arg => loading.test(arg.replace(/^\w+=/, '')))
  if (/^(read|mapfile|readarray|getopts)$/.test(name)) return names.some(arg => loading.test(arg))
  return name === 'printf' && loading.test(names[0] === '-v' ? (names[1] ?? '') : (names[0]?.replace(/^-v/, '') ?? ''))
}

function loadsFirst(name: string, value: string, effects: readonly Effect[]): 'high' | 'medium' | null {
  if (
    /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONHOME|NODE_OPTIONS|LUA_INIT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GCONV_PATH|GIT_EXEC_PATH|PYTHONINSPECT)$/.test(
      name,
    )
  )
    return value === ''
      ? null
      : name === 'NODE_OPTIONS' && !/require|import|loader/.test(value)
        ? null
        : /^_?JAVA_/.test(name) && !/agent/.test(value)
          ? null
          : 'high'
  if (/^PS[0-4]$/.test(name)) return /curl|wget|\bnc\b|\/dev\/tcp|base64|python|perl/.test(value) ? 'high' : null
  if (name === 'PROMPT_COMMAND') return /[;/]|sh\b|curl|nc\b/.test(value) ? 'high' : null
  if (/^(PYTHONPATH|PERL5LIB|RUBYLIB|NODE_PATH|LUA_PATH|LUA_CPATH|CLASSPATH|LD_LIBRARY_PATH)$/.test(name))
    return (/^\/(tmp|var\/tmp|dev\/shm)\//.test(value) && !hasFresh(value)) || /^\/tmp(:|$)/.test(value)
      ? 'medium'
      : null
  if (name === 'ENV' && /[/$`]/.test(value)) return 'medium'
  if (name === 'PATH') return searchPathRisk(value, effects)
  return null
}

const core =
  /^(ls|cd|cat|cp|mv|rm|sudo|su|ssh|scp|ps|top|find|grep|passwd|login|echo|pwd|mkdir|chmod|chown|kill|who|whoami|id|netstat|ss|ifconfig|ip|df|du|date|git|python3?|pip3?|npm|node|make|curl|wget|history|exit|clear|man|which|touch|tar|head|tail|less|more|vi|vim|nano|apt|apt-get|yum|systemctl|service|crontab|mount|ping|df|free|uname|env|printenv|source|export|test|true|false|sh|bash|zsh|gcc|g\+\+|docker|kubectl|diff|sort|w|last|lsof|iptables|telnet|ftp|nc)=/
const sibling =
  /^(vim?|nvim|bat|batcat|exa|eza|lsd|rg|fd|fdfind|htop|btop|python3?(\.\d+)?|pip3?|colordiff|delta|hub|dust|duf|procs|ipython|gmake|gfind|ggrep|gsed|command|noglob|nocorrect|trash(-put)?|xdg-open|podman|neovim|gls|gdate|most|less|ncdu|prettyping|curlie|gping|z|zoxide|tldr|printf|clear|pnpm|yarn|gcc|clang|\\?\w+)$/

/** `ls=rm -rf` replaces; `ls=ls --color` and `vi=vim` do not. */
function replaces(definition: string): boolean {
  const known = core.exec(definition)
  if (!known?.[1]) return false
  const text = definition.slice(definition.indexOf('=') + 1).trim()
  const first = text.split(/\s+/)[0] ?? ''
  if (
    first.replace(/^\\/, '') === known[1] ||
    new RegExp(
      `^(sudo|command|builtin|time|noglob|nocorrect|env|nice|rlwrap|grc) ${known[1].replace(/\+/g, '\\+')}\\b`,
    ).test(text)
  )
    return /[;&|`]|\$\(/.test(text)
  if (
    /^(rm|echo|mv|shred|dd|nc|curl|wget|bash|sh|exit|kill|true|false|cat|chmod|sudo|logout|history|:|poweroff|reboot|python3?|perl)$/.test(
      first,
    ) &&
    !(known[1] === 'python' && first === 'python3')
  )
    return true
  return /[;&|`/]|\$\(/.test(text) || !sibling.test(first)
}

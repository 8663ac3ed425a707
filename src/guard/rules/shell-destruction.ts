// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import { type Call, origin } from '../model.ts'
import { placeOf } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, startOf, textOf } from '../values.ts'
import { line, shell, words } from './shell-ask.ts'

export const shellDestructionRules: readonly Rule[] = [
  {
    id: 'shell/disk',
    languages: shell,
    type: 'destructive-command',
    severity: 'critical',
    cwe: 'CWE-732',
    description: 'Formats, partitions or overwrites a disk.',
    recommendation: 'Never from a notebook.',
    implies: ['delete', 'write'],
    match: {
      on: 'call',
      names: words(`mkfs mkfs.ext4 mkfs.ext3 mkfs.ext2 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.ntfs mke2fs mkswap wipefs
        fdisk sfdisk cfdisk gdisk sgdisk parted blkdiscard hdparm badblocks cryptsetup lvremove vgremove
        pvremove zpool zfs mdadm diskutil format dd debugfs tune2fs nvme resize2fs btrfs flashrom bhyvectl`),
      when: call => {
        if (call.name === 'format') return /^(\/dev\/|[a-z]:)/i.test(line(call))
        if (call.name === 'dd')
          return call.args.some(arg =>
            /^of=\/dev\/(sd|hd|nvme|vd|xvd|mmcblk|disk|mem|kmem|mapper|loop|md|rdisk)/.test(startOf(arg)),
          )
        if (
          /^(fdisk|parted|sfdisk|zpool|zfs|diskutil|mdadm|hdparm|nvme|cryptsetup|tune2fs|btrfs)$/.test(call.name) &&
          /^(-l|--list|list|status|-I|get|info|--detail|print|subvolume (list|show)|filesystem (show|df|usage))/.test(
            line(call),
          )
        )
          return { severity: 'medium', message: 'Looks at the disks of this machine.' }
        return true
      },
    },
    examples: {
      bad: ['dd if=/dev/zero of=/dev/sda bs=1M', 'mkfs.ext4 /dev/sdb1', 'wipefs -a /dev/sda'],
      good: ['dd if=a.img of=b.img'],
    },
  },
  {
    id: 'shell/shred',
    languages: shell,
    type: 'destructive-command',
    severity: 'high',
    cwe: 'CWE-404',
    description: 'Overwrites files so that they cannot be recovered.',
    recommendation: 'Delete without overwriting, or leave it.',
    implies: ['delete'],
    match: { on: 'call', names: words('shred wipe srm scrub nwipe bleachbit sfill') },
    examples: { bad: ['shred -u report.xlsx'], good: ['echo shred'] },
  },
  {
    id: 'shell/version-control-loss',
    languages: shell,
    type: 'deletion',
    severity: 'medium',
    cwe: 'CWE-404',
    description: 'Throws away work that version control has not kept.',
    recommendation: 'Commit or stash first.',
    implies: ['delete'],
    match: {
      on: 'call',
      names: ['git', 'hg', 'svn'],
      when: call =>
        /(^| )(clean( -\w+)* -\w*[fdxX]|clean --force|reset (\S+ )*--hard|push .*(--force|-f\b|--mirror|--delete|-d\b|\+\w)|checkout (-f|--force|-- ?\.|\.$)|restore \.|branch (-D|--delete --force)|stash (drop|clear)|reflog (expire|delete)|gc .*--prune=(now|all)|filter-branch|filter-repo|update-ref -d|revert -R|purge|strip)( |$|\S)/.test(
          line(call),
        ),
    },
    examples: {
      bad: ['git clean -fdx', 'git reset --hard HEAD~3', 'git push --force origin main'],
      good: ['git status', 'git reset HEAD file', 'git push origin main'],
    },
  },
  {
    id: 'shell/stop-machine',
    languages: shell,
    type: 'destructive-command',
    severity: 'high',
    cwe: 'CWE-400',
    description: 'Switches the machine off, or stops processes that are not its own.',
    recommendation: 'Stop only what the script started itself.',
    implies: ['resources'],
    match: {
      on: 'call',
      names: words(`shutdown reboot halt poweroff init telinit killall killall5 pkill skill xkill kill fuser systemctl
        loginctl suspend kexec`),
      when: call => {
        const all = line(call)
        if (call.name === 'kill' && call.args.some(arg => comesFrom(arg, origin.system)))
          return { severity: 'medium', message: 'Stops processes by name, which may be those of others.' }
        if (call.name === 'kill')
          return /(^| )-1$|-9 -1( |$)|(^| )-- -1|(^|(-\w+ )+)1$/.test(all) && !/^-[0l]/.test(all)
        if (call.name === 'init' || call.name === 'telinit') return /^[0156sS]$/.test(all)
        if (call.name === 'fuser') return /-\w*k/.test(all)
        if (call.name === 'systemctl')
          return /\b(poweroff|reboot|halt|suspend|hibernate|kexec|rescue|emergency|isolate)\b/.test(all)
        if (call.name === 'loginctl') return /\b(terminate|kill|poweroff|reboot)/.test(all)
        if (/^(killall|pkill|skill|xkill)$/.test(call.name))
          return { severity: 'medium', message: 'Stops processes by name, which may be those of others.' }
        return true
      },
    },
    examples: {
      bad: ['shutdown -h now', 'kill -9 -1', 'pkill -f server', 'init 0', 'kill $(lsof -t -i:5432)'],
      good: ['kill "$pid"', 'kill -0 $!', 'kill %1'],
    },
  },
  {
    id: 'shell/encrypts-files',
    languages: shell,
    type: 'destructive-command',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Encrypts files one after the other, which takes them away from their owner.',
    recommendation: 'Encrypt one named archive, and keep the originals until it was checked.',
    implies: ['write', 'delete'],
    match: {
      on: 'call',
      names: words('openssl gpg gpg2 zip 7z 7za age ccrypt mcrypt rar'),
      when: (call, { program }) => {
        const all = line(call)
        const encrypts =
          (call.name === 'openssl' &&
            /^(enc|aes|des|camellia|smime|rsautl|pkeyutl)\b/.test(all) &&
            !/(^| )-d( |$)/.test(all)) ||
          (/^gpg/.test(call.name) && /(^| )(-c|-e|--symmetric|--encrypt|-\w*[ce]\w* )/.test(`${all} `)) ||
          (/^(7z|zip|rar)/.test(call.name) && /(^| )(-p|-P|--password|-hp|-e\b)/.test(all)) ||
          /^(age|ccrypt|mcrypt)$/.test(call.name)
        if (!encrypts) return false
        const many =
          call.inLoop ||
          program.calls.some(other => other.name === 'find' && line(other).includes(call.name)) ||
          /[*]/.test(all)
        return many || program.calls.some(other => /^(rm|shred|unlink)$/.test(other.name))
      },
    },
    examples: {
      bad: [
        'for f in *; do openssl enc -aes-256-cbc -in "$f" -out "$f.enc" -k x; rm "$f"; done',
        'find ~ -type f -exec gpg -c --passphrase x {} \\;',
      ],
      good: ['gpg -d report.gpg', 'openssl dgst -sha256 a.txt'],
    },
  },
  {
    id: 'shell/database-loss',
    languages: shell,
    type: 'database',
    severity: 'high',
    cwe: 'CWE-89',
    description: 'Changes or drops data in a database from the command line.',
    recommendation: 'Work on a copy, in a transaction that a person ends.',
    implies: ['modify'],
    match: {
      on: 'call',
      names: words(`mysql mariadb psql sqlite3 mongo mongosh redis-cli dropdb dropuser mysqladmin influx cqlsh sqlcmd
        sqlplus`),
      when: call => {
        const all = `${line(call)} ${startOf(call.named.get('input'))}`
        if (/^drop(db|user)$/.test(call.name)) return true
        if (
          /\b(drop\s+(table|database|schema|user|index|view)|truncate\s+(table\s+)?\w|delete\s+from|dropDatabase|\.drop\(|deleteMany|flushall|flushdb|alter\s+(table|user)|grant\s+all|config set (dir|dbfilename))/i.test(
            all,
          )
        )
          return true
        // Rows that are added to a file of one's own take nothing away.
        if (call.name === 'sqlite3' && !/\bupdate\s+\w+\s+set\b/i.test(all)) return false
        return /\b(update\s+\w+\s+set|insert\s+into|replace\s+into|create\s+(user|database))\b/i.test(all)
          ? { severity: 'medium' }
          : false
      },
    },
    examples: {
      bad: ["mysql -e 'DROP DATABASE prod'", 'redis-cli flushall', "sqlite3 a.db 'DELETE FROM t'"],
      good: ["sqlite3 a.db 'SELECT * FROM t'", "sqlite3 a.db 'INSERT INTO t VALUES (1)'"],
    },
  },
  {
    id: 'shell/cloud-loss',
    languages: shell,
    type: 'destructive-command',
    severity: 'high',
    cwe: 'CWE-404',
    description: 'Removes machines, containers, volumes or stored objects.',
    recommendation: 'Let the owner of the account remove them.',
    implies: ['delete'],
    match: {
      on: 'call',
      names: words(`docker podman kubectl oc helm terraform tofu pulumi aws gcloud gsutil az heroku vagrant virsh lxc
        docker-compose eksctl doctl`),
      when: call =>
        /(^| )(rm|rmi|prune|delete|destroy|terminate-instances|delete-\S+|rb|purge|undefine|down (-v|--volumes)|uninstall|remove|drain|apps:destroy)( |$)/.test(
          line(call),
        ),
    },
    examples: {
      bad: ['docker system prune -af', 'kubectl delete namespace prod', 'terraform destroy -auto-approve'],
      good: ['kubectl get pods', 'docker ps'],
    },
  },
  {
    id: 'shell/emptied',
    languages: shell,
    type: 'deletion',
    severity: 'medium',
    cwe: 'CWE-404',
    description: 'Empties files.',
    recommendation: 'Keep a copy, or write to a new file.',
    implies: ['write'],
    match: {
      on: 'call',
      names: ['truncate', 'cp'],
      when: call =>
        (call.name === 'cp' ? /^(-f )?\/dev\/null \S/ : /(^| )(-s ?0|--size=?0|-s ?-)/).test(line(call)) &&
        call.named.get('made') === undefined,
    },
    examples: { bad: ['truncate -s 0 ledger.csv'], good: ['truncate -s 10M disk.img'] },
  },
  {
    id: 'shell/unknown-deletion',
    languages: shell,
    type: 'deletion',
    severity: 'high',
    cwe: 'CWE-73',
    description: 'Deletes folders whose names are decided outside the script; an empty name deletes everything.',
    recommendation: 'Check the name first: `"${dir:?}"` stops when it is empty.',
    implies: ['delete'],
    match: {
      on: 'call',
      names: ['rm'],
      when: call =>
        call.args.some(
          arg =>
            arg.kind === 'joined' &&
            typeof arg.parts[0] !== 'string' &&
            comesFrom(arg, origin.input | origin.environment) &&
            /^\/\*?$/.test(String(arg.parts[1] ?? '')),
        ) && /(^| )-\w*[rR]|--recursive/.test(line(call)),
    },
    examples: {
      bad: ['rm -rf "$STEAMROOT/"*', 'rm -rf "$1"/*'],
      good: ['rm -rf "$tmp"', 'tmp=$(mktemp -d); rm -rf "$tmp"/*'],
    },
  },
  {
    id: 'shell/traces',
    languages: shell,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-778',
    description: 'Removes traces: histories, logs, times of change, the time of the machine itself.',
    recommendation: 'Leave logs and histories alone.',
    implies: ['delete'],
    match: {
      on: 'call',
      names: words(`history unset set export ln rm shred journalctl auditctl dmesg touch fc cat cp truncate sed log
        wevtutil logrotate shopt mv utmpdump date hwclock timedatectl logger`),
      when: call => tracesRemoved(call),
    },
    examples: {
      bad: [
        'history -c',
        'unset HISTFILE',
        'export HISTSIZE=0',
        'ln -sf /dev/null ~/.bash_history',
        'journalctl --vacuum-time=1s',
        'touch -r /bin/ls evil',
        'touch -acmr model copy',
        "date -s '2001-01-01'",
        "logger -p auth.info 'Accepted password for root'",
      ],
      good: ['history | tail', 'logger backup done', 'touch file', 'unset x', "date -d '2001-01-01' +%s"],
    },
  },
  {
    id: 'shell/history-off',
    languages: shell,
    type: 'system-access',
    severity: 'high',
    cwe: 'CWE-778',
    description: 'Stops the shell from keeping a history.',
    recommendation: 'Leave the history on.',
    implies: ['resources'],
    match: {
      on: 'assignment',
      about: target => target.startsWith('HIST'),
      when: ({ target, value }) =>
        (/^HIST(FILE|SIZE|FILESIZE)$/.test(target) && /^(\/dev\/null|0|)$/.test(textOf(value) ?? 'x')) ||
        (target === 'HISTIGNORE' && textOf(value) === '*'),
    },
    examples: { bad: ['HISTFILE=/dev/null', 'export HISTSIZE=0'], good: ['HISTSIZE=10000'] },
  },
  {
    id: 'shell/moved-away',
    languages: shell,
    type: 'deletion',
    severity: 'high',
    cwe: 'CWE-404',
    description: 'Moves files to a place from which they cannot be recovered.',
    recommendation: 'Move them into a folder.',
    implies: ['delete'],
    match: {
      on: 'call',
      names: ['mv'],
      when: call => call.args.length > 1 && startOf(call.args.at(-1)) === '/dev/null',
    },
    examples: { bad: ['mv ~/* /dev/null'], good: ['mv a b'] },
  },
]

function tracesRemoved(call: Call): boolean {
  const all = line(call)
  switch (call.name) {
    case 'history':
      return /(^| )-(c|d|cw|w \/dev\/null)/.test(all)
    case 'unset':
      return /\bHIST(FILE|SIZE|FILESIZE|CONTROL)\b/.test(all)
    case 'set':
      return /\+o history/.test(all)
    case 'shopt':
      return /-u\w* .*hist/.test(all)
    case 'export':
      return /HISTFILE=(\/dev\/null)?$|HIST(FILE)?SIZE=0/.test(all)
    case 'ln':
    case 'cat':
    case 'cp':
      return /\/dev\/null .*(history|\/var\/log|\.log$)/.test(all)
    case 'journalctl':
      return /--vacuum|--rotate/.test(all)
    case 'auditctl':
      return /(^| )-(D|e ?0)/.test(all)
    case 'dmesg':
      return /(^| )(-c|-C|--clear|--read-clear)/.test(all)
    case 'touch':
      return /(^| )(-[acm]*r( |$)|--reference)/.test(all) || (/(^| )-\w*t( |\d)/.test(all) && /(^| )(\/|~)/.test(all))
    case 'date':
      return /(^| )(-\w*s( |$)|--set\b)/.test(all) || /^\d{8,12}(\.\d\d)?$/.test(all)
    case 'logger':
      // An entry that only the system itself should write.
      return /(^| )(-p|--priority)[ =]?(auth|authpriv|kern|security)\./.test(all)
    case 'hwclock':
      return /--set|-w\b|--systohc/.test(all)
    case 'timedatectl':
      return /^set-(time|ntp)/.test(all)
    case 'wevtutil':
    case 'log':
      return /(^| )(cl|erase)/.test(all)
    case 'sed':
      return /-i/.test(all) && /\/var\/log|history/.test(all)
    case 'rm':
    case 'shred':
    case 'truncate':
    case 'mv':
      return call.args.some(
        arg =>
          /_history$|\/var\/log|\/(wtmp|btmp|lastlog|utmp)$|^\/var\/audit/.test(startOf(arg)) &&
          placeOf(startOf(arg)) !== 'workspace',
      )
    default:
      return false
  }
}

import { execOptions } from './exec-options.ts'
import { interpreters } from './interpreters.ts'
import { wrappers } from './wrappers.ts'

/** Everyday commands of a Unix system that stand in no other table. */
const everyday = new Set(
  `apt apt-get ar arp as base32 base64 basenc bzip2 cat chmod chown cmp column comm cp cpio csplit curl cut date dd df diff dig dmesg
  dmidecode dmsetup dnf du egrep expand fgrep file fmt fold grep gzip hd head hexdump hostname iconv id ifconfig install join kill ln ls mkdir
  mkfifo mkfs mount mv netstat nl nm od openssl paste pax ping pr ps ptx readelf readlink rev rm rmdir sed shred shuf soelim ss stat
  strings sysctl tac tail tee test top touch tr truncate ul umount uname unexpand uniq unlink unzip uudecode uuencode wall wc whoami whois
  xxd xz zcat look lua ascii-xfr agetty alpine ash awk cancel check_by_ssh check_cups check_log check_memory check_raid check_ssl_cert
  check_statusfile cobc cowsay cowthink cpulimit cupsfilter dvips eqn espeak finger gcore genisoimage gtester highlight iftop ispell
  jrunscript ksshell ldconfig links lwp-download lwp-request minicom mosquitto msgattrib msgcat msgconv msgfilter msgmerge msguniq mtr
  nasm ntpdate pic pdb perlbug pip pkg posh readelf redcarpet restic rsync rtorrent sash setcap setfacl shuf socket ssh-keygen
  ssh-keyscan systemd-resolve tbl tic timedatectl troff nroff unsquashfs uniq usermod visudo vigr vipw w3m xelatex xmodmap xmore xpad
  yelp yum zsoelim zypper dpkg gcloud eb easy_install elvish efax enscript bridge byebug cdist choom crash dotnet gh hping3 jjs
  tshark wireshark passwd su sudo`
    .split(/\s+/)
    .filter(Boolean),
)

/** A program that belongs to the system: a copy of it anywhere else is remarkable. */
export const isKnownTool = (name: string): boolean =>
  everyday.has(name) ||
  Object.hasOwn(wrappers, name) ||
  Object.hasOwn(interpreters, name) ||
  Object.hasOwn(execOptions, name)

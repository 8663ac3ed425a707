import { codeAt, isQuoteAt } from '../codes.ts'
import type { Scan } from '../scan.ts'
import { isStated, keep, readWord } from './secret-after-label.ts'

/** Passwords behind options of one letter, which mean one in some programs only: `sshpass -p …`, `redis-cli -a …`. */

/** How far before its password a command may begin. */
const longestCommand = 200

const programs: Readonly<Record<string, RegExp>> = {
  '-p': command(
    'sshpass|docker login|podman login|mongo\\w{0,8}|psexec\\w{0,4}|az login|oc login|cqlsh|nxc|evil-winrm|smbmap',
  ),
  '-P': command('sqlcmd|bcp|unzip|zip|ipmitool|mosquitto_\\w{3}'),
  '-a': command('redis-cli'),
  '-w': command('ldap\\w{3,10}|kadmin'),
  '-pw': command('plink|pscp|psftp|putty|addprinc|ank|cpw|change_password'),
}
const attached = command('mysql\\w{0,10}|mariadb(?:-\\w{1,10})?|7z\\w?|rar|unrar')

function command(names: string): RegExp {
  return new RegExp(`(?:^|[\\s;&|(/\\\\"'\`])(?:${names})(?:\\.exe)?\\s[^\\n|;]{0,${longestCommand}}$`, 'i')
}

/** Whether what ends at `end` is an option of one letter, or of two for `-pw`: all else is no business of this. */
export const isShortOption = (end: number): boolean =>
  (codeAt(end - 2) === 0x2d && codeAt(end - 3) === 0x20) || (codeAt(end - 3) === 0x2d && codeAt(end - 1) === 0x77)

/** Called at a word with a digit behind a short option. */
export function findBehindOption(scan: Scan, start: number, end: number): number {
  const { text } = scan
  const program = programs[text.slice(codeAt(end - 2) === 0x2d ? end - 2 : end - 3, end)]
  if (!program?.test(text.slice(Math.max(0, end - longestCommand), end - 2))) return 0
  return keepStated(scan, start)
}

/** Called at a word with a digit right behind a hyphen, or behind a quote: `mysql -pOpen5esame`, `mysql -p'Open5esame'`. */
export function findAttached(scan: Scan, start: number): number {
  const option = isQuoteAt(start - 1) ? start - 2 : start
  if (codeAt(option) !== 0x70 || codeAt(option - 1) !== 0x2d || codeAt(option - 2) !== 0x20) return 0
  if (!attached.test(scan.text.slice(Math.max(0, option - longestCommand), option - 1))) return 0
  return keepStated(scan, option === start ? start + 1 : start)
}

const echoed = /(?:^|[\s;&|('"`])echo\s{1,3}(?:-n )?["']?(?:[\w.-]{1,32}:)?$/
const pipedTo = /^["']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?(?:-S|chpasswd|passwd|cryptsetup|smbpasswd|kinit|\S{1,20} login)/

/** `echo 'root:…' | chpasswd`, `echo … | sudo -S …`: what a program is fed with. */
export function findEchoed(scan: Scan, start: number): number {
  const { text } = scan
  if (!echoed.test(text.slice(Math.max(0, start - 48), start))) return 0
  const value = readWord(scan, start)
  return pipedTo.test(text.slice(value.end, value.end + 40)) ? keepStated(scan, start) : 0
}

function keepStated(scan: Scan, start: number): number {
  const value = readWord(scan, start)
  return isStated(scan.text.slice(value.start, value.end)) ? keep(scan, 'password', value) : 0
}

import { expect, it } from 'vitest'
import type { Host } from './jail.ts'
import { seatbeltProfile } from './seatbelt.ts'

const host: Host = {
  python: {
    executable: '/opt/homebrew/bin/python3',
    version: [3, 13],
    release: '3.13.2',
    packages: [],
    folders: ['/opt/homebrew/lib/python3.13', '/Users/ann/.venv'],
    libraries: [],
  },
  deno: '/Applications/Countersign.app/deno',
  kernels: '/Applications/Countersign.app/kernels',
  seccomp: '',
  socketFolder: '/private/tmp/countersign-x',
  root: false,
}
const folder = '/Users/ann/data/sandboxes/1/box'
const rules = (profile: string) => profile.split(/\n(?=\()/)
const rule = (profile: string, name: string) => rules(profile).find(each => each.startsWith(`(allow ${name}`)) ?? ''

it('denies what it does not name, and first of all', () => {
  expect(rules(seatbeltProfile(host, folder)).slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
})

it('lets code write to its own folder and nowhere else', () => {
  const writes = rule(seatbeltProfile(host, folder), 'file-write*')
  expect(writes.match(/"[^"]+"/g)).toEqual([`"${folder}"`, '"/dev/null"'])
})

it('shows the system, the interpreter and the own folder, but no home folder', () => {
  const reads = rule(seatbeltProfile(host, folder), 'file-read*')
  for (const at of ['/usr', '/opt/homebrew', host.kernels, folder]) expect(reads).toContain(`(subpath "${at}")`)
  expect(reads).not.toContain('(subpath "/Users")')
  expect(reads).not.toContain('(subpath "/Users/ann")')
  expect(reads).not.toContain('(subpath "/")')
})

it('opens no network but the socket on which the supervisor reports', () => {
  const profile = seatbeltProfile(host, folder)
  expect(profile.match(/\(allow network[^\n]*/g)).toEqual([
    '(allow network-outbound (literal "/private/tmp/countersign-x/link"))',
  ])
})

it('takes a folder with quotes and backslashes for a name, not for rules', () => {
  const odd = '/Users/ann/a")(allow default)("\\'
  const profile = seatbeltProfile(host, odd)
  expect(profile).toContain('(subpath "/Users/ann/a\\")(allow default)(\\"\\\\")')
  expect(rules(profile).filter(each => each.startsWith('(allow default'))).toEqual([])
})

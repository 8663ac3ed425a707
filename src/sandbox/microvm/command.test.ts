import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { Limits } from '../../contract/run.ts'
import { type MachineSpec, machineCommand, memoryFor } from './command.ts'
import { type Confinement, confined } from './confinement.ts'
import { archive } from './cpio.ts'

const mebibyte = 1024 * 1024
const spec: MachineSpec = {
  program: '/usr/bin/qemu-system-x86_64',
  name: 'one',
  architecture: 'x64',
  acceleration: 'kvm',
  memoryMiB: 2048,
  kernel: '/m/kernel',
  initrd: '/m/initrd',
  disk: '/m/disk',
  ram: { file: '/m/ram', keeps: false },
  incoming: true,
  readsMemory: false,
}
const line = (change: Partial<MachineSpec> = {}) => machineCommand({ ...spec, ...change }).join(' ')

describe('the command line of a machine', () => {
  it('gives it no network card and nothing that it was not given by name', () => {
    expect(line()).toContain('-nodefaults -no-user-config')
    expect(line()).not.toMatch(/-net\b|-nic|netdev|virtio-net|usb=on|-vnc|-spice/)
    expect(line().match(/-device \S+/g)).toEqual([
      '-device virtio-blk-pci,drive=disk',
      '-device virtio-serial-pci,max_ports=2',
      '-device virtserialport,chardev=link,nr=1,name=countersign',
    ])
  })

  it('lets QEMU start no program and gain no right, and the machine not write to its disk', () => {
    expect(line()).toContain('-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny')
    expect(line()).toContain('readonly=on,file.locking=off,file=/m/disk')
  })

  it.each([
    ['kvm', '-accel kvm -cpu host'],
    ['hvf', '-accel hvf -cpu host'],
    ['tcg', '-accel tcg,tb-size=256 -cpu qemu64'],
  ] as const)('computes by %s', (acceleration, expected) => {
    expect(line({ acceleration })).toContain(expected)
  })

  it('knows the machine of another processor', () => {
    expect(line({ architecture: 'arm64', acceleration: 'hvf' })).toMatch(/-machine virt,.*console=ttyAMA0/)
  })

  it('keeps what a copy writes to itself, without the right to write where QEMU can do that', () => {
    expect(line()).toContain('mem-path=/m/ram,share=off ')
    expect(line({ readsMemory: true })).toContain('mem-path=/m/ram,share=off,readonly=on,rom=off ')
    expect(line({ ram: { file: '/m/ram', keeps: true } })).toContain('mem-path=/m/ram,share=on ')
    expect(line({ ram: null })).toContain('memory-backend-ram,id=ram,size=2048M')
  })

  it('takes a comma in a path for a part of the path', () => {
    expect(line({ disk: '/a,b/disk,readonly=off' })).toContain('file=/a,,b/disk,,readonly=off')
  })
})

describe('the memory of a machine', () => {
  it('is what the code may use, its files, and what the guest needs for itself, in steps', () => {
    expect(memoryFor(Limits.parse({}))).toBe(2048)
    expect(memoryFor({ memoryBytes: 256 * mebibyte, diskBytes: 48 * mebibyte })).toBe(768)
    expect(memoryFor({ memoryBytes: 256 * mebibyte + 1, diskBytes: 64 * mebibyte }) % 256).toBe(0)
  })
})

describe('the jail of QEMU', () => {
  const what: Confinement = {
    bubblewrap: 'bwrap',
    root: true,
    kvmGroup: null,
    kernel: '/cache/kernel',
    initrd: '/cache/initrd',
    disk: '/cache/disk',
    ram: { file: '/cache/ram', writable: false },
    listener: '/tmp/meet',
    addressBytes: 1_000_000,
  }
  const bound = (change: Partial<Confinement> = {}) => {
    const args = confined({ ...what, ...change }, ['qemu'])
    return args.flatMap((arg, at) => (/^--(ro-|dev-)?bind(-try)?$/.test(arg) ? [`${arg} ${args[at + 1]}`] : []))
  }

  it('shows it its own files, and of the machine nothing but programs', () => {
    const shown = bound().filter(each => !/ \/(usr|bin|sbin|lib\w*)$/.test(each))
    expect(shown).toEqual([
      '--ro-bind-try /etc/ld.so.cache',
      '--ro-bind /cache/kernel',
      '--ro-bind /cache/initrd',
      '--ro-bind /cache/disk',
      '--ro-bind /cache/ram',
      '--bind /tmp/meet',
    ])
  })

  it('lets it write to the memory only where it must, and use KVM only where that is used', () => {
    expect(bound({ ram: { file: '/cache/ram', writable: true } })).toContain('--bind /cache/ram')
    expect(bound()).not.toContain('--dev-bind /dev/kvm')
    expect(bound({ kvmGroup: 106 })).toContain('--dev-bind /dev/kvm')
  })

  it('ends with the application, has no network, and is nobody', () => {
    const root = confined(what, ['qemu']).join(' ')
    expect(root).toContain('--die-with-parent')
    expect(root).toContain('--unshare-net')
    expect(root).toContain('prlimit --core=0:0 --nofile=256:256 --as=1000000:1000000 ')
    expect(root).toMatch(/setpriv --reuid 64119 .*--bounding-set=-all --no-new-privs qemu$/)
    const user = confined({ ...what, root: false }, ['qemu']).join(' ')
    expect(user).toContain('--unshare-user')
    expect(user).not.toContain('setpriv')
  })
})

describe('the first memory disk', () => {
  it('is an archive in the form that kernels unpack', () => {
    const made = archive([{ name: 'bin' }, { name: 'bin/tool', bytes: Buffer.from('abcde'), executable: true }])
    expect(made.length % 4).toBe(0)
    expect(made.toString('latin1')).toMatch(/^070701.*bin\0.*070701.*bin\/tool\0.*abcde.*TRAILER!!!\0/s)
    // Python of the base system reads the fields as the kernel does.
    const script = `
import sys
data, at, names = sys.stdin.buffer.read(), 0, []
while True:
    fields = [int(data[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
    name = data[at + 110 : at + 110 + fields[11] - 1].decode()
    if name == "TRAILER!!!":
        break
    body = (at + 110 + fields[11] + 3) // 4 * 4
    names.append((name, oct(fields[1]), data[body : body + fields[6]].decode()))
    at = (body + fields[6] + 3) // 4 * 4
print(names)`
    expect(execFileSync('python3', ['-c', script], { input: made }).toString().trim()).toBe(
      "[('bin', '0o40755', ''), ('bin/tool', '0o100755', 'abcde')]",
    )
  })
})

import type { Limits } from '../../contract/run.ts'

/** What computes for a machine: the processor itself, or a program that imitates one, 10 to 15 times slower. */
export const accelerations = ['kvm', 'hvf', 'tcg'] as const
export type Acceleration = (typeof accelerations)[number]

/** Descriptors that QEMU finds open: the port to the supervisor, its own control, and a saved state. */
export const descriptors = { link: 3, control: 4, state: 5 } as const

export interface MachineSpec {
  readonly program: string
  /** Of the sandbox, to find it among the processes of the machine. */
  readonly name: string
  readonly architecture: 'x64' | 'arm64'
  readonly acceleration: Acceleration
  readonly memoryMiB: number
  readonly kernel: string
  readonly initrd: string
  readonly disk: string
  /** The file that holds the machine's memory, and whether what it writes is kept there or stays its own. */
  readonly ram: { readonly file: string; readonly keeps: boolean } | null
  /** It waits to be told of a state to go on from. */
  readonly incoming: boolean
  /** QEMU can map a memory file for itself alone without the right to write to it. */
  readonly readsMemory: boolean
}

const mebibyte = 1024 * 1024
/** For the temporary files and for the guest itself: its kernel, the supervisor and what it has loaded. */
const overheadMiB = 64 + 384
const stepMiB = 256

/** Memory of a machine for a sandbox with these limits. In steps, so that few sleeping machines serve them all. */
export function memoryFor({ memoryBytes, diskBytes }: Pick<Limits, 'memoryBytes' | 'diskBytes'>): number {
  const needed = (memoryBytes + diskBytes) / mebibyte + overheadMiB
  return Math.ceil(needed / stepMiB) * stepMiB
}

/** No more than numerical libraries want: what is newest is slow to imitate. */
const imitated = { x64: 'qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt,+rdrand', arm64: 'cortex-a72' } as const

/**
 * A machine that has nothing but a processor, memory, a disk that it cannot write to and one serial port. No network
 * card, no screen, no USB, no default device; QEMU itself may start no program and gain no right.
 */
export function machineCommand(spec: MachineSpec): string[] {
  const { acceleration, memoryMiB, ram, incoming } = spec
  const isX64 = spec.architecture === 'x64'
  const console = isX64 ? 'ttyS0' : 'ttyAMA0'
  const kernel = ['quiet', `console=${console}`, 'panic=-1', 'random.trust_cpu=on', 'rdinit=/init']
  // What the guest's kernel does against its own programs costs much when it is imitated, and protects nobody else.
  if (acceleration === 'tcg') kernel.push('mitigations=off')
  const own = spec.readsMemory ? 'share=off,readonly=on,rom=off' : 'share=off'
  const memory = ram
    ? `memory-backend-file,id=ram,size=${memoryMiB}M,mem-path=${quoted(ram.file)},${ram.keeps ? 'share=on' : own}`
    : `memory-backend-ram,id=ram,size=${memoryMiB}M`
  return [
    spec.program,
    ...[
      '-nodefaults',
      '-no-user-config',
      '-no-reboot',
      '-display',
      'none',
      '-name',
      `countersign-sandbox-${spec.name}`,
    ],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    ...['-machine', `${isX64 ? 'q35,vmport=off,smbus=off,sata=off,hpet=off' : 'virt'},usb=off,memory-backend=ram`],
    ...['-accel', acceleration === 'tcg' ? 'tcg,tb-size=256' : acceleration],
    ...[
      '-cpu',
      acceleration === 'tcg' ? imitated[spec.architecture] : 'host',
      '-smp',
      '1',
      '-m',
      `${memoryMiB}M`,
      '-object',
      memory,
    ],
    ...['-kernel', spec.kernel, '-initrd', spec.initrd, '-append', kernel.join(' ')],
    ...['-drive', `if=none,id=disk,format=raw,readonly=on,file.locking=off,file=${quoted(spec.disk)}`],
    ...['-device', 'virtio-blk-pci,drive=disk'],
    ...['-device', 'virtio-serial-pci,max_ports=2', '-chardev', `socket,id=link,fd=${descriptors.link}`],
    ...['-device', 'virtserialport,chardev=link,nr=1,name=countersign'],
    ...['-chardev', `socket,id=control,fd=${descriptors.control}`, '-mon', 'chardev=control,mode=control'],
    ...['-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console'],
    ...(incoming ? ['-incoming', 'defer'] : []),
  ]
}

/** QEMU takes a comma for the end of a value. */
const quoted = (path: string): string => path.replaceAll(',', ',,')

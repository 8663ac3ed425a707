import type Docker from 'dockerode'
import { z } from 'zod'
import type { Mount } from '../../contract/placement.ts'
import { withAlgorithm } from './images.ts'

const names = z
  .array(z.string())
  .nullish()
  .transform(each => each ?? [])

/** What an engine says of a container that it has started. Podman leaves some of it out. */
const Inspected = z.object({
  Image: z.string(),
  Mounts: z
    .array(
      z.object({
        Type: z.string(),
        Source: z.string().default(''),
        Destination: z.string(),
        RW: z.boolean().default(true),
      }),
    )
    .nullish(),
  HostConfig: z.object({
    NetworkMode: z.string(),
    Privileged: z.boolean().nullish(),
    ReadonlyRootfs: z.boolean(),
    CapAdd: names,
    Devices: z.array(z.unknown()).nullish(),
    PidMode: z.string().nullish(),
    Runtime: z.string().nullish(),
  }),
})

/** A container as its engine describes it: what a placement is compared with, and in what else it is not as asked for. */
export interface Inspection {
  readonly image: string
  readonly mounts: readonly Mount[]
  readonly differences: readonly string[]
}

/** An engine's settings, its plug-ins or something in between may have made another container of what was asked for. */
export function inspection(said: unknown, asked: Docker.ContainerCreateOptions): Inspection {
  const parsed = Inspected.safeParse(said)
  if (!parsed.success) throw new Error('the engine does not say what container it has made')
  const { Image, Mounts, HostConfig: is } = parsed.data
  const host = asked.HostConfig ?? {}
  const rights = [...(host.CapAdd ?? [])].sort().join()
  const isConfined =
    !is.Privileged &&
    is.ReadonlyRootfs &&
    is.PidMode !== 'host' &&
    (is.Devices ?? []).length === 0 &&
    is.CapAdd.map(name => name.replace(/^CAP_/, ''))
      .sort()
      .join() === rights
  return {
    image: withAlgorithm(Image),
    // Folders in memory are its own.
    mounts: (Mounts ?? [])
      .filter(({ Type }) => Type !== 'tmpfs')
      .map(({ Source, Destination, RW }) => ({ source: Source, target: Destination, writable: RW })),
    differences: [
      ...(is.NetworkMode === 'none' ? [] : ['network']),
      ...(isConfined ? [] : ['confinement']),
      ...(host.Runtime === undefined || is.Runtime === host.Runtime ? [] : ['runtime']),
    ],
  }
}

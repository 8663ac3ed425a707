import { Box, Cloud, Layers, LockKeyhole, Server, ShieldOff } from 'lucide-react'
import type { Isolation } from '../../src/contract/run.ts'

export const isolationIcons: Record<Isolation, typeof Box> = {
  unconfined: ShieldOff,
  jail: LockKeyhole,
  container: Box,
  'user-space kernel': Layers,
  microvm: Server,
  cloud: Cloud,
}

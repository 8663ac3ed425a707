import { expect, it } from 'vitest'
import { AuditEntry, auditActions } from '../contract/audit.ts'
import { ocsfEvent } from './ocsf.ts'

/** Of OCSF 1.3: what every event must have and may have, and what each class that we use adds to both. */
const base = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid']
const optional = ['message', 'status_id', 'unmapped']
const classes: Record<number, { category: number; required: string[]; allowed: string[] }> = {
  6003: { category: 6, required: ['actor', 'api', 'src_endpoint'], allowed: [] },
  6002: { category: 6, required: ['app'], allowed: [] },
  3004: { category: 3, required: ['entity'], allowed: ['actor'] },
  3002: { category: 3, required: ['user', 'service'], allowed: ['actor'] },
}

const entry = AuditEntry.parse({
  seq: 7,
  id: '01900000-0000-7000-8000-000000000007',
  at: 1,
  session: '01900000-0000-7000-8000-0000000000aa',
  tenant: '01900000-0000-7000-8000-000000000001',
  actor: '01900000-0000-7000-8000-00000000000a',
  action: 'run.finished',
  details: { risk: 'high', success: false, name: 'Ana', version: '0.1.0', identity: 'x', key: 'y' },
})

it.each(auditActions)('%s is an event that a receiver which checks the schema takes', action => {
  const event = JSON.parse(JSON.stringify(ocsfEvent({ ...entry, action }, 'a'.repeat(64))))
  const known = classes[event.class_uid]
  const { required = [], allowed = [], category } = known ?? {}
  expect(event).toMatchObject({
    category_uid: category,
    type_uid: event.class_uid * 100 + event.activity_id,
    severity_id: 4,
    status_id: 2,
    metadata: { version: '1.3.0', product: { vendor_name: 'Countersign' }, sequence: 7 },
  })
  const names = Object.keys(event)
  expect([...base, ...required].filter(name => !names.includes(name))).toEqual([])
  expect(names.filter(name => ![...base, ...optional, ...required, ...allowed].includes(name))).toEqual([])
})

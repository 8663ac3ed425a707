import { useQuery } from '@tanstack/react-query'
import { ShieldX } from 'lucide-react'
import { rpc } from '../state/queries.ts'
import { setView, useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import styles from './seal.module.css'

/** Says in every place that the record was found damaged when it was opened. It cannot be dismissed: it is still so. */
export function DamageBanner() {
  const { data } = useQuery(rpc.audit.state.queryOptions())
  const place = useView(view => view.place)
  if (!data || data.damage.length === 0) return null
  return (
    <div role="alert" className={styles.banner}>
      <ShieldX aria-hidden />
      <p>
        <b>The audit record is damaged.</b> {data.damage.map(finding => finding.message).join(' ')}
      </p>
      {place !== 'audit' && <Button onClick={() => setView({ place: 'audit' })}>Look at the record</Button>}
    </div>
  )
}

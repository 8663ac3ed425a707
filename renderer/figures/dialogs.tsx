import { lazy, Suspense } from 'react'
import { useView } from '../state/view.ts'
import { useFigures } from './state.ts'

const PinDialog = lazy(() => import('./pin-dialog.tsx'))
const LineageDialog = lazy(() => import('./lineage-dialog.tsx'))
const ReportDialog = lazy(() => import('./report-dialog.tsx'))
const CompareDialog = lazy(() => import('./compare-dialog.tsx'))

/** What is open of the figures, over whatever place one is in. */
export function FigureDialogs() {
  const { pinning, lineage, comparing, report } = useFigures()
  const conversation = useView(view => view.conversation)
  return (
    <Suspense fallback={null}>
      {pinning && <PinDialog key={pinning.cell} {...pinning} />}
      {lineage && conversation && <LineageDialog key={lineage.figure} conversation={conversation} {...lineage} />}
      {report && <ReportDialog key={report.path} path={report.path} />}
      {comparing && <CompareDialog key={comparing} conversation={comparing} />}
    </Suspense>
  )
}

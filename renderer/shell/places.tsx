import { lazy, Suspense } from 'react'
import type { Place } from '../state/view.ts'
import { Loading } from '../ui/loading.tsx'

/** The places beside the notebook, each loaded when it is first visited. */
const pages = {
  analyses: lazy(() => import('../analyses/analyses.tsx')),
  workflows: lazy(() => import('../workflow/workflows.tsx')),
  mcp: lazy(() => import('../mcp/mcp.tsx')),
  review: lazy(() => import('../review/review.tsx')),
  sandboxes: lazy(() => import('../sandboxes/sandboxes.tsx')),
  audit: lazy(() => import('../audit/audit.tsx')),
  privacy: lazy(() => import('../privacy/privacy.tsx')),
  settings: lazy(() => import('../settings/settings.tsx')),
}

export function Places({ place }: { place: Exclude<Place, 'notebook'> }) {
  const Page = pages[place]
  return (
    <Suspense fallback={<Loading />}>
      <Page />
    </Suspense>
  )
}

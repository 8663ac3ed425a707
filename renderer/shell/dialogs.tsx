import { lazy, Suspense } from 'react'
import { FigureDialogs } from '../figures/dialogs.tsx'
import { setView, useView } from '../state/view.ts'

const loadPalette = () => import('../commands/palette.tsx')
const Palette = lazy(loadPalette)
// People type ahead: a palette that is still on its way would lose their first letters.
requestIdleCallback(loadPalette)
const BinDialog = lazy(() => import('../bin/bin-dialog.tsx'))
const Templates = lazy(() => import('../home/templates.tsx'))
const ConversationList = lazy(() => import('../home/conversation-list.tsx'))
const KeysHelp = lazy(() => import('../commands/keys-help.tsx'))
const Doctor = lazy(() => import('../settings/doctor.tsx'))
const ApprovalDialog = lazy(() => import('../review/dialog.tsx'))
const ChooseEnvironment = lazy(() => import('../environments/choose-dialog.tsx'))
const HeldDialog = lazy(() => import('../sandbox/held-dialog.tsx'))
const Search = lazy(() => import('../search/search.tsx'))

/** The dialogs that can be opened from anywhere. */
export function Dialogs() {
  const dialog = useView(view => view.dialog)
  const close = () => setView({ dialog: 'none' })
  return (
    <Suspense fallback={null}>
      {dialog === 'palette' && <Palette onClose={close} />}
      {dialog === 'conversations' && <ConversationList onClose={close} />}
      {dialog === 'bin' && <BinDialog onClose={close} />}
      {dialog === 'templates' && <Templates onClose={close} />}
      {dialog === 'keys' && <KeysHelp onClose={close} />}
      {dialog === 'doctor' && <Doctor onClose={close} />}
      <FigureDialogs />
      <ApprovalDialog />
      <HeldDialog />
      <ChooseEnvironment />
      {dialog === 'search' && <Search onClose={close} />}
    </Suspense>
  )
}

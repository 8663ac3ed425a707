import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import type { ConversationId } from '../../src/contract/ids.ts'
import { DamageBanner } from '../audit/damage.tsx'
import { Home } from '../home/home.tsx'
import { Inspector } from '../inspector/inspector.tsx'
import { useViewedTable } from '../inspector/viewed-table.ts'
import { Notebook } from '../notebook/notebook.tsx'
import { problemFrom } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { narrowWindow, setView, useView, type View } from '../state/view.ts'
import { Tour } from '../tour/tour.tsx'
import { MergeDialog } from '../tree/merge-dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import styles from './app.module.css'
import { Aside } from './aside.tsx'
import { useAppCommands } from './commands.ts'
import { Dialogs } from './dialogs.tsx'
import { Places } from './places.tsx'
import { Toasts } from './toasts.tsx'

import { TopBar } from './top-bar.tsx'

const Compare = lazy(() => import('../compare/compare.tsx'))
const Replay = lazy(() => import('../replay/replay.tsx'))
const TableViewer = lazy(() => import('../inspector/table-viewer.tsx'))

export function App() {
  useAppCommands()
  useTheme()
  useForgetLost()
  useNarrow()
  const { leftOpen, rightOpen, place, path, conversation, compare, replay } = useView()
  const { viewed } = useViewedTable()
  const layout = useDefaultLayout({ id: 'countersign.layout', panelIds: ['left', 'middle', 'right'] })
  const inNotebook = place === 'notebook'
  const hasPath = conversation !== null && path !== null
  return (
    <div className={styles.app}>
      <div>
        <TopBar />
        <DamageBanner />
      </div>
      <Group className={styles.panes} {...layout} orientation="horizontal">
        {leftOpen && (
          <>
            <Panel
              id="left"
              className={styles.left}
              defaultSize="240px"
              minSize="180px"
              maxSize="40%"
              groupResizeBehavior="preserve-pixel-size"
            >
              <Aside />
            </Panel>
            <Separator className={styles.separator} aria-label="Resize the tree" />
          </>
        )}
        <Panel id="middle" className={styles.middle} minSize="360px">
          <main className={styles.main}>
            {!inNotebook ? (
              <Places place={place} />
            ) : !hasPath ? (
              <Home />
            ) : compare ? (
              <Suspense fallback={<Loading />}>
                <Compare conversation={conversation} {...compare} />
              </Suspense>
            ) : (
              <Notebook key={path} conversation={conversation} path={path} />
            )}
          </main>
        </Panel>
        {rightOpen && inNotebook && hasPath && !compare && (
          <>
            <Separator className={styles.separator} aria-label="Resize the inspector" />
            <Panel
              id="right"
              className={styles.right}
              defaultSize="340px"
              minSize="220px"
              maxSize="45%"
              groupResizeBehavior="preserve-pixel-size"
            >
              <Inspector conversation={conversation} path={path} />
            </Panel>
          </>
        )}
      </Group>
      {conversation && <MergeDialog conversation={conversation} />}
      {replay && (
        <Suspense fallback={null}>
          <Replay path={replay} />
        </Suspense>
      )}
      {viewed && (
        <Suspense fallback={null}>
          <TableViewer key={`${viewed.path} ${viewed.name}`} {...viewed} />
        </Suspense>
      )}
      <Dialogs />
      <Toasts />
      <Tour />
    </div>
  )
}

/** A conversation that was open last time may be gone, or belong to another data folder: then one begins at home. */
function useForgetLost(): void {
  const conversation = useView(view => view.conversation)
  const tree = useQuery({
    ...rpc.conversations.tree.queryOptions({ input: conversation ?? ('' as ConversationId) }),
    enabled: conversation !== null,
  })
  useEffect(() => {
    if (tree.error && problemFrom(tree.error).code === 'not-found') setView({ conversation: null, path: null })
  }, [tree.error])
}

/** In a narrow window, or an enlarged one, the sides would leave no room for the middle: they step aside until asked for. */
function useNarrow(): void {
  useEffect(() => {
    const narrow = narrowWindow()
    let wide: Pick<View, 'leftOpen' | 'rightOpen'> | null = null
    const follow = () => {
      if (narrow.matches) {
        const { leftOpen, rightOpen } = useView.getState()
        wide = { leftOpen, rightOpen }
        setView({ leftOpen: false, rightOpen: false })
      } else if (wide) setView(wide)
    }
    follow()
    narrow.addEventListener('change', follow)
    return () => narrow.removeEventListener('change', follow)
  }, [])
}

/** The chosen theme on the root element, where the colours look for it. */
function useTheme(): void {
  const theme = useQuery(rpc.settings.get.queryOptions()).data?.settings.appearance.theme
  useEffect(() => {
    if (theme && theme !== 'system') document.documentElement.dataset.theme = theme
    else delete document.documentElement.dataset.theme
  }, [theme])
}

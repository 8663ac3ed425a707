import { Bot, CircleAlert, Hourglass, Play, RotateCcw, Square } from 'lucide-react'
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { isUnderWay, type LivePart, type Turn } from '../../src/contract/chat.ts'
import type { Item, ItemId } from '../../src/contract/conversations.ts'
import type { PathId } from '../../src/contract/ids.ts'
import { runCommand, useCommand } from '../commands/commands.ts'
import { StaticCode } from '../editor/static-code.tsx'
import type { FollowedEnd } from '../notebook/followed-end.ts'
import { outputActions } from '../notebook/output-actions.ts'
import { MarkdownText } from '../output/markdown.tsx'
import { useNow } from '../sandbox/badge.tsx'
import { client } from '../state/connection.ts'
import { setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { blocksOf } from './blocks.ts'
import { withoutLinks } from './figures.ts'
import { askSeen, useChat, useLive, useNewestTurn } from './state.ts'
import styles from './turn.module.css'
import type { IndexedChat } from './view.ts'

interface LiveTurnProps {
  readonly path: PathId
  readonly items: readonly Item[]
  /** Of the path, where it stands there; null below a question of before. */
  readonly end: Pick<FollowedEnd, 'followIfNear' | 'hold'> | null
}

/** What the model writes now: words as they come, code before its call is complete. */
export function LiveTurn({ path, items, end }: LiveTurnProps) {
  const live = useLive(state => state.paths.get(path))
  // Words that went before the item that holds them has come would leave a hole for a moment.
  const isOnPath = live?.items?.some(id => items.some(item => item.id === id)) ?? false
  const isShown = live !== undefined && live.parts.length > 0 && !isOnPath
  useLayoutEffect(() => {
    if (isShown) end?.followIfNear()
  }, [isShown, end])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each word that comes moves the end of the page
  useLayoutEffect(() => end?.hold(), [live, end])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!end || !isShown || !box.current) return
    // Text is drawn as it came first, and as Markdown when that has been read.
    const resized = new ResizeObserver(() => end.hold())
    resized.observe(box.current)
    return () => resized.disconnect()
  }, [isShown, end])
  if (!live || !isShown) return null
  return (
    <div ref={box} className={end ? `${styles.live} ${styles.last}` : styles.live} data-testid="live-turn">
      <span className={styles.who}>
        <Bot aria-hidden />
      </span>
      <div className={styles.parts}>
        {live.parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part keeps its place while it grows
          <Writing key={at} part={part} path={path} />
        ))}
      </div>
    </div>
  )
}

/**
 * The item behind which an answer is being written, where that is not the end of the path: a question of before was asked
 * again.
 */
export function useWrittenBehind(path: PathId, items: readonly Item[]): ItemId | null {
  const turn = useLive(state => state.paths.get(path)?.turn)
  const chat = useChat(path, whole)
  return useMemo(() => {
    if (!turn || !chat) return null
    const question = chat.turnOf.get(turn)?.question
    const behind = items.findLast(({ id }) => id === question || chat.partsOf.get(id)?.turn === turn)
    return behind && behind !== items.at(-1) ? behind.id : null
  }, [turn, chat, items])
}

const whole = (chat: IndexedChat): IndexedChat => chat

function Writing({ part, path }: { part: LivePart; path: PathId }) {
  if (part.kind === 'text') return <Words text={part.text} path={path} />
  if (part.kind === 'reasoning') return <p className={styles.thought}>{part.text.slice(-400)}</p>
  return (
    <section className={styles.call} aria-label={`${part.tool} is being written`}>
      <header>
        {part.tool} {part.language && `· ${part.language}`} · is being written
      </header>
      <StaticCode text={part.text} language={part.language ?? 'python'} onPoint={() => {}} />
    </section>
  )
}

/** Only the block that is being written is drawn anew with each word. */
function Words({ text, path }: { text: string; path: PathId }) {
  const actions = useMemo(() => outputActions(path, '' as never), [path])
  return (
    <div className={styles.blocks}>
      {blocksOf(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place while the text grows
        <Block key={at} text={block} actions={actions} adapt={withoutLinks} />
      ))}
    </div>
  )
}

const Block = memo(MarkdownText)

/** How the newest answer stands, and what can be done about it. */
export function TurnBar({ path }: { path: PathId }) {
  const turn = useNewestTurn(path)
  const goes = turn !== undefined && isUnderWay(turn.state)
  const isLeft = turn !== undefined && !goes && turn.state !== 'done' && turn.state !== 'superseded'
  useCommand('chat.stop', goes ? () => client.chat.stop(turn.id) : null)
  useCommand('chat.goOn', isLeft ? () => client.chat.goOn(turn.id) : null)
  useCommand('chat.again', isLeft ? () => retry(turn) : null)
  if (!turn) return null
  const shown = turn.state === 'done' || turn.state === 'superseded' ? turn.notices : [null]
  if (shown.length === 0) return null
  return (
    <div className={styles.bar} role="status" data-state={turn.state}>
      <Standing turn={turn} />
      <span className={styles.space} />
      {turn.state === 'resting' && turn.waiting && (
        <Button onClick={() => setView({ place: 'review', request: turn.waiting?.request ?? null })}>Review…</Button>
      )}
      {turn.state === 'resting' && (
        <Button icon={<Square />} onClick={() => runCommand('chat.stop')}>
          Stop
        </Button>
      )}
      {isLeft && (
        <>
          <Button icon={<Play />} onClick={() => runCommand('chat.goOn')}>
            Go on
          </Button>
          <Button icon={<RotateCcw />} onClick={() => runCommand('chat.again')}>
            Ask again
          </Button>
        </>
      )}
    </div>
  )
}

const retry = ({ path, question, model }: Turn): Promise<boolean> =>
  askSeen({ path, question, model }, async each => {
    await client.chat.retry(each)
  })

const waits: Partial<Record<Turn['state'], string>> = {
  asking: 'is writing',
  running: 'runs code',
  resting: 'waits for a reviewer. It goes on after the decision, also tomorrow',
}

function Standing({ turn }: { turn: Turn }) {
  const now = useNow(500)
  if (turn.state === 'pausing' && turn.waitUntil !== null)
    return (
      <span className={styles.words}>
        <Hourglass aria-hidden /> {turn.problem?.message} Asked again in{' '}
        {Math.max(0, Math.ceil((turn.waitUntil - now) / 1000))} s.
      </span>
    )
  const going = waits[turn.state]
  if (going)
    return (
      <span className={styles.words}>
        {turn.state === 'resting' ? <Hourglass aria-hidden /> : <span className={styles.dot} />} {turn.model.model}{' '}
        {going}
        {turn.notices.map(notice => ` · ${notice}`)}
      </span>
    )
  return (
    <span className={styles.words}>
      {turn.problem && <CircleAlert aria-hidden />}
      {turn.problem ? `${turn.problem.message} ${turn.problem.hint}` : turn.state === 'stopped' ? 'Stopped.' : ''}{' '}
      {turn.notices.join(' · ')}
    </span>
  )
}

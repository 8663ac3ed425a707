import '@xyflow/react/dist/style.css'
import {
  Controls,
  type Edge,
  Handle,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { TaskState, TaskView } from '../../src/contract/workflow.ts'
import { type Frame, type Layout, layoutOf, middleOf, neighbourOf, size } from './layout.ts'
import { Time } from './time.tsx'
import { boxWords, stateMarks, stateWords, typeWords } from './words.ts'
import styles from './workflow.module.css'

// A type and not an interface: the library wants data that could have any further key.
export type GraphTask = {
  readonly name: string
  readonly layer: number
  readonly needs: readonly string[]
  readonly state: TaskState
  readonly type?: TaskView['type']
  readonly startedAt?: number | null
  readonly finishedAt?: number | null
}

interface Props {
  readonly tasks: readonly GraphTask[]
  readonly selected: string | null
  readonly onSelect: (task: string) => void
}

/** Until it has been measured. */
const usualFrame: Frame = { width: 690, height: 420 }

/** Smaller than that, names cannot be read. */
const leastZoom = 0.55
const openingZoom = 0.8
const all = { padding: 0.05, maxZoom: 1 }
/** Where most is happening, or is about to. */
const interest: readonly TaskState[] = ['failed', 'waiting', 'running', 'pending']

/** The tasks by layer, with what waits for what. What is too large to be read as a whole opens where something happens. */
export function TaskGraph({ tasks, selected, onSelect }: Props) {
  const box = useRef<HTMLElement>(null)
  const flow = useRef<ReactFlowInstance<TaskNode> | null>(null)
  const moved = useRef(false)
  const [frame, setFrame] = useState(usualFrame)
  const [current, setCurrent] = useState<string | null>(null)
  useLayoutEffect(() => {
    const { current: element } = box
    if (!element) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element
      if (width > 0 && height > 0) setFrame({ width, height })
    }
    measure()
    const watching = new ResizeObserver(measure)
    watching.observe(element)
    return () => watching.disconnect()
  }, [])
  const shape = tasks.map(({ name, layer, needs }) => `${name} ${layer} ${needs.join(' ')}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: where a task stands does not depend on its state.
  const layout = useMemo(() => layoutOf(tasks, frame), [shape, frame])
  const isLarge = layout.zoom < leastZoom
  const stop = tasks.find(({ name }) => name === (current ?? selected))?.name ?? tasks[0]?.name ?? null
  const { nodes, edges } = useMemo(() => drawing(tasks, layout, selected, stop), [tasks, layout, selected, stop])
  const open = () => {
    const state = interest.find(each => tasks.some(task => task.state === each))
    const place = layout.positions.get(tasks.find(task => task.state === state)?.name ?? '')
    if (!isLarge || !place) return void flow.current?.fitView(all)
    const { x, y } = middleOf(place)
    void flow.current?.setCenter(x, y, { zoom: openingZoom })
  }
  // Another size is fitted anew, unless somebody has moved it to what they look at.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a state that changes must not move what is looked at.
  useEffect(() => {
    if (!moved.current) open()
  }, [layout])
  // The library moves the focus from box to box, and tells of clicks only.
  const onKeyDown = (event: KeyboardEvent) => {
    const task = (event.target as HTMLElement).closest<HTMLElement>('.react-flow__node')?.dataset.id
    if (task === undefined) return
    if (event.key === 'Enter' || event.key === ' ') onSelect(task)
    const next = neighbourOf(tasks, layout, task, event.key)
    if (next === null) return
    event.preventDefault()
    setCurrent(next)
    box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"]`)?.focus()
  }
  return (
    <figure ref={box} className={styles.graph} aria-label={`Graph of ${tasks.length} tasks`} onKeyDown={onKeyDown}>
      <ReactFlow
        // The view is made for a shape: another one is shown anew.
        key={`${layout.direction} ${tasks.length}`}
        onInit={made => {
          flow.current = made
          moved.current = false
          open()
        }}
        onMoveStart={event => {
          if (event) moved.current = true
        }}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onNodeClick={(_, node) => {
          setCurrent(node.id)
          onSelect(node.id)
        }}
        ariaLabelConfig={words}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} orientation="horizontal" fitViewOptions={all} />
        {isLarge && (
          <MiniMap<TaskNode>
            pannable
            zoomable
            className={styles.map ?? ''}
            style={mapSize}
            nodeColor={({ data }) => colours[data.state]}
          />
        )}
      </ReactFlow>
    </figure>
  )
}

const words = {
  'controls.ariaLabel': 'Size of the graph',
  'controls.zoomIn.ariaLabel': 'Larger',
  'controls.zoomOut.ariaLabel': 'Smaller',
  'controls.fitView.ariaLabel': 'Show all of it',
  'minimap.ariaLabel': 'All of the graph',
}

/** It counts in what it draws; the rest of its look is in the style sheet. */
const mapSize = { width: 140, height: 96 }

const colours: Record<TaskState, string> = {
  pending: 'var(--line-strong)',
  running: 'var(--accent)',
  waiting: 'var(--risk-medium)',
  completed: 'var(--risk-low)',
  failed: 'var(--risk-high)',
  skipped: 'var(--line)',
}

type TaskNode = Node<GraphTask & { isSelected: boolean; isNeeded: boolean; direction: Layout['direction'] }, 'task'>

/** `stop`: the one task at which the Tab key stops; arrow keys lead to the others. */
function drawing(
  tasks: readonly GraphTask[],
  { positions, direction }: Layout,
  selected: string | null,
  stop: string | null,
) {
  const needed = new Set(tasks.flatMap(({ needs }) => needs))
  const nodes = tasks.map(
    (task): TaskNode => ({
      id: task.name,
      type: 'task',
      position: positions.get(task.name) ?? { x: 0, y: 0 },
      data: { ...task, isSelected: task.name === selected, isNeeded: needed.has(task.name), direction },
      ariaLabel: `${task.name}, ${stateWords[task.state]}`,
      domAttributes: { tabIndex: task.name === stop ? 0 : -1 },
      // Known, so that the small picture of all has them too before they are measured.
      ...size,
    }),
  )
  const edges = tasks.flatMap(({ name, needs, state }): Edge[] =>
    needs.map(from => ({ id: `${from} ${name}`, source: from, target: name, animated: state === 'running' })),
  )
  return { nodes, edges }
}

const nodeTypes = { task: TaskBox }

function TaskBox({ data }: NodeProps<TaskNode>) {
  const isDown = data.direction === 'down'
  return (
    <div className={styles.task} data-state={data.state} data-selected={data.isSelected}>
      {data.needs.length > 0 && (
        <Handle type="target" position={isDown ? Position.Top : Position.Left} isConnectable={false} />
      )}
      <div>
        <strong title={data.name}>{data.name}</strong>
        {data.type && data.type !== 'code_execution' && <span>{typeWords[data.type]}</span>}
      </div>
      <span>
        <span aria-hidden>{stateMarks[data.state]}</span> {boxWords[data.state]}
        <Time task={timesOf(data)} before=" · " />
      </span>
      {data.isNeeded && (
        <Handle type="source" position={isDown ? Position.Bottom : Position.Right} isConnectable={false} />
      )}
    </div>
  )
}

const timesOf = ({ state, startedAt = null, finishedAt = null }: GraphTask) => ({ state, startedAt, finishedAt })

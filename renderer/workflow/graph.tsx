import '@xyflow/react/dist/style.css'
import { type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { TaskState, TaskView } from '../../src/contract/workflow.ts'
import { type Frame, type Layout, layoutOf } from './layout.ts'
import { stateMarks, stateWords, took, typeWords } from './words.ts'
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

/** The tasks by layer, with what waits for what. */
export function TaskGraph({ tasks, selected, onSelect }: Props) {
  const box = useRef<HTMLElement>(null)
  const [frame, setFrame] = useState(usualFrame)
  useLayoutEffect(() => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = box.current ?? {}
    if (width > 0 && height > 0) setFrame({ width, height })
  }, [])
  const { nodes, edges, direction } = useMemo(() => drawing(tasks, selected, frame), [tasks, selected, frame])
  return (
    <figure ref={box} className={styles.graph} aria-label={`Graph of ${tasks.length} tasks`}>
      <ReactFlow
        // The view is fitted when it is made: another shape is fitted anew.
        key={`${direction} ${tasks.length}`}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ padding: 0.05, maxZoom: 1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        onNodeClick={(_, node) => onSelect(node.id)}
        proOptions={{ hideAttribution: true }}
      />
    </figure>
  )
}

type TaskNode = Node<GraphTask & { isSelected: boolean; isNeeded: boolean; direction: Layout['direction'] }, 'task'>

function drawing(tasks: readonly GraphTask[], selected: string | null, frame: Frame) {
  const { positions, direction } = layoutOf(tasks, frame)
  const needed = new Set(tasks.flatMap(({ needs }) => needs))
  const nodes = tasks.map(
    (task): TaskNode => ({
      id: task.name,
      type: 'task',
      position: positions.get(task.name) ?? { x: 0, y: 0 },
      data: { ...task, isSelected: task.name === selected, isNeeded: needed.has(task.name), direction },
      ariaLabel: `${task.name}, ${stateWords[task.state]}`,
    }),
  )
  const edges = tasks.flatMap(({ name, needs, state }): Edge[] =>
    needs.map(from => ({ id: `${from} ${name}`, source: from, target: name, animated: state === 'running' })),
  )
  return { nodes, edges, direction }
}

const nodeTypes = { task: TaskBox }

function TaskBox({ data }: NodeProps<TaskNode>) {
  const isDown = data.direction === 'down'
  const time = took({ startedAt: data.startedAt ?? null, finishedAt: data.finishedAt ?? null })
  return (
    <div className={styles.task} data-state={data.state} data-selected={data.isSelected}>
      {data.needs.length > 0 && (
        <Handle type="target" position={isDown ? Position.Top : Position.Left} isConnectable={false} />
      )}
      <strong>{data.name}</strong>
      <span>
        <span aria-hidden>{stateMarks[data.state]}</span> {stateWords[data.state]}
        {time && ` · ${time}`}
        {data.type && data.type !== 'code_execution' && ` · ${typeWords[data.type]}`}
      </span>
      {data.isNeeded && (
        <Handle type="source" position={isDown ? Position.Bottom : Position.Right} isConnectable={false} />
      )}
    </div>
  )
}

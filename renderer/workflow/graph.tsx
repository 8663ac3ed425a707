import '@xyflow/react/dist/style.css'
import { type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import type { TaskState, TaskView } from '../../src/contract/workflow.ts'
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

const width = 210
const height = 84

/** The tasks by layer from left to right, with what waits for what. */
export function TaskGraph({ tasks, selected, onSelect }: Props) {
  const { nodes, edges } = useMemo(() => drawing(tasks, selected), [tasks, selected])
  return (
    <figure className={styles.graph} aria-label={`Graph of ${tasks.length} tasks`}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ padding: 0.15, maxZoom: 1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        onNodeClick={(_, node) => onSelect(node.id)}
        proOptions={{ hideAttribution: true }}
      />
    </figure>
  )
}

type TaskNode = Node<GraphTask & { isSelected: boolean }, 'task'>

function drawing(tasks: readonly GraphTask[], selected: string | null) {
  const rows = new Map<number, number>()
  const nodes = tasks.map((task): TaskNode => {
    const row = rows.get(task.layer) ?? 0
    rows.set(task.layer, row + 1)
    return {
      id: task.name,
      type: 'task',
      position: { x: task.layer * (width + 60), y: row * (height + 24) },
      data: { ...task, isSelected: task.name === selected },
      ariaLabel: `${task.name}, ${stateWords[task.state]}`,
    }
  })
  const edges = tasks.flatMap(({ name, needs, state }): Edge[] =>
    needs.map(from => ({ id: `${from} ${name}`, source: from, target: name, animated: state === 'running' })),
  )
  return { nodes, edges }
}

const nodeTypes = { task: TaskBox }

function TaskBox({ data }: NodeProps<TaskNode>) {
  const time = took({ startedAt: data.startedAt ?? null, finishedAt: data.finishedAt ?? null })
  return (
    <div className={styles.task} data-state={data.state} data-selected={data.isSelected}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <strong>{data.name}</strong>
      <span>
        <span aria-hidden>{stateMarks[data.state]}</span> {stateWords[data.state]}
        {time && ` · ${time}`}
      </span>
      {data.type && <small>{typeWords[data.type]}</small>}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
}

import { Check, Copy, Ellipsis, FileQuestion, Pin, Save } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { MimeBundle, Output } from '../../src/contract/run.ts'
import { readCsv } from '../table/csv.ts'
import { readDataResource } from '../table/dataresource.ts'
import { Table } from '../table/table.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import type { OutputActions } from './actions.ts'
import { Boundary } from './boundary.tsx'
import { Chart } from './chart/chart.tsx'
import { type Form, fileName, formsOf, textOf, toBlob, type View } from './forms.ts'
import { Frame } from './frame/frame.tsx'
import { Picture } from './image.tsx'
import { JsonTree } from './json/tree.tsx'
import { MarkdownText } from './markdown.tsx'
import styles from './output.module.css'
import { Text } from './text/text.tsx'

const AnalysisView = lazy(() => import('../analyses/cell-result.tsx'))

type Shown = Extract<Output, { type: 'display' | 'result' }>

interface DisplayProps {
  readonly output: Shown
  readonly scripts: 'ask' | 'run'
  readonly actions: OutputActions
}

/** One display: its richest form, and a menu with the others. */
export function Display({ output, scripts, actions }: DisplayProps) {
  const forms = useMemo(() => formsOf(output.data), [output.data])
  const [chosen, choose] = useState<string>()
  const form = forms.find(({ mime }) => mime === chosen) ?? forms[0]
  if (!form) return null
  const draw = drawn[form.view]
  const fallback = <Fallback {...{ output, form, actions }} />
  return (
    <div className={styles.display} data-view={form.view}>
      <div className={styles.shown}>
        <Boundary of={form} fallback={fallback}>
          {draw({ form, scripts, actions, output, fallback })}
        </Boundary>
      </div>
      <Menu trigger={<MenuButton />} items={menuItems(forms, form, choose, actions)} />
    </div>
  )
}

/** For a form that turns out not to be what its type says, or that cannot be drawn. */
function Fallback({ output, form, actions }: { output: Shown; form: Form; actions: OutputActions }) {
  return (
    <div>
      <p className={styles.note}>This output could not be shown as {form.label}.</p>
      <Text chunks={[plainText(output.data, form)]} label="Output as text" actions={actions} />
    </div>
  )
}

function MenuButton(props: object) {
  return (
    <button type="button" className={styles.menu} aria-label="Output menu" {...props}>
      <Ellipsis aria-hidden size={15} />
    </button>
  )
}

function menuItems(forms: Form[], current: Form, choose: (mime: string) => void, actions: OutputActions) {
  const items: (MenuItem | 'line')[] = forms.map(form => ({
    label: form.label,
    icon: form === current ? <Check aria-label="shown now" /> : null,
    onSelect: () => choose(form.mime),
  }))
  if (current.view !== 'image' && current.view !== 'file') {
    const copy = () => void navigator.clipboard.writeText(textOf(current.value)).catch(() => {})
    items.push('line', { label: 'Copy source', icon: <Copy />, onSelect: copy })
  } else items.push('line')
  const { onPin } = actions
  if (onPin) items.push({ label: 'Pin a figure…', keys: 'P', icon: <Pin />, onSelect: () => onPin() })
  items.push({ label: 'Save…', icon: <Save />, onSelect: () => save(current, actions) })
  return items
}

const save = (form: Form, actions: OutputActions) => actions.onSave(fileName(form.mime), form.mime, toBlob(form))

interface Drawing extends DisplayProps {
  readonly form: Form
  readonly fallback: ReactNode
}

/** How each kind is drawn. A new kind does not compile until it stands here. */
const drawn: Record<View, (drawing: Drawing) => ReactNode> = {
  analysis: ({ form }) => (
    <Suspense fallback={null}>
      <AnalysisView value={form.value} />
    </Suspense>
  ),
  chart: ({ form, output }) => <Chart spec={form.value} label={nameFor(output, 'Chart')} />,
  table: drawing => <ResourceTable {...drawing} />,
  csv: ({ form, actions }) => <CsvTable text={textOf(form.value)} actions={actions} />,
  html: ({ form, scripts, actions }) => (
    <Frame html={textOf(form.value)} label="HTML output" {...{ scripts, actions }} />
  ),
  svg: ({ form, scripts, actions, output }) => (
    <Frame html={withoutProlog(textOf(form.value))} label={nameFor(output, 'Drawing')} {...{ scripts, actions }} />
  ),
  markdown: ({ form, actions }) => <MarkdownText text={textOf(form.value)} actions={actions} />,
  image: ({ form, output, actions }) => (
    <figure className={styles.figure}>
      <Picture form={form} alt={nameFor(output, 'Image')} size={output.metadata?.[form.mime]} />
      <button type="button" className={styles.save} onClick={() => save(form, actions)}>
        <Save aria-hidden size={13} /> Save image
      </button>
    </figure>
  ),
  json: ({ form }) => <JsonTree value={form.value} label={form.label} />,
  text: ({ form, actions }) => <Text chunks={[textOf(form.value)]} label={form.label} actions={actions} />,
  file: ({ form, actions }) => <Unknown form={form} actions={actions} />,
}

function ResourceTable({ form, output, actions, fallback }: Drawing) {
  const resource = useMemo(() => readDataResource(form.value), [form.value])
  if (!resource) return fallback
  const about = output.metadata?.[form.mime]
  const said = typeof about === 'object' && about !== null && !Array.isArray(about) ? about : {}
  const rows = Number(said.rows)
  const totalRows = Number.isInteger(rows) ? Math.max(rows, resource.totalRows) : resource.totalRows
  const { variable } = said
  const view = actions.onViewTable
  return (
    <Table
      source={resource.source}
      totalRows={totalRows}
      name="Table"
      onSave={actions.onSave}
      {...(view && typeof variable === 'string' && { onViewAll: () => view(variable) })}
    />
  )
}

function CsvTable({ text, actions }: { text: string; actions: OutputActions }) {
  const source = useMemo(() => readCsv(text), [text])
  return <Table source={source} name="Table" onSave={actions.onSave} />
}

function Unknown({ form, actions }: { form: Form; actions: OutputActions }) {
  const bytes = toBlob(form).size
  return (
    <div className={styles.file}>
      <FileQuestion aria-hidden size={20} />
      <span>
        <strong>{form.mime || 'Unnamed type'}</strong>
        <small>{bytes.toLocaleString('en')} bytes that cannot be shown here</small>
      </span>
      <button type="button" className={styles.save} onClick={() => save(form, actions)}>
        <Save aria-hidden size={13} /> Save
      </button>
    </div>
  )
}

/** What a picture shows, for those who do not see it: its maker's words where there are any. */
function nameFor(output: Shown, kind: string): string {
  const { alt } = output.metadata ?? {}
  if (typeof alt === 'string' && alt) return alt
  const plain = textOf(output.data['text/plain'] ?? '')
  return plain && plain.length < 200 && !plain.startsWith('<') ? plain : `${kind} made by this cell`
}

const plainText = (data: MimeBundle, form: Form) => textOf(data['text/plain'] ?? form.value)

/** The declarations before the root mean nothing in a page of HTML and would be shown as text. */
const withoutProlog = (svg: string) => svg.slice(Math.max(0, svg.search(/<svg[\s>]/i)))

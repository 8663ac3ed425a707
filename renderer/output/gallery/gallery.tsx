import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { columnTable } from '../../table/source.ts'
import { Table } from '../../table/table.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { type OutputActions, Outputs } from '../output.tsx'
import { samples } from './samples.ts'
import '../../ui/base.css'
import styles from './gallery.module.css'

/** Every kind of output on one page, to be looked at while working on them. `?show=` picks one, `?theme=dark` the theme. */
const asked = new URLSearchParams(location.search)
document.documentElement.dataset.theme = asked.get('theme') ?? 'light'

const told: unknown[] = []
const actions: OutputActions = {
  onOpenLine: (...args) => told.push(['line', ...args]),
  onOpenLink: (...args) => told.push(['link', ...args]),
  onSave: (name, mime, data) => told.push(['save', name, mime, data.size]),
  onSaveAll: () => told.push(['all']),
}

const count = 1_000_000
const million = () =>
  columnTable(
    [
      { name: 'account', type: 'number', key: true },
      { name: 'exposure', type: 'number' },
      { name: 'branch', type: 'text' },
      { name: 'rating', type: 'text' },
    ],
    [
      Int32Array.from({ length: count }, (_, row) => 1_000_000 + row),
      Float64Array.from({ length: count }, (_, row) => Math.round(((row * 7919) % 1_000_003) * 1234.5) / 100),
      Array.from(
        { length: count },
        (_, row) => ['Cork', 'Dublin', 'Galway', 'Limerick', 'Waterford'][(row * 31) % 5] ?? '',
      ),
      Array.from({ length: count }, (_, row) => ['AAA', 'AA', 'A', 'BBB', 'BB', null][(row * 17) % 6] ?? null),
    ],
  )

function Gallery() {
  const only = asked.get('show')
  const shown = Object.entries(samples).filter(([name]) => !only || name === only)
  return (
    <main className={styles.gallery}>
      {shown.map(([name, sample]) => (
        <section key={name} id={name} aria-label={name}>
          <h2>{name}</h2>
          <Outputs actions={actions} {...sample} scripts={asked.get('scripts') === 'run' ? 'run' : 'ask'} />
        </section>
      ))}
      {(only === 'million' || !only) && (
        <section id="million" aria-label="million">
          <h2>million</h2>
          <Table source={million()} name="Exposures" onSave={actions.onSave} />
        </section>
      )}
    </main>
  )
}

Object.assign(window, {
  told,
  /** Lets a browser test put any output on the page. */
  show: (outputs: Parameters<typeof Outputs>[0]['outputs'], scripts: 'ask' | 'run' = 'ask') =>
    root.render(
      <TooltipProvider>
        <main className={styles.gallery}>
          <Outputs actions={actions} outputs={outputs} scripts={scripts} />
        </main>
      </TooltipProvider>,
    ),
})

const root = createRoot(document.getElementById('root') ?? document.body)
const gallery = (
  <StrictMode>
    <TooltipProvider>
      <Gallery />
    </TooltipProvider>
  </StrictMode>
)
if (!asked.has('empty')) root.render(gallery)

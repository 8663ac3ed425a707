import { type Loader, None, parse, type Spec, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { type Config, compile, type TopLevelSpec } from 'vega-lite'

/** Data made out of nothing beyond this would take minutes. */
const mostPoints = 1_000_000

/**
 * Draws a Vega-Lite chart as SVG, for pages without script. Expressions are interpreted, nothing is fetched, and what
 * asks for that is refused. Runs in a thread with a time limit: a hostile chart costs the thread.
 */
export async function drawSvg(spec: unknown): Promise<string> {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) throw new Error('not a chart')
  const { usermeta: _, ...rest } = spec as Record<string, unknown>
  refuseLarge(rest)
  const isSingle = 'mark' in rest || 'layer' in rest
  const sized = isSingle && !('width' in rest) ? { ...rest, width: 560, height: rest.height ?? 260 } : rest
  const { spec: compiled } = compile(sized as unknown as TopLevelSpec, { config: look, logger: silent })
  const view = new View(parse(compiled as Spec, {}, { ast: true }), {
    expr: expressionInterpreter,
    loader: closed,
    renderer: 'none',
    logLevel: None,
  } as ConstructorParameters<typeof View>[1])
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}

function refuseLarge(value: unknown, depth = 0): void {
  if (depth > 200) throw new Error('nested too deeply')
  if (typeof value !== 'object' || value === null) return
  if ('url' in value && 'data' in (value as object)) throw new Error('nothing is fetched')
  const { sequence } = value as { sequence?: { start?: unknown; stop?: unknown; step?: unknown } }
  if (sequence && typeof sequence === 'object') {
    const points = (Number(sequence.stop ?? 0) - Number(sequence.start ?? 0)) / Number(sequence.step ?? 1)
    if (!(Math.abs(points) <= mostPoints)) throw new Error('too many points')
  }
  for (const each of Object.values(value)) refuseLarge(each, depth + 1)
}

const refuse = async (): Promise<never> => {
  throw new Error('nothing is fetched')
}
const closed: Loader = { load: refuse, sanitize: refuse, http: refuse, file: refuse } as unknown as Loader

const quiet = () => silent
const silent = { level: quiet, error: quiet, warn: quiet, info: quiet, debug: quiet } as never

const sans = 'Liberation Sans, Arial, sans-serif'
const [ink, soft, line] = ['#1b2436', '#5a6273', '#dfe2e8']
const look: Config = {
  background: 'transparent',
  font: sans,
  padding: 4,
  view: { stroke: 'transparent' },
  axis: {
    labelColor: soft,
    titleColor: ink,
    domainColor: line,
    gridColor: line,
    tickColor: line,
    titleFontWeight: 600,
  },
  title: { color: ink, anchor: 'start', fontSize: 13, offset: 10 },
  mark: { color: '#35618e' },
  line: { strokeWidth: 2 },
  bar: { cornerRadiusEnd: 2 },
  range: { category: ['#35618e', '#a3500b', '#2f6b4f', '#8a6d3b', '#6b4c8a', '#9b1c1c', '#3f7f86', '#5a6273'] },
}

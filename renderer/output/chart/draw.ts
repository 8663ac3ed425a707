import { type Config, type Loader, None, parse, type Spec, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile, type Config as LiteConfig, type TopLevelSpec } from 'vega-lite'
import type { MimeBundle } from '../../../src/contract/run.ts'
import type { Theme } from '../theme.ts'
import { checkSpec } from './check.ts'
import { tooltip } from './tooltip.ts'

/**
 * Draws a chart into an element. Expressions are interpreted, not compiled, so that the page needs no `unsafe-eval`;
 * nothing is fetched, whatever the chart asks for.
 */
export async function drawChart(
  element: HTMLElement,
  spec: MimeBundle[string],
  theme: Theme,
  label: string,
  signal: AbortSignal,
): Promise<View | null> {
  const checked = checkSpec(spec, element.clientWidth)
  const { spec: compiled } = compile(checked as unknown as TopLevelSpec, { config: look(theme), logger: silent })
  const runtime = parse(compiled as Spec, {} as Config, { ast: true })
  const refused: string[] = []
  const view = new View(runtime, {
    expr: expressionInterpreter,
    loader: closedLoader(address => refused.push(address)),
    renderer: 'svg',
    container: element,
    hover: true,
    logLevel: None,
    tooltip: tooltip(element),
  } as ConstructorParameters<typeof View>[1])
  view.description(view.description() || label)
  if (signal.aborted) return null
  await view.runAsync()
  // Vega itself goes on with no data, and an empty chart would say that there is nothing.
  if (refused[0] !== undefined) {
    view.finalize()
    throw new Error(`it asks for data from ${refused[0].slice(0, 200)}, and nothing is fetched`)
  }
  return view
}

/** Refuses every address but pictures that came along as data. */
function closedLoader(refuse: (address: string) => void): Loader {
  return {
    load: async address => {
      refuse(String(address))
      throw new Error('nothing is fetched')
    },
    sanitize: async address => {
      if (/^data:image\/(?:png|jpeg|gif|webp);/i.test(address)) return { href: address }
      throw new Error('nothing is fetched')
    },
    http: async () => '',
    file: async () => '',
  }
}

const quiet = () => silent
const silent = { level: quiet, error: quiet, warn: quiet, info: quiet, debug: quiet } as never

function look(theme: Theme): LiteConfig {
  const text = {
    labelColor: theme.inkSoft,
    titleColor: theme.ink,
    labelFont: theme.fontText,
    titleFont: theme.fontText,
  }
  return {
    background: 'transparent',
    font: theme.fontText,
    padding: 4,
    view: { stroke: 'transparent' },
    axis: {
      ...text,
      labelFontSize: 11,
      titleFontSize: 11,
      titleFontWeight: 600,
      titlePadding: 10,
      domainColor: theme.line,
      gridColor: theme.line,
      gridOpacity: 0.7,
      tickColor: theme.line,
    },
    legend: { ...text, labelFontSize: 11, titleFontSize: 11, titleFontWeight: 600, symbolStrokeWidth: 2 },
    header: text,
    title: {
      color: theme.ink,
      subtitleColor: theme.inkSoft,
      font: theme.fontText,
      subtitleFont: theme.fontText,
      fontSize: 13,
      anchor: 'start',
      offset: 12,
    },
    mark: { color: theme.series[0] ?? theme.ink },
    text: { color: theme.ink, font: theme.fontText },
    rule: { color: theme.inkSoft },
    bar: { cornerRadiusEnd: 2 },
    line: { strokeWidth: 2 },
    range: { category: [...theme.series] },
  } as LiteConfig
}

import styles from './chart.module.css'

type Handler = (handler: unknown, event: MouseEvent, item: unknown, value: unknown) => void

/** Shows a mark's values beside the pointer, as text: what a chart says is never taken for HTML. */
export function tooltip(chart: HTMLElement): Handler {
  let shown: HTMLElement | null = null
  const hide = () => {
    shown?.remove()
    shown = null
  }
  chart.addEventListener('mouseleave', hide)
  return (_, event, __, value) => {
    if (value === null || value === undefined || value === '') return hide()
    shown ??= chart.appendChild(Object.assign(document.createElement('div'), { className: styles.tooltip ?? '' }))
    shown.replaceChildren(...lines(value))
    const area = chart.getBoundingClientRect()
    const left = Math.min(event.clientX - area.left + 12, Math.max(0, area.width - shown.offsetWidth))
    shown.style.translate = `${left}px ${event.clientY - area.top + 12}px`
  }
}

function lines(value: unknown): HTMLElement[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [['', value] as const]
  return entries.slice(0, 20).map(([name, said]) => {
    const line = document.createElement('div')
    const key = line.appendChild(document.createElement('span'))
    key.textContent = name
    line.append(String(said).slice(0, 200))
    return line
  })
}

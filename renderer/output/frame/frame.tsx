import { Play, ShieldAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { OutputActions } from '../actions.ts'
import { useTheme } from '../theme.ts'
import page from './frame.html?url&no-inline'
import styles from './frame.module.css'
import { hasScripts, isWebLink, readMessage, themeCss } from './messages.ts'

/** A page may ask to be measured again and again; one that asks this often means harm. */
const mostMessages = 500
const tallest = 640

interface FrameProps {
  readonly html: string
  readonly label: string
  /** Whether scripts in it run at once, or only when the person says so. */
  readonly scripts: 'ask' | 'run'
  readonly actions: OutputActions
}

/**
 * HTML and SVG from a run, in a page of their own that reaches nothing: no host, no storage, not the application. The
 * page's policy is its own (`frame.html`), the sandbox gives it an origin that nobody shares, and all that comes out of
 * it is a height and the address of a link that was clicked.
 */
export function Frame({ html, label, scripts, actions }: FrameProps) {
  const [allowed, setAllowed] = useState(scripts === 'run')
  const interactive = hasScripts(html)
  return (
    <div className={styles.frame}>
      {interactive && !allowed && (
        <p className={styles.bar}>
          <ShieldAlert aria-hidden size={14} /> The scripts of this output are not running.
          <button type="button" onClick={() => setAllowed(true)}>
            <Play aria-hidden size={12} /> Run them in isolation
          </button>
        </p>
      )}
      {/* A page that has run is never reused: what it left behind must not meet the next output. */}
      <Page key={`${allowed}`} {...{ html, label, actions }} scripts={interactive && allowed} />
    </div>
  )
}

function Page({ html, label, scripts, actions }: Omit<FrameProps, 'scripts'> & { scripts: boolean }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const port = useRef<MessagePort>(null)
  const [height, setHeight] = useState(0)
  const [gone, setGone] = useState(false)
  const theme = themeCss(useTheme())
  const latest = useRef({ actions, theme })
  latest.current = { actions, theme }

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const begin = () => {
      // The page loads once. A second load is the output leaving it; whatever came is taken away.
      if (port.current) return setGone(true)
      const { port1, port2 } = new MessageChannel()
      port.current = port1
      let received = 0
      port1.onmessage = ({ data }) => {
        if (++received > mostMessages) return port1.close()
        const message = readMessage(data)
        if (message?.height !== undefined) setHeight(Math.min(message.height, tallest))
        if (message?.link !== undefined && isWebLink(message.link)) latest.current.actions.onOpenLink(message.link)
      }
      element.contentWindow?.postMessage({ html, scripts, theme: latest.current.theme }, '*', [port2])
    }
    element.addEventListener('load', begin)
    element.src = page
    return () => {
      element.removeEventListener('load', begin)
      port.current?.close()
      port.current = null
    }
  }, [html, scripts])

  useEffect(() => port.current?.postMessage({ theme }), [theme])

  if (gone) return <p className={styles.bar}>This output tried to leave its frame and was closed.</p>
  return (
    <iframe
      ref={frame}
      className={styles.page}
      title={label}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      style={{ height }}
    />
  )
}

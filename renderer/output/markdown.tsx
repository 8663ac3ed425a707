import type { Root } from 'hast'
import { type Components, toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { ImageOff } from 'lucide-react'
import { type ReactNode, useMemo, useRef } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import type { OutputActions } from './actions.ts'
import { isWebLink } from './frame/messages.ts'
import { useMarkdownTree } from './markdown/tree.ts'
import styles from './markdown.module.css'
import { Text } from './text/text.tsx'

/** Markdown without HTML: a link is only offered, and an image shows only when it came along as data. */
export function MarkdownText({
  text,
  actions,
  adapt,
}: {
  text: string
  actions: OutputActions
  /** What the caller changes in the tree before it is drawn. */
  adapt?: (tree: Root) => Root
}) {
  const parsed = useMarkdownTree(text)
  const tree = useMemo(() => parsed && (adapt ? adapt(parsed) : parsed), [parsed, adapt])
  const components = useMemo(() => drawnWith(actions), [actions])
  if (!tree) return <Text chunks={[text]} label="Markdown source" actions={actions} />
  return <div className={styles.markdown}>{toJsxRuntime(tree, { Fragment, jsx, jsxs, components })}</div>
}

function drawnWith(actions: OutputActions): Partial<Components> {
  return {
    a: ({ href, title, children }) => <Link {...{ href, title, actions }}>{children}</Link>,
    img: ({ src, alt }) => <Picture src={typeof src === 'string' ? src : ''} alt={alt ?? ''} />,
    ...(actions.onUseCode ? { pre: props => <Block use={actions.onUseCode} {...props} /> } : {}),
    table: props => (
      <div className={styles.wide}>
        <table {...props} />
      </div>
    ),
    input: props => <input {...props} aria-label={props.checked ? 'Done' : 'To do'} />,
  }
}

function Link({
  href = '',
  title,
  children,
  actions,
}: {
  href?: string | undefined
  title?: string | undefined
  children: ReactNode
  actions: OutputActions
}) {
  const isInside = href.startsWith('#')
  if (!isInside && !isWebLink(href)) return <span title="This link leads nowhere that can be opened">{children}</span>
  const open = (event: { preventDefault(): void }) => {
    event.preventDefault()
    // The page's own address belongs to the application.
    if (isInside) document.getElementById(decodeURIComponent(href.slice(1)))?.scrollIntoView({ block: 'nearest' })
    else actions.onOpenLink(href)
  }
  return (
    <a href={href} title={isInside ? title : href} rel="noreferrer noopener" onClick={open} onAuxClick={open}>
      {children}
    </a>
  )
}

/** Code that somebody wrote into a text, with the way to a cell. */
function Block({ use, children }: { use: OutputActions['onUseCode']; children?: ReactNode }) {
  const box = useRef<HTMLPreElement>(null)
  const take = () => {
    const code = box.current?.querySelector('code')
    const language = /language-([a-z0-9+#._-]+)/.exec(code?.className ?? '')?.[1] ?? ''
    use?.((box.current?.dataset.source ?? code?.textContent ?? '').replace(/\n$/, ''), language)
  }
  return (
    <div className={styles.block}>
      <pre ref={box}>{children}</pre>
      <button type="button" className={styles.use} onClick={take}>
        Use in a cell
      </button>
    </div>
  )
}

function Picture({ src, alt }: { src: string; alt: string }) {
  if (isInlineImage(src)) return <img src={src} alt={alt} />
  return (
    <span className={styles.withheld} title={src.slice(0, 500)}>
      <ImageOff aria-hidden size={13} /> {alt || 'Image'} (not fetched)
    </span>
  )
}

const isInlineImage = (url: string) => /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i.test(url)

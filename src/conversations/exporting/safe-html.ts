/**
 * HTML that somebody else wrote, cut down to what can be shown in an exported page: an allowed list of elements and
 * attributes, written anew. Whatever is not on the lists is gone, so that nothing runs, loads or covers the page.
 */
export function safeHtml(html: string): string {
  let out = ''
  const open: string[] = []
  const reader = new Reader(html)
  for (let token = reader.next(); token; token = reader.next()) {
    if (token.kind === 'text') out += escapeLoose(token.text)
    else if (token.kind === 'close') {
      const at = open.lastIndexOf(token.name)
      // Closes what stands open inside it too, so that the page around stays whole.
      for (const name of at >= 0 ? open.splice(at).reverse() : []) out += `</${name}>`
    } else if (swallowed.has(token.name)) reader.skipPast(token.name)
    else if (elements.has(token.name) && open.length < maxOpen) {
      out += `<${token.name}${attributesOf(token.name, token.attributes)}>`
      if (!empty.has(token.name)) open.push(token.name)
    }
  }
  return (
    out +
    open
      .reverse()
      .map(name => `</${name}>`)
      .join('')
  )
}

export const escapeHtml = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

const maxOpen = 200
const words = (list: string) => new Set(list.split(' '))
const elements = words(
  'a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var',
)
const empty = words('br col hr img input')
/** Elements whose content is not text for people, or changes how what follows is read. */
const swallowed = words(
  'script style iframe object embed applet template noscript noembed noframes svg math textarea title select xmp plaintext head audio video canvas',
)
const attributes = words('colspan rowspan scope align valign title alt width height start span')

function attributesOf(element: string, given: readonly (readonly [string, string])[]): string {
  const kept = given.flatMap(([name, value]) => {
    if (element === 'a' && name === 'href') return /^(https?:|mailto:|#)/i.test(value) ? [[name, value]] : []
    if (element === 'img' && name === 'src') return isPicture(value) ? [[name, value]] : []
    if (element === 'input' && name === 'checked') return [[name, '']]
    return attributes.has(name) ? [[name, value]] : []
  })
  // The only input that Markdown makes is the box of a task list; it is never one to fill in.
  if (element === 'input') kept.unshift(['type', 'checkbox'], ['disabled', ''])
  if (element === 'a') kept.push(['rel', 'noopener noreferrer nofollow'])
  return kept.map(([name, value]) => ` ${name}="${escapeHtml(value ?? '')}"`).join('')
}

const isPicture = (url: string) => /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/.test(url)

type Token =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: [string, string][] }
  | { kind: 'close'; name: string }

/** Cuts HTML into tags and text, in one pass and without going back, however broken it is. */
class Reader {
  readonly #html: string
  #at = 0

  constructor(html: string) {
    this.#html = html
  }

  next(): Token | null {
    if (this.#at >= this.#html.length) return null
    if (this.#html.startsWith('<!--', this.#at)) return this.#skipTo('-->')
    if (/^<[!?]/.test(this.#html.slice(this.#at, this.#at + 2))) return this.#skipTo('>')
    const tag = this.#match(/<(\/?)([a-zA-Z][^\s/>]*)/y)
    if (!tag) return this.#text()
    const name = (tag[2] ?? '').toLowerCase()
    const attributes = this.#attributes()
    return tag[1] ? { kind: 'close', name } : { kind: 'open', name, attributes }
  }

  /** Goes on after the end of an element whose content is not wanted; to the end of all when it has none. */
  skipPast(name: string): void {
    const end = new RegExp(`</${name}[\\s/>]`, 'gi')
    end.lastIndex = this.#at
    const found = end.exec(this.#html)
    this.#at = found ? found.index : this.#html.length
    if (found) this.next()
  }

  #text(): Token {
    const from = this.#at
    const next = this.#html.indexOf('<', from + 1)
    this.#at = next < 0 ? this.#html.length : next
    return { kind: 'text', text: this.#html.slice(from, this.#at) }
  }

  #skipTo(mark: string): Token {
    const found = this.#html.indexOf(mark, this.#at)
    this.#at = found < 0 ? this.#html.length : found + mark.length
    return { kind: 'text', text: '' }
  }

  #attributes(): [string, string][] {
    const found: [string, string][] = []
    while (this.#at < this.#html.length) {
      this.#match(/[\s/]+/y)
      if (this.#match(/>/y)) break
      const name = this.#match(/[^\s/>=][^\s/>=]*|=/y)?.[0] ?? ''
      const value = this.#match(/\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s>]*))/y)
      found.push([name.toLowerCase(), decode(value?.[1] ?? value?.[2] ?? value?.[3] ?? '')])
    }
    return found
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#html)
    if (found) this.#at = pattern.lastIndex
    return found
  }
}

/** Character references in attribute values: `java&#115;cript:` must be seen for what it is. */
function decode(value: string): string {
  const names: Record<string, string> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    colon: ':',
    tab: '\t',
    newline: '\n',
  }
  return value
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,7}));?/gi, (whole, hex, decimal, name) => {
      if (name) return names[String(name).toLowerCase()] ?? whole
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
    })
    .replace(/[\x00-\x1f\x7f]/g, '')
}

/** Text of HTML: its references stay, its brackets do not become tags. */
const escapeLoose = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')

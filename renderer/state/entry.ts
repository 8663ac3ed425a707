/**
 * How a browser window gets in. It makes up a secret that only it knows and shows it in every handshake; the first
 * time together with the one-time link that opened it. The secret lies in this tab's own storage, which no other port,
 * site or tab can read, and is never sent on its own accord as a cookie would be.
 */

const storedAs = 'countersign.window'
const aloneAs = 'countersign.alone'
const channelName = 'countersign.windows'

/** Kept until a line was opened with it: the server may not be there yet at the first try. */
let link = takeLink()

/** What a handshake offers as subprotocols; the server picks the first. */
export const offer = (): string[] => [
  'countersign',
  `window.${windowSecret()}`,
  ...(link === null ? [] : [`link.${link}`]),
]

export const linkShown = (): void => {
  link = null
}

function windowSecret(): string {
  const known = sessionStorage.getItem(storedAs)
  if (known) return known
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const made = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
  sessionStorage.setItem(storedAs, made)
  return made
}

/** The link's token, once: it does not stay in the address bar, where it would be copied or bookmarked. */
function takeLink(): string | null {
  const found = linkIn(location.hash)
  if (found) history.replaceState(null, '', location.pathname)
  return found
}

/** The one-time part of a link, or of whatever a person pasted. */
export function linkIn(text: string): string | null {
  return /#link=([\w-]{43})\s*$/.exec(text)?.[1] ?? null
}

/** Comes in by a link that was pasted or handed over. */
export function enterBy(link: string): void {
  location.hash = `link=${link}`
  location.reload()
}

type Message = { ask: string } | { answer: string; link: string }

/** Asks the application's other windows in this browser for a link. Only pages of this very address can hear it. */
export function askOtherWindows(receive: (link: string) => void): () => void {
  const channel = new BroadcastChannel(channelName)
  const id = crypto.randomUUID()
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('answer' in data && data.answer === id && linkIn(`#link=${data.link}`)) receive(data.link)
  }
  channel.postMessage({ ask: id } satisfies Message)
  return () => channel.close()
}

/** Lets another window of this browser in when it asks, for as long as this one is in. */
export function answerOtherWindows(makeLink: () => Promise<string>): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = async ({ data }: MessageEvent<Message>) => {
    if (!('ask' in data) || sessionStorage.getItem(aloneAs)) return
    const made = linkIn(await makeLink())
    if (made) channel.postMessage({ answer: data.ask, link: made } satisfies Message)
  }
  return () => channel.close()
}

/** Whoever ended all other sessions does not want them back by themselves. */
export const stayAlone = (): void => sessionStorage.setItem(aloneAs, 'yes')

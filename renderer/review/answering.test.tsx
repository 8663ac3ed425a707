import { act, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Page, render } from '../output/render.testing.tsx'
import { Approve } from './approve.tsx'
import { soonestMs, useGate } from './gate.ts'
import { holdMs } from './hold-button.tsx'

/** A question with two answers, behind the gate. */
function Question({ what, onAnswer }: { what: string; onAnswer(answer: string): void }) {
  const gate = useGate(what)
  const [note, setNote] = useState('')
  return (
    <div {...gate.handlers} data-open={gate.open}>
      <textarea value={note} onChange={event => setNote(event.target.value)} />
      <button type="button" onClick={() => onAnswer('later')}>
        Save for later
      </button>
      <Approve
        risk="high"
        subject={what}
        disabled={!gate.open}
        busy={false}
        onApprove={() => onAnswer(`approved ${what}`)}
      />
    </div>
  )
}

let page: Page
let answers: string[]
const pass = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
const fire = (element: Element, event: Event) => act(async () => void element.dispatchEvent(event))
const pointer = (type: string) =>
  new PointerEvent(type, { bubbles: true, cancelable: true, isPrimary: true, button: 0 })
const key = (type: string, name: string, more: KeyboardEventInit = {}) =>
  new KeyboardEvent(type, { key: name, bubbles: true, cancelable: true, ...more })
const mouseClick = () => new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 })

async function ask(what = 'one') {
  answers = []
  page = await render(<Question what={what} onAnswer={answer => answers.push(answer)} />)
}
/** What a browser does for a press of this length. */
async function press(element: Element, ms: number) {
  await fire(element, pointer('pointerdown'))
  await pass(ms)
  await fire(element, pointer('pointerup'))
  await fire(element, mouseClick())
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(document, 'hasFocus').mockReturnValue(true)
})
afterEach(async () => {
  await page.undo()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('an answer', () => {
  it('does not count in the first half second', async () => {
    await ask()
    await press(page.button('Save for later'), 10)
    expect(answers).toEqual([])
    await pass(soonestMs)
    await press(page.button('Save for later'), 10)
    expect(answers).toEqual(['later'])
  })

  it('does not count when its press began too soon, however long it lasts', async () => {
    await ask()
    await press(page.button('Save for later'), soonestMs + 100)
    await fire(page.button('Hold to approve'), pointer('pointerup'))
    expect(answers).toEqual([])
  })

  it('is not given by the click that brings the window to the front', async () => {
    await ask()
    await pass(soonestMs)
    await act(async () => void window.dispatchEvent(new Event('blur')))
    await act(async () => void window.dispatchEvent(new Event('focus')))
    await press(page.button('Save for later'), 80)
    expect(answers).toEqual([])
    await pass(soonestMs)
    await press(page.button('Save for later'), 80)
    expect(answers).toEqual(['later'])
  })

  it('is not given to a window that nobody looks at', async () => {
    vi.mocked(document.hasFocus).mockReturnValue(false)
    await ask()
    await pass(5000)
    await press(page.button('Save for later'), 10)
    expect(answers).toEqual([])
  })

  it('is not given by a key that was already down', async () => {
    await ask()
    await pass(soonestMs)
    const stroke = key('keydown', 'Enter', { repeat: true })
    await fire(page.button('Save for later'), stroke)
    expect(stroke.defaultPrevented).toBe(true)
  })

  it('has to wait again when the question changes under it', async () => {
    await ask('one')
    await pass(soonestMs)
    await page.show(<Question what="two" onAnswer={answer => answers.push(answer)} />)
    await press(page.button('Save for later'), 10)
    expect(answers).toEqual([])
  })
})

describe('approving', () => {
  it('takes a press that is held', async () => {
    await ask()
    await pass(soonestMs)
    await press(page.button('Hold to approve'), holdMs + 1)
    expect(answers).toEqual(['approved one'])
  })

  it('is not done by a click, which offers to type instead', async () => {
    await ask()
    await pass(soonestMs)
    await press(page.button('Hold to approve'), holdMs - 50)
    await pass(holdMs)
    expect(answers).toEqual([])
    expect(page.find('label').textContent).toContain('type approve')
  })

  it('works with the space bar held, and not with one stroke of it', async () => {
    await ask()
    await pass(soonestMs)
    const button = page.button('Hold to approve')
    await fire(button, key('keydown', ' '))
    await pass(200)
    await fire(button, key('keyup', ' '))
    await pass(holdMs)
    expect(answers).toEqual([])
    await fire(button, key('keydown', ' '))
    await pass(holdMs)
    expect(answers).toEqual(['approved one'])
  })

  it('is never done by Enter, held or not', async () => {
    await ask()
    await pass(soonestMs)
    const button = page.button('Hold to approve')
    await fire(button, key('keydown', 'Enter'))
    for (let time = 0; time < 40; time++) {
      await pass(50)
      await fire(button, key('keydown', 'Enter', { repeat: true }))
    }
    expect(answers).toEqual([])
  })

  it('stops when the window goes to the back', async () => {
    await ask()
    await pass(soonestMs)
    const button = page.button('Hold to approve')
    await fire(button, pointer('pointerdown'))
    await pass(holdMs / 2)
    await act(async () => void window.dispatchEvent(new Event('blur')))
    await act(async () => void window.dispatchEvent(new Event('focus')))
    await pass(soonestMs)
    await pass(holdMs)
    expect(answers).toEqual([])
  })

  it('stops when what is asked changes while the button is down', async () => {
    await ask('one')
    await pass(soonestMs)
    await fire(page.button('Hold to approve'), pointer('pointerdown'))
    await pass(holdMs / 2)
    await page.show(<Question what="two" onAnswer={answer => answers.push(answer)} />)
    await pass(soonestMs)
    await pass(holdMs)
    expect(answers).toEqual([])
  })

  it('is not touched by keys in the comment', async () => {
    await ask()
    await pass(soonestMs)
    const field = page.find('textarea')
    for (const name of ['y', 'a', ' ', 'Enter', 'Escape']) {
      await fire(field, key('keydown', name))
      await pass(holdMs)
      await fire(field, key('keyup', name))
    }
    expect(answers).toEqual([])
  })
})

describe('approving critical code', () => {
  const critical = (subject: string, disabled = false) => (
    <Approve
      risk="critical"
      subject={subject}
      disabled={disabled}
      busy={false}
      onApprove={() => answers.push(subject)}
    />
  )
  async function asked() {
    answers = []
    page = await render(critical('one'))
  }

  it('takes the word, and a press after it', async () => {
    await asked()
    await page.click(page.button('Approve and sign'))
    await page.type(page.find('input'), 'approv')
    await page.click(page.button('Approve and sign'))
    expect(answers).toEqual([])
    await page.type(page.find('input'), 'Approve')
    await page.click(page.button('Approve and sign'))
    expect(answers).toEqual(['one'])
  })

  it('is never done by Enter, in the field or on the button', async () => {
    await asked()
    await page.type(page.find('input'), 'approve')
    await page.press(page.find('input'), 'Enter')
    const stroke = key('keydown', 'Enter')
    await fire(page.button('Approve and sign'), stroke)
    expect(stroke.defaultPrevented).toBe(true)
    expect(answers).toEqual([])
  })

  it('forgets the word when something else is asked', async () => {
    await asked()
    await page.type(page.find('input'), 'approve')
    await page.show(critical('two'))
    await page.click(page.button('Approve and sign'))
    expect(answers).toEqual([])
  })
})

import { act } from 'react'
import { expect, it, vi } from 'vitest'
import { render } from '../output/render.testing.tsx'
import { IconButton } from './button.tsx'
import { Menu, onRightClick } from './menu.tsx'

it('a right click opens the main menu of a thing, and leaves fields and other menus alone', async () => {
  const chosen = vi.fn()
  const page = await render(
    <section onContextMenu={onRightClick} aria-label="thing">
      <Menu trigger={<IconButton label="Language" icon="l" />} items={[{ label: 'Python', onSelect: chosen }]} />
      <Menu main trigger={<IconButton label="More" icon="…" />} items={[{ label: 'Delete', onSelect: chosen }]} />
      <p>words</p>
      <input aria-label="Name" />
    </section>,
  )
  const rightClick = async (on: HTMLElement) => {
    const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true })
    await act(async () => void on.dispatchEvent(event))
    return event.defaultPrevented
  }
  expect(await rightClick(page.find('input'))).toBe(false)
  expect(document.querySelector('[role=menu]')).toBeNull()
  expect(await rightClick(page.find('p'))).toBe(true)
  expect(document.querySelector('[role=menu]')?.textContent).toBe('Delete')
})

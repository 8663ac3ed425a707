import { describe, expect, it } from 'vitest'
import { FollowedEnd } from './followed-end.ts'

/** A page of 3,000 pixels in a window of 500. */
class Page {
  scrollHeight = 3000
  clientHeight = 500
  #top = 0
  readonly told: boolean[] = []
  readonly end = new FollowedEnd(
    () => this,
    follows => void this.told.push(follows),
  )

  get scrollTop(): number {
    return Math.min(this.#top, this.scrollHeight - this.clientHeight)
  }
  set scrollTop(top: number) {
    this.#top = Math.min(top, this.scrollHeight - this.clientHeight)
  }
  get below(): number {
    return this.scrollHeight - this.clientHeight - this.scrollTop
  }

  /** A browser keeps the place, as far as there still is one. */
  become(by: number): void {
    this.scrollHeight += by
    this.#top = this.scrollTop
  }
  grow(by: number): void {
    this.become(by)
    this.end.hold()
  }
  scroll(to: number, isWriting = false): void {
    this.scrollTop = to
    this.end.scrolled(isWriting)
  }
}

const asked = () => {
  const page = new Page()
  page.end.follow()
  return page
}

describe('the end of a page', () => {
  it('is in sight for whoever asks, and stays so while the page grows and shrinks', () => {
    const page = asked()
    expect(page.below).toBe(0)
    for (const by of [90, 700, -60, 15]) {
      page.grow(by)
      expect(page.below).toBe(0)
    }
    expect(page.told).toEqual([true])
  })

  it('stays in sight where the page has become shorter and longer before it is looked at', () => {
    const page = asked()
    page.become(-60)
    page.become(80)
    page.end.hold()
    expect(page.below).toBe(0)
  })

  it('is left by whoever goes up, and followed again from its very end on while an answer comes', () => {
    const page = asked()
    page.scroll(2400, true)
    page.grow(300)
    expect(page.scrollTop).toBe(2400)
    page.scroll(2790, true)
    page.grow(100)
    expect(page.below).toBe(110)
    page.scroll(2900, true)
    page.grow(100)
    expect(page.below).toBe(0)
    expect(page.told).toEqual([true, false, true])
  })

  it('is left by whoever turns to something on the page', () => {
    const page = asked()
    page.end.leave()
    page.grow(300)
    expect(page.below).toBe(300)
  })

  it('is not followed only because somebody reads there, while nothing is written', () => {
    const page = new Page()
    page.scroll(2500)
    page.grow(300)
    expect(page.below).toBe(300)
  })

  it('is followed for whoever was near it when an answer began, however much came at once', () => {
    const page = new Page()
    page.scroll(2400)
    page.scrollHeight += 900
    page.end.followIfNear()
    expect(page.below).toBe(0)

    const far = new Page()
    far.scroll(1000)
    far.scrollHeight += 900
    far.end.followIfNear()
    expect(far.scrollTop).toBe(1000)
  })
})

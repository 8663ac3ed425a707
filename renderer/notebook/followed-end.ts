import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Pixels from the end at which somebody still reads the end of the page. */
const nearEnd = 240
/** Positions are not whole pixels on every screen. */
const slack = 2

type Box = Pick<HTMLElement, 'scrollTop' | 'scrollHeight' | 'clientHeight'>

/**
 * Keeps the end of a page in sight while an answer comes: for whoever asked, and for whoever reads there when it begins.
 * Whoever goes up, or turns to something on the page, is left there.
 */
export class FollowedEnd {
  readonly #box: () => Box | null
  readonly #changed: (follows: boolean) => void
  #follows = false
  /** How the page stood when it was looked at last. */
  #last: Box = { scrollTop: 0, scrollHeight: Number.POSITIVE_INFINITY, clientHeight: 0 }

  /** `changed` is told when the end begins to be followed, and when it is left. */
  constructor(box: () => Box | null, changed: (follows: boolean) => void) {
    this.#box = box
    this.#changed = changed
  }

  get follows(): boolean {
    return this.#follows
  }

  follow(): void {
    const box = this.#box()
    if (box) this.#last = seen(box)
    this.#set(true)
    this.hold()
  }

  /** Something was written below: whoever was near the end then, or is now, sees it grow. */
  followIfNear(): void {
    const box = this.#box()
    if (box && Math.min(belowOf(this.#last), belowOf(box)) < nearEnd) this.follow()
  }

  leave(): void {
    this.#set(false)
  }

  /** Something on the page may have changed its size, and its end may have moved out of sight. */
  hold(): void {
    const box = this.#box()
    // To look at the page makes the browser lay it out: not with each frame of somebody who reads elsewhere.
    if (!box || !this.#follows) return
    const { scrollTop, scrollHeight, clientHeight } = this.#last
    const isSameSize = box.scrollHeight === scrollHeight && box.clientHeight === clientHeight
    // A page that becomes shorter moves up by itself; one that stays as it is was moved.
    if (isSameSize && box.scrollTop < scrollTop - slack) this.#set(false)
    else box.scrollTop = endOf(box)
    this.#last = seen(box)
  }

  /** The page was scrolled. Down to its end is as good as a wish to follow it again. */
  scrolled(isWriting: boolean): void {
    const box = this.#box()
    if (!box) return
    if (isWriting && box.scrollTop > this.#last.scrollTop && belowOf(box) < slack) this.#set(true)
    this.hold()
    this.#last = seen(box)
  }

  #set(follows: boolean): void {
    if (follows === this.#follows) return
    this.#follows = follows
    this.#changed(follows)
  }
}

const seen = ({ scrollTop, scrollHeight, clientHeight }: Box): Box => ({ scrollTop, scrollHeight, clientHeight })
const endOf = ({ scrollHeight, clientHeight }: Box): number => scrollHeight - clientHeight
const belowOf = (box: Box): number => endOf(box) - box.scrollTop

interface Followed {
  /** What is shown, and what of it is selected. */
  readonly page: string
  readonly selected: string | null
  isWriting(): boolean
  changed(follows: boolean): void
}

/** Pages whose end was followed when they went, with what was selected: whoever decided on a request comes back for the answer. */
const leftFollowing = new Map<string, string | null>()

/** The end of what `scroller` shows. */
export function useFollowedEnd(
  scroller: RefObject<HTMLElement | null>,
  { page, selected, isWriting, changed }: Followed,
): FollowedEnd {
  const [end] = useState(() => new FollowedEnd(() => scroller.current, changed))
  const writing = useRef(isWriting)
  writing.current = isWriting
  const latest = useRef(selected)
  latest.current = selected
  useLayoutEffect(() => {
    if (leftFollowing.get(page) === latest.current) end.follow()
    leftFollowing.delete(page)
    return () => {
      if (end.follows) leftFollowing.set(page, latest.current)
    }
  }, [end, page])
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const onScroll = () => end.scrolled(writing.current())
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0) end.leave()
    }
    const onTurnedTo = () => end.leave()
    const resized = new ResizeObserver(() => end.hold())
    resized.observe(box)
    // Before the list hears of it: what it draws then is looked at as if nobody had gone down.
    box.addEventListener('scroll', onScroll, { capture: true, passive: true })
    box.addEventListener('wheel', onWheel, { passive: true })
    box.addEventListener('pointerdown', onTurnedTo)
    box.addEventListener('keydown', onTurnedTo)
    return () => {
      resized.disconnect()
      box.removeEventListener('scroll', onScroll, { capture: true })
      box.removeEventListener('wheel', onWheel)
      box.removeEventListener('pointerdown', onTurnedTo)
      box.removeEventListener('keydown', onTurnedTo)
    }
  }, [scroller, end])
  return end
}

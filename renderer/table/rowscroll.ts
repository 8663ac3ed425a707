import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { clamp, distanceToShow, type Extent, isScaled, toDistance, toScrollTop } from './scroll.ts'

/** Follows a scrolling element and says which part of the table is in sight. */
export function useRowScroll(rowCount: number) {
  const ref = useRef<HTMLDivElement>(null)
  const headRef = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 800, height: 400 })
  const [place, setPlace] = useState({ top: 0, left: 0, distance: 0 })
  const extent: Extent = { rows: rowCount, viewport: size.height }
  const latest = useRef({ extent, place, width: size.width })
  latest.current = { extent, place, width: size.width }

  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () =>
      setSize({
        width: element.clientWidth || 800,
        height: element.clientHeight - (headRef.current?.offsetHeight ?? 0) || 400,
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    if (headRef.current) observer.observe(headRef.current)
    return () => observer.disconnect()
  }, [])

  /** Moves to a distance that the scroll bar alone could not express. */
  const moveTo = useCallback((distance: number, left: number) => {
    const element = ref.current
    if (!element) return
    const { extent } = latest.current
    const next = { top: toScrollTop(extent, distance), left, distance: clamp(extent, distance) }
    latest.current.place = next
    setPlace(next)
    element.scrollTop = next.top
    element.scrollLeft = left
  }, [])

  useEffect(() => {
    const element = ref.current
    if (!element) return
    const onScroll = () => {
      const { extent, place } = latest.current
      const { scrollTop: top, scrollLeft: left } = element
      // Our own movement comes back as an event, rounded to a pixel; on a scaled bar that pixel is several rows.
      const own = isScaled(extent) && Math.abs(top - place.top) < 1
      setPlace({ top, left, distance: own ? place.distance : toDistance(extent, top) })
    }
    const onWheel = (event: WheelEvent) => {
      const { extent, place } = latest.current
      if (!isScaled(extent) || event.ctrlKey || event.shiftKey || event.deltaY === 0) return
      const next = clamp(extent, place.distance + event.deltaY * (event.deltaMode === 1 ? 20 : 1))
      if (next === place.distance) return
      event.preventDefault()
      moveTo(next, element.scrollLeft + event.deltaX)
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('wheel', onWheel)
    }
  }, [moveTo])

  /** Brings a row, and the span of a column, into sight. */
  const show = useCallback(
    (row: number, from: number, to: number) => {
      const { extent, place, width } = latest.current
      const left = from < place.left ? from : to > place.left + width ? to - width : place.left
      moveTo(distanceToShow(extent, place.distance, Math.max(0, row)), left)
    },
    [moveTo],
  )

  const toTop = useCallback(() => moveTo(0, ref.current?.scrollLeft ?? 0), [moveTo])

  const distance = clamp(extent, place.distance)
  return {
    ref,
    headRef,
    extent,
    distance,
    offset: place.top - place.distance,
    left: place.left,
    width: size.width,
    show,
    toTop,
  }
}

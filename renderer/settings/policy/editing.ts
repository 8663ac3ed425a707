import { useEffect, useState } from 'react'

export interface Editing<T> {
  readonly draft: T
  /** The version that the editing started from: a save names it, so that nobody's change is lost unseen. */
  readonly version: string
  readonly dirty: boolean
  /** Changed elsewhere while there are changes here. */
  readonly moved: boolean
  edit(draft: T): void
  discard(): void
  /** Goes on from the newer version with what stands here. */
  rebase(): void
  adopt(value: T, version: string): void
}

/** A draft of something that can change elsewhere meanwhile. Without changes of its own it follows. */
export function useEditing<T>(current: T, version: string): Editing<T> {
  const [base, setBase] = useState({ value: current, version })
  const [draft, setDraft] = useState(current)
  const dirty = !same(draft, base.value)
  const outdated = version !== base.version || !same(current, base.value)
  useEffect(() => {
    if (dirty || !outdated) return
    setBase({ value: current, version })
    setDraft(current)
  }, [dirty, outdated, current, version])
  return {
    draft,
    version: base.version,
    dirty,
    moved: dirty && version !== base.version,
    edit: setDraft,
    discard() {
      setBase({ value: current, version })
      setDraft(current)
    },
    rebase: () => setBase({ value: current, version }),
    adopt(value, at) {
      setBase({ value, version: at })
      setDraft(value)
    },
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

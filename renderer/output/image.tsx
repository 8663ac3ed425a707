import { useState } from 'react'
import type { MimeBundle } from '../../src/contract/run.ts'
import { type Form, textOf } from './forms.ts'
import styles from './output.module.css'

/** A picture in one of the formats that can hold nothing but a picture. */
export function Picture({ form, alt, size }: { form: Form; alt: string; size: MimeBundle[string] | undefined }) {
  const [broken, setBroken] = useState(false)
  const data = textOf(form.value).replace(/\s+/g, '')
  if (broken || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return <p className={styles.note}>This image is damaged and cannot be shown.</p>
  return (
    <img
      className={styles.image}
      src={`data:${form.mime};base64,${data}`}
      alt={alt}
      {...sizeOf(size)}
      onError={() => setBroken(true)}
    />
  )
}

/** Notebooks may say how large an image is meant to be. */
function sizeOf(given: MimeBundle[string] | undefined): { width?: number; height?: number } {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {}
  const side = (value: unknown) => (typeof value === 'number' && value > 0 && value <= 10_000 ? value : undefined)
  const [width, height] = [side(given.width), side(given.height)]
  return { ...(width && { width }), ...(height && { height }) }
}

import { Fragment } from 'react'
import { nameOf, piecesOf } from '../../src/contract/visible.ts'
import styles from './visible-text.module.css'

/** Text that came from code or from somebody else, with every character that hides shown by name. */
export function VisibleText({ text }: { text: string }) {
  const pieces = piecesOf(text)
  return (
    <>
      {pieces.map((piece, index) =>
        piece.stands === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name
          <Fragment key={index}>{piece.text}</Fragment>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <mark key={index} className={styles.hidden} title={`${nameOf(piece.stands)}: not what it seems`}>
            {piece.text}
          </mark>
        ),
      )}
    </>
  )
}

import { createElement, Fragment, type ReactNode } from 'react'

/** A sentence for people, with what stands between backticks as code. */
export function Words({ text }: { text: string }): ReactNode {
  const pieces = text.split('`').map((piece, index) => (index % 2 === 1 ? createElement('code', null, piece) : piece))
  return createElement(Fragment, null, ...pieces)
}

/** What happened and what to do about it. */
export const sentencesOf = ({ message, hint }: { message: string; hint: string }): string => `${message} ${hint}`

import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { sentencesOf, Words } from './words.tsx'

it('shows what stands between backticks as code, the same words twice too', () => {
  const problem = { message: 'Needs `cloud: true`.', hint: 'Ask for `cloud: true`, <b>now</b>.' }
  const shown = renderToStaticMarkup(createElement(Words, { text: sentencesOf(problem) }))
  const code = '<code>cloud: true</code>'
  expect(shown).toBe(`Needs ${code}. Ask for ${code}, &lt;b&gt;now&lt;/b&gt;.`)
})

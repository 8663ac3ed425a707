import type { Redirection as RedirectionNode } from 'unbash'
import type { Call, Span, Value } from '../model.ts'
import { sketch, text, textOf, unknown } from '../values.ts'
import { contentOf } from './outputs.ts'
import type { Reading } from './reading.ts'
import { appended, literal, worthOf, worthOfBody } from './words.ts'

/**
 * The redirections of one command. Their words are expanded once: a here-document in a substitution in a here-document
 * would otherwise be read twice at each level.
 */
export class Redirects {
  readonly #reading: Reading
  readonly #found: { readonly node: RedirectionNode; readonly target: Value; readonly at: Span }[] = []

  constructor(nodes: readonly RedirectionNode[], reading: Reading) {
    this.#reading = reading
    for (const node of nodes) this.#found.push({ node, target: targetOf(node, reading), at: reading.at(node) })
  }

  /** What the command is fed, given what comes down the pipe. */
  input(given: Value | undefined): Value | undefined {
    let input = given
    for (const { node, target } of this.#found) {
      if (node.type !== 'Redirect') input = target
      else if (node.operator === '<') {
        const path = sketch(target) ?? ''
        if (path === '/dev/null') input = text('')
        else input = /^\/dev\/(tty|pts)/.test(path) ? undefined : (this.#reading.written.get(path) ?? contentOf(target))
      } else if (node.operator === '<&' || node.operator === '<>') {
        // Another descriptor is the terminal or a connection: whoever sits there types.
        input = undefined
      }
    }
    return input
  }

  /** Puts them down, now that the command and its output are known. */
  list(call: Call | null, output: Value): void {
    const { program, written } = this.#reading
    for (const { node, target, at } of this.#found) {
      if (node.type !== 'Redirect') {
        const known = textOf(target)
        if (known !== null && known.length >= 8 && known.length <= 20_000)
          program.texts.push({ text: known, role: 'value', ...at })
        program.redirections.push({ operator: node.operator === '<<<' ? '<<<' : '<<', target, call, ...at })
        continue
      }
      // `2>&1` and `>&-` touch no file.
      if (/&$/.test(node.operator) && /^(\d+-?|-)$/.test(textOf(target) ?? '')) continue
      // `for f in a b; do … > $f; done`: each file it may be, so that no rule has to think of a choice.
      for (const option of target.kind === 'choice' ? target.options : [target])
        program.redirections.push({ operator: node.operator, target: option, call, ...at })
      const path = sketch(target)
      if (path === null || !/^&?>/.test(node.operator) || node.descriptor !== undefined) continue
      const before = node.operator.includes('>>') ? written.get(path) : undefined
      this.#reading.wrote(path, target)
      written.set(path, before === undefined ? output : appended(appended(before, text('\n')), output))
    }
  }
}

function targetOf(node: RedirectionNode, reading: Reading): Value {
  if (node.type !== 'HereDoc') return node.target ? worthOf(node.target, reading) : unknown
  const { body } = node
  if (!node.delimiter?.quoted && body.parts !== undefined) return worthOfBody(body, reading)
  return literal(node.operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text, reading)
}

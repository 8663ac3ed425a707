import { shellNames } from '../bash/interpreters.ts'
import type { Call, Program, Value } from '../model.ts'
import { sketch, textOf } from '../values.ts'

/** Questions that the rules about shell commands ask. */

export { lineOf as line, words } from '../bash/options.ts'
export const shell = ['bash'] as const

/** The first word that is no switch: the verb of `git push`, `systemctl enable`. */
export const verb = (call: Call): string => {
  for (const arg of call.args) {
    const word = textOf(arg) ?? ''
    if (word !== '' && !word.startsWith('-')) return word
  }
  return ''
}

export const isShell = (call: Call): boolean => (shellNames as readonly string[]).includes(call.name)

/** Whether short switches are given, alone or together: `flags(call, 'rf')`. */
export const flagged = (call: Call, letters: string): boolean =>
  call.args.some(arg => {
    const word = textOf(arg) ?? ''
    return /^-[a-zA-Z]+$/.test(word) && [...letters].some(letter => word.includes(letter, 1))
  })

export const named = (program: Program, pattern: RegExp): Call | undefined =>
  program.calls.find(call => pattern.test(call.name))

/** A shell, by its path or as a word of its own; the first line of a script does not count. */
const shellWord = /(?<![\w.]|#!|#! )(?:(?:\/usr)?(?:\/local)?\/bin\/(?:ba|da|a|z|k|c|tc|fi)?sh)(?![\w.-]|\/)/
export const namesShell = (value: Value | undefined): boolean => {
  const known = sketch(value)
  return known?.includes('/bin/') === true && shellWord.test(known.slice(0, 4000))
}

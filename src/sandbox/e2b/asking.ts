import { z } from 'zod'
import { fail, type Outcome, ok } from '../../contract/problem.ts'
import type { Language } from '../../contract/run.ts'
import { Completion, Hover, TablePiece, Variable } from '../../contract/sandbox.ts'
import type { Passed } from '../../privacy/privacy.ts'
import type { CloudParts } from './cloud-sandbox.ts'
import type { Question } from './programs.ts'

/** Lets a question through the guard and through the kernel's turn, or says why it cannot be asked now. */
export type Ask = <Q, T>(question: Q, answer: (passed: Passed<Q>) => Promise<Outcome<T>>) => Promise<Outcome<T>>

const questionMs = 2_000

/** Questions about live state, in the kernel's own language. */
export class Asking {
  readonly #parts: Pick<CloudParts, 'machine' | 'guard' | 'conversation' | 'clock'>
  readonly #ask: Ask

  constructor(parts: Pick<CloudParts, 'machine' | 'guard' | 'conversation' | 'clock'>, ask: Ask) {
    this.#parts = parts
    this.#ask = ask
  }

  async variables(language: Language): Promise<Outcome<Variable[]>> {
    if (language !== 'python') return cannotTell(language)
    return this.#askPython({ what: 'variables', code: '', offset: 0 }, z.array(Variable))
  }

  async complete(language: Language, code: string, offset: number): Promise<Outcome<Completion[]>> {
    // Only the name under the cursor is needed, so nothing else of the code leaves.
    const [, owner = '', start = ''] = /((?:[\w$]+\.)*)([\w$]*)$/.exec(code.slice(0, offset)) ?? []
    if (language === 'python') {
      const name = owner + start
      return this.#askPython({ what: 'complete', code: name, offset: name.length }, z.array(Completion))
    }
    return this.#ask(language === 'bash' ? start : owner.slice(0, -1), async passed => {
      const names =
        language === 'bash'
          ? await this.#parts.machine.askShell(passed)
          : z.array(z.string()).parse(JSON.parse((await this.#parts.machine.askScript(language, passed)) ?? '[]'))
      const kind = owner === '' ? ('variable' as const) : ('property' as const)
      return ok(names.filter(name => name.startsWith(start)).map(label => ({ label, kind })))
    })
  }

  async hover(language: Language, code: string, offset: number): Promise<Outcome<Hover | null>> {
    if (language !== 'python') return ok(null)
    const before = /[\w.]*$/.exec(code.slice(0, offset))?.[0] ?? ''
    const after = /^\w*/.exec(code.slice(offset))?.[0] ?? ''
    return this.#askPython({ what: 'hover', code: before + after, offset: before.length }, Hover.nullable())
  }

  async table(language: Language, name: string, from: number): Promise<Outcome<TablePiece>> {
    if (language !== 'python') return noTable(name)
    const Answer = z.union([z.literal(false), TablePiece.omit({ cells: true })])
    let cells = ''
    const answer = await this.#askPython({ what: 'table', code: name, offset: from }, Answer, body => {
      cells = body
    })
    if (!answer.ok) return answer
    return answer.value === false ? noTable(name) : ok({ ...answer.value, cells })
  }

  #askPython<T>(question: Question, schema: z.ZodType<T>, body: (text: string) => void = () => undefined) {
    return this.#ask<Question, T>(question, async passed => {
      const { clock, machine, guard, conversation } = this.#parts
      // A __repr__ that does not end must not hold up the person.
      const cancel = clock.after(questionMs, () => void machine.interrupt().catch(() => undefined))
      const printed = await machine.askPython(passed).finally(cancel)
      const parsed = z
        .object({ value: schema, body: z.string() })
        .safeParse(await guard.restore(jsonOf(printed), conversation))
      if (!parsed.success) return fail('sandbox.failed', 'The kernel gave no answer that makes sense.', 'Restart it.')
      body(parsed.data.body)
      return ok(parsed.data.value)
    })
  }
}

function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

const cannotTell = (language: Language): Outcome<never> =>
  fail('sandbox.failed', `The cloud's kernel for ${language} does not tell its variables.`, 'Print what you need.')
const noTable = (name: string): Outcome<never> =>
  fail('sandbox.no-table', `There is no table named ${name} in the sandbox now.`, 'Run the cell that makes it again.')

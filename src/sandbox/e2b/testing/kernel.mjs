// A JavaScript and TypeScript kernel of the peer: cells as JSON lines on standard input, messages on descriptor 3.
import { writeSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import { runInThisContext } from 'node:vm'

const tell = message => writeSync(3, `${JSON.stringify(message)}\n`)
const textOf = value => (typeof value === 'string' ? value : inspect(value))
console.log = (...values) => tell({ type: 'stdout', text: `${values.map(textOf).join(' ')}\n` })
console.error = (...values) => tell({ type: 'stderr', text: `${values.map(textOf).join(' ')}\n` })

let count = 0
for await (const line of createInterface({ input: process.stdin })) {
  const { code, language } = JSON.parse(line)
  count++
  try {
    const plain = language === 'typescript' ? stripTypeScriptTypes(code) : code
    const value = await runInThisContext(plain, { filename: '<cell>' })
    if (value !== undefined) tell({ type: 'result', is_main_result: true, text: inspect(value) })
  } catch (error) {
    tell({ type: 'error', name: error.name, value: error.message, traceback: error.stack })
  }
  tell({ type: 'number_of_executions', execution_count: count })
  tell({ type: 'end_of_execution' })
}

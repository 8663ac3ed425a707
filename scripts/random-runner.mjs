// Runs tests from a given seed, and those that draw at random once for each further round, each from the next seed.
import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { TestRunner } from 'vitest'

const first = Number(process.env.COUNTERSIGN_TEST_SEED)
const rounds = Number(process.env.COUNTERSIGN_TEST_ROUNDS ?? 1)
/** A line for each test goes here at once, so that a soak that is stopped has something to say. */
const told = process.env.COUNTERSIGN_TEST_TOLD

export default class RandomRunner extends TestRunner {
  #round = 0
  #drawn = false
  #random = new WeakSet()

  constructor(config) {
    super(config)
    const runner = this
    fc.configureGlobal({
      get seed() {
        runner.#drawn = true
        return first + runner.#round
      },
    })
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test)
    if (test.type === 'test') test.repeats = rounds - 1
  }

  onBeforeTryTask(test, options) {
    super.onBeforeTryTask(test, options)
    this.#round = options.repeats
  }

  async runTask(test) {
    if (this.#round > 0 && !this.#random.has(test)) return
    this.#drawn = false
    try {
      await TestRunner.getTestFn(test)()
    } finally {
      if (this.#drawn) this.#random.add(test)
    }
  }

  onAfterRunTask(test) {
    super.onAfterRunTask(test)
    if (!told || test.type !== 'test') return
    const messages = (test.result?.errors ?? []).map(error => String(error.message))
    const line = {
      file: test.file.name,
      test: test.fullTestName ?? test.name,
      times: this.#random.has(test) ? this.#round + 1 : 0,
      failed: test.result?.state === 'fail',
      seeds: messages.flatMap(message => /\bseed:? (-?\d+)/.exec(message)?.[1] ?? []),
      messages: messages.map(message => message.slice(0, 200)),
    }
    appendFileSync(told, `${JSON.stringify(line)}\n`)
  }
}

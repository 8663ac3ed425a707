import type { AskRequest, Turn } from '../../../contract/chat.ts'
import type { Item } from '../../../contract/conversations.ts'
import { PathId } from '../../../contract/ids.ts'
import type { Problem } from '../../../contract/problem.ts'
import { visible } from '../../../contract/visible.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'

export const command: Command = {
  help: `
Usage: countersign ask "QUESTION" [options]

Asks a model that was set up in the application (Settings, Models). What it wants to run is checked and decided like any
other code; a run that needs a reviewer leaves the answer waiting, and it goes on in the application after the decision.

  --model NAME    which model; the first one that is set up unless said otherwise
  --path ID       the path that the question goes to; a new conversation unless said otherwise
  --yes           send also to a provider that nothing was sent to before; without it you see what would leave
  --json          one JSON document: state, text, cells, tokens, cost, path

Example: countersign ask "What is 23 % VAT on 1,250?" --model claude-sonnet-4-5

Exit: 0 answered, 1 the provider failed, 2 wrong use, 3 refused or waiting for a reviewer, 4 no model is set up.
`,
  options: {
    model: { type: 'string' },
    path: { type: 'string' },
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  async run({ values, positionals }, io) {
    const [question, ...more] = positionals
    if (!question?.trim() || more.length > 0) throw new UsageError('give one question, in quotes')
    const given = values.path === undefined ? null : PathId.safeParse(values.path)
    if (given && !given.success) throw new UsageError('--path must be the id of a path')
    const json = values.json === true
    return withEngine(io, async engine => {
      const model = await modelNamed(engine, values.model as string | undefined)
      if (!model) return problemShown(io, json, noModel(values.model as string | undefined), exit.unavailable)
      const path = given?.data ?? (await newConversation(engine, question))
      const stop = json ? () => {} : printAsItComes(engine, io, path)
      const request = { path, text: question, model, seen: values.yes === true }
      const asked = await engine.chat.ask(engine.caller, request)
      if (!asked.ok) {
        stop()
        if (asked.problem.code === 'chat.unseen') return showFirst(engine, io, json, request, asked.problem)
        return problemShown(io, json, asked.problem, exit.refused)
      }
      const cancel = () => void engine.chat.stop(engine.caller, asked.value.id)
      io.signal.addEventListener('abort', cancel)
      await engine.chat.idle()
      io.signal.removeEventListener('abort', cancel)
      stop()
      return report(engine, io, json, path, asked.value.id)
    })
  },
}

async function modelNamed(engine: Engine, name: string | undefined) {
  const providers = await engine.chat.providers.list(engine.caller)
  for (const provider of providers)
    for (const { id } of provider.models)
      if (name === undefined || id === name || `${provider.name}/${id}` === name)
        return { provider: provider.id, model: id }
  return null
}

async function newConversation(engine: Engine, question: string): Promise<PathId> {
  const title = question.trim().split('\n')[0]?.slice(0, 80) || 'Question'
  const made = await engine.conversations.create(engine.caller, { title })
  if (!made.ok) throw new Error(made.problem.message)
  return made.value.conversation.main
}

/** Words as they come, on standard output; what is run and waited for, on standard error. */
function printAsItComes(engine: Engine, io: Io, path: PathId): () => void {
  let last = ''
  return engine.events.listen(event => {
    // Answers of other paths may go on here, after a decision.
    if (event.type === 'chat' && 'path' in event.event && event.event.path === path) {
      if (event.event.kind === 'delta' && event.event.part.kind === 'text') io.stdout.write(event.event.part.text)
      if (event.event.kind === 'settled') io.stdout.write('\n')
    }
    if (event.type === 'chat' && event.event.kind === 'turn' && event.event.turn.path === path)
      printWait(io, event.event.turn)
    if (event.type === 'run' && event.run.path === path && event.run.state !== last) {
      last = event.run.state
      io.stderr.write(`countersign: ${event.run.language} code, ${event.run.state}\n`)
    }
  })
}

function printWait(io: Io, { state, problem, waitUntil }: Turn): void {
  if (state !== 'pausing' || waitUntil === null) return
  const seconds = Math.max(1, Math.ceil((waitUntil - Date.now()) / 1000))
  io.stderr.write(`countersign: ${problem?.message ?? 'The provider is busy.'} Asked again in ${seconds} s.\n`)
}

async function report(engine: Engine, io: Io, json: boolean, path: PathId, id: Turn['id']): Promise<number> {
  const view = await engine.chat.open(engine.caller, path)
  if (!view.ok) return exit.failed
  const turn = view.value.turns.find(each => each.id === id)
  const mine = view.value.parts.filter(each => each.turn === id).map(each => each.item)
  const found = await engine.conversations.items(engine.caller, path, mine)
  if (!turn || !found.ok) return exit.failed
  const items = found.value.filter(({ author }) => author === 'assistant')
  if (json) {
    const { state, problem, inputTokens, outputTokens, cost, model, modelVersion, step } = turn
    const text = await engine.privacy.restore(turn.conversation, saidIn(items))
    const cells = items.flatMap(item =>
      item.kind === 'cell'
        ? [{ language: item.language, code: item.text, success: item.lastRun?.success ?? null }]
        : [],
    )
    const result = {
      state,
      text,
      cells,
      steps: step,
      model: modelVersion ?? model.model,
      inputTokens,
      outputTokens,
      cost,
      path,
      conversation: turn.conversation,
      problem,
    }
    io.stdout.write(`${JSON.stringify(result)}\n`)
  } else if (turn.state === 'resting')
    io.stderr.write(
      'countersign ask: the answer waits for a reviewer; it goes on in the application after the decision.\n',
    )
  else if (turn.problem) io.stderr.write(`countersign ask: ${turn.problem.message} ${turn.problem.hint}\n`)
  return exitOf(turn)
}

const saidIn = (items: readonly Item[]): string =>
  items.flatMap(item => (item.kind === 'message' && item.text ? [item.text] : [])).join('\n\n')

function exitOf({ state, problem }: Turn): number {
  if (state === 'done') return exit.success
  if (state === 'resting' || problem?.code === 'chat.policy' || problem?.code === 'chat.limit') return exit.refused
  return exit.failed
}

/** Nothing was sent to this provider before: every text that would leave, and the way to send it. */
async function showFirst(engine: Engine, io: Io, json: boolean, request: AskRequest, why: Problem): Promise<number> {
  const found = await engine.chat.preview(engine.caller, request)
  if (!found.ok) return problemShown(io, json, found.problem, exit.refused)
  const { to, messages } = found.value
  const problem = { ...why, hint: 'Send it with --yes.' }
  if (json) io.stdout.write(`${JSON.stringify({ state: 'refused', text: '', cells: [], problem, to, messages })}\n`)
  else {
    const texts = messages.map(({ role, text }) => `[${role}]\n${visible(text)}\n`)
    io.stderr.write(`countersign ask: ${why.message} This would leave, to ${visible(to)}:\n\n${texts.join('\n')}\n`)
    io.stderr.write(`${problem.hint}\n`)
  }
  return exit.refused
}

function problemShown(io: Io, json: boolean, problem: Problem, code: number): number {
  if (json) io.stdout.write(`${JSON.stringify({ state: 'refused', text: '', cells: [], problem })}\n`)
  else io.stderr.write(`countersign ask: ${problem.message} ${problem.hint}\n`)
  return code
}

const noModel = (name: string | undefined): Problem => ({
  code: 'chat.no-model',
  message: name ? `No provider has a model named ${name}.` : 'No model is set up.',
  hint: 'Set one up in the application, under Settings, Models.',
})

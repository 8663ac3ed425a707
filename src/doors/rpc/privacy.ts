import { hideValues } from '../../contract/hidden.ts'
import type { ConversationId } from '../../contract/ids.ts'
import { type Allowed, NewAllowed, type Redaction } from '../../contract/privacy.ts'
import { fail, ok } from '../../contract/problem.ts'
import { detectors, type Privacy, redactText, TokenBook } from '../../privacy/privacy.ts'
import { api, type DoorContext, unwrap } from './api.ts'
import { recordOf } from './audit.ts'

const { privacy } = api

export const privacyRouter = {
  rules: privacy.rules.handler(() => detectors.map(({ rule, type, title }) => ({ rule, type, title }))),
  preview: privacy.preview.handler(async ({ context, input }) => {
    await mustExist(context, input.conversation)
    return hideValues(await context.engine.privacy.redact(input.conversation, input.text))
  }),
  tryText: privacy.tryText.handler(async ({ context, input }) => {
    if (input.conversation) await mustExist(context, input.conversation)
    return tryText(context.engine.privacy, input.text, input.conversation)
  }),
  reveal: privacy.reveal.handler(async ({ context, input }) => {
    await mustExist(context, input.conversation)
    const { engine, session } = context
    return { value: await unwrap(engine.privacy.reveal({ ...input, actor: session.caller.user })) }
  }),
  allowed: privacy.allowed.handler(async ({ context }) => {
    await recordOf(context)
    return [...context.engine.privacy.allowed()]
  }),
  allow: privacy.allow.handler(({ context, input }) => allow(context, input)),
  allowToken: privacy.allowToken.handler(async ({ context, input: { token, of, ...entry } }) => {
    await mustExist(context, of)
    const value = await context.engine.privacy.restore(of, token)
    return value === token
      ? unwrap(fail('privacy.unknown-token', `Nothing is kept under ${token}.`, 'It may have been erased.'))
      : allow(context, { ...entry, kind: 'exact', value })
  }),
  disallow: privacy.disallow.handler(async ({ context, input }) => {
    await recordOf(context)
    return unwrap(context.engine.privacy.disallow(input, context.session.caller.user))
  }),
  departures: privacy.departures.handler(async ({ context, input }) => {
    await recordOf(context)
    return context.engine.privacy.departures(input)
  }),
  statistics: privacy.statistics.handler(async ({ context, input }) => {
    await (input.conversation ? mustExist(context, input.conversation) : recordOf(context))
    return context.engine.privacy.statistics(input.conversation)
  }),
  names: privacy.names.handler(({ context: { engine } }) => engine.privacy.namesStatus()),
  stopNames: privacy.stopNames.handler(({ context: { engine } }) => {
    engine.privacy.names.stop()
    return engine.privacy.namesStatus()
  }),
  loadNames: privacy.loadNames.handler(({ context: { engine } }) => {
    engine.privacy.names.again()
    return engine.privacy.namesStatus()
  }),
  forget: privacy.forget.handler(async ({ context, input: { conversation, reason } }) => {
    await mustExist(context, conversation)
    return { count: await context.engine.privacy.forget(conversation, context.session.caller.user, reason) }
  }),
}

/** The vault knows conversations of every tenant; a window may ask only about those of its own. */
async function mustExist({ engine, session }: DoorContext, conversation: ConversationId): Promise<void> {
  await unwrap(engine.conversations.tree(session.caller, conversation))
}

async function allow(context: DoorContext, entry: NewAllowed): Promise<Allowed> {
  const { engine, session } = context
  await recordOf(context)
  const fits = NewAllowed.safeParse(entry)
  const checked = await unwrap(
    fits.success
      ? ok(fits.data)
      : fail(
          'request.invalid',
          'This value is longer than 1,000 characters.',
          'Allow it by a pattern with * in the place of its middle.',
        ),
  )
  return engine.privacy.allow(checked, session.caller.user)
}

/** As `redact` does it, with a book that is thrown away: what is only tried leaves nothing in the vault. */
async function tryText(engine: Privacy, text: string, conversation: ConversationId | null): Promise<Redaction> {
  await engine.names.look([text])
  const book = new TokenBook()
  const found = engine.find(text, conversation)
  const sent = redactText(text, found, book)
  const counts: Redaction['counts'] = {}
  for (const { type } of found) counts[type] = (counts[type] ?? 0) + 1
  const findings = found.map(finding => ({
    ...finding,
    field: '',
    token: book.tokenFor(finding.type, text.slice(finding.start, finding.end)),
    before: text.slice(Math.max(0, finding.start - 40), finding.start),
    after: text.slice(finding.end, finding.end + 40),
  }))
  return { original: text, sent, findings, counts }
}

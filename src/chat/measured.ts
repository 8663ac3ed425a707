import type { PathRef } from '../contract/contexts.ts'
import type { RunView } from '../contract/runs.ts'
import type { Desk } from './desk.ts'

/** A tool's span, inside that of the answer: who, where and which tool; never what was run or said. */
export function measured<T extends RunView | string>(
  { measuring }: Pick<Desk, 'measuring'>,
  ref: PathRef,
  { tool, forced }: { readonly tool: string; readonly forced: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const name = tool === 'run_analysis' ? 'compliance.tool.run_analysis' : 'compliance.tool.run_code'
  const place = { 'app.tenant.id': ref.tenant, 'app.conversation.id': ref.conversation, 'app.path.id': ref.path }
  return measuring.span(name, { ...place, 'tool.name': tool, 'tool.forced': forced }, async note => {
    const view = await work()
    if (typeof view !== 'string' && view.outcome)
      note({ 'sandbox.id': view.outcome.sandboxId, success: view.outcome.success })
    return view
  })
}

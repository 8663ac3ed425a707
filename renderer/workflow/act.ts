import type { WorkflowView } from '../../src/contract/workflow.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'

/** Shows what became of a workflow, or why nothing did. */
export async function act(answer: Promise<WorkflowView>): Promise<void> {
  try {
    const workflow = await answer
    queryClient.setQueryData(rpc.workflow.get.queryKey({ input: { workflow: workflow.id } }), workflow)
  } catch (error) {
    showProblem(error)
  }
}

import type { z } from 'zod'
import { problem } from '../contract/problem.ts'
import type { ToolGrant } from '../contract/tools.ts'
import type { CodeTask, ToolTask } from '../contract/workflow.ts'

/**
 * A tool as a task: a small program that calls it with the task's inputs. So it is inspected, placed, asked about where
 * the tool changes something, and recorded, like all other code.
 */
export function programFor(
  { needs, inputs, retry, timeoutSeconds }: z.infer<typeof ToolTask>,
  { server, tool }: ToolGrant['calledAs'],
): z.infer<typeof CodeTask> {
  return {
    ...{ type: 'code_execution', language: 'python', sandbox: 'own', outputs: { result: 'any' } },
    ...{ needs, inputs, retry, timeoutSeconds },
    code: `import json

with open("inputs.json") as file:
    inputs = json.load(file)
result = tools.${server}.${tool}(inputs)
if hasattr(result, "path"):  # too long for an output: it stays the file that it came as
    result = {"file": result.path, "bytes": result.bytes}
with open("outputs.json", "w") as file:
    json.dump({"result": result}, file)
`,
  }
}

export const notAccepted = (server: string, tool: string) =>
  problem('mcp.unaccepted', `The tool ${tool} of ${server} has not been accepted.`, 'Accept it on the page MCP.')

export const mayHaveActed = ({ server, tool }: Pick<z.infer<typeof ToolTask>, 'server' | 'tool'>) =>
  problem(
    'workflow.uncertain',
    `The application ended while ${tool} of ${server} was being called: whether it acted is not known.`,
    'Look there first. Resume calls it again; abort leaves it as it is.',
  )

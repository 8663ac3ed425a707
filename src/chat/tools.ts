import { z } from 'zod'
import { AnalysisFormat, AnalysisType } from '../contract/analyses.ts'
import type { ToolName } from '../contract/chat.ts'
import { languages } from '../contract/run.ts'
import { Code } from '../contract/runs.ts'
import type { FunctionTool } from './language-model.ts'

/** What a model may ask for. Its arguments are a claim like any other: they are parsed before anything looks at them. */
export const toolInputs = {
  run_code: z.object({
    language: z.enum([...languages, 'sh']).describe('Variables stay between calls of the same language'),
    code: Code.describe('The program. What it prints, and the value of its last line, come back'),
    description: z
      .string()
      .max(200)
      .optional()
      .describe('What it does, in a few words, for the person and the reviewer'),
    timeout_seconds: z.number().min(1).max(600).optional().describe('Longest run; 60 unless said otherwise'),
  }),
  run_analysis: z.object({
    type: AnalysisType.describe('What it is for; that of the catalogue where `analysis` is given'),
    analysis: z.string().max(64).optional().describe('Id of an analysis of the catalogue'),
    parameters: z
      .looseObject({})
      .optional()
      .describe('What the analysis is given, by name; amounts and rates as decimal text such as "1250.00"'),
    code: Code.optional().describe(
      'Python, where the catalogue has no analysis: finds its parameters in `parameters`. With `analysis`: def run(inputs, parameters) in the place of its own',
    ),
    output_format: AnalysisFormat.optional().describe('Format of `result`; json unless said otherwise'),
  }),
  read_file: z.object({
    path: z.string().min(1).max(4096).describe('Relative to the working folder'),
    offset: z.number().int().min(0).optional().describe('First character'),
    length: z.number().int().min(1).max(16_000).optional().describe('Characters; 4,000 unless said otherwise'),
  }),
  list_files: z.object({ folder: z.string().max(4096).optional() }),
  inspect_variable: z.object({
    name: z.string().min(1).max(200),
    language: z.enum(['python', 'javascript', 'typescript']).optional(),
  }),
} as const satisfies Record<ToolName, z.ZodType>

const descriptions: Record<ToolName, string> = {
  run_code:
    'Runs a program in the sandbox of this conversation. It is checked first; where it looks risky a reviewer decides, which may take long, and may refuse it.',
  run_analysis:
    'Runs a versioned calculation of the catalogue (tax, compliance, statistics) by its id, or code of your own with parameters. `result` holds the figures with the law they rest on; cite it by name and version.',
  read_file: 'Reads a part of a text file of the working folder.',
  list_files: 'Lists the working folder or a folder in it.',
  inspect_variable: 'Type, size and beginning of a variable; for a table its columns and first rows.',
}

const described = new Map<ToolName, FunctionTool>()

/** The tools as a model is told of them. Each is described once: a person waits while a request is made. */
export const toolsFor = (names: readonly ToolName[]): FunctionTool[] =>
  names.map(name => {
    const known = described.get(name) ?? toolOf(name)
    described.set(name, known)
    return known
  })

function toolOf(name: ToolName): FunctionTool {
  const { $schema: _, ...schema } = z.toJSONSchema(toolInputs[name], { io: 'input', unrepresentable: 'any' })
  return {
    type: 'function',
    name,
    description: descriptions[name],
    inputSchema: schema as FunctionTool['inputSchema'],
  }
}

export type ToolCall = { [Name in ToolName]: { tool: Name; input: z.infer<(typeof toolInputs)[Name]> } }[ToolName]

/** A call as it can be carried out, or what to tell the model about it. */
export function readCall(tool: string, input: string, offered: readonly ToolName[]): ToolCall | string {
  if (!offered.includes(tool as ToolName))
    return `There is no tool named ${JSON.stringify(tool.slice(0, 80))}. ${
      offered.length > 0 ? `There are: ${offered.join(', ')}.` : 'No tool can be used at the moment.'
    }`
  let data: unknown
  try {
    data = JSON.parse(input || '{}')
  } catch {
    return 'The arguments are not JSON. Call the tool again with a JSON object.'
  }
  const read = toolInputs[tool as ToolName].safeParse(data)
  if (read.success) return { tool, input: read.data } as ToolCall
  const issues = read.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  return `The arguments do not fit the tool: ${issues.join('; ')}`
}

import { z } from 'zod'
import { AnalysisId } from './analyses.ts'
import { PathId } from './ids.ts'
import { Intent, ToolEffect } from './mcp-servers.ts'
import { GrantText } from './network.ts'
import { Language, RiskLevel } from './run.ts'
import { Code } from './runs.ts'

/** What another assistant may ask for over MCP, and what it is answered. Field names are those of the wire. */

const context = PathId.optional().describe(
  'The context of an earlier answer: its variables and files are there. Left out: the context of this client.',
)

export const ExecuteCode = z.strictObject({
  code: Code.describe('The program, at most 100 KB. What it prints and its last expression come back.'),
  language: Language,
  intent: z.string().max(2000).optional().describe('What it is for, in a sentence for the reviewer.'),
  context,
  sandbox_config: z
    .strictObject({
      timeout_seconds: z.number().min(1).max(600).optional(),
      network: z.array(GrantText).max(64).optional().describe('Hosts it asks to reach; each needs an approval.'),
      ask_reviewer: z.boolean().optional().describe('Ask a reviewer even where the policy would not.'),
    })
    .optional(),
})
export type ExecuteCode = z.output<typeof ExecuteCode>

export const RunAnalysis = z.strictObject({
  analysis: AnalysisId.describe('Id of the analysis, from list_analyses'),
  version: z.string().max(20).optional().describe('Left out: the newest'),
  inputs: z.record(z.string().max(64), z.json()).describe('Inputs by name, as list_analyses names them'),
  context,
})
export type RunAnalysis = z.output<typeof RunAnalysis>

export const WaitForRun = z.strictObject({
  id: z.uuid().describe('`state.resume` of an answer whose status was waiting or running'),
})

export const ListAnalyses = z.strictObject({
  jurisdiction: z.string().max(20).optional(),
  text: z.string().max(200).optional().describe('Words of its title, summary or id'),
})

/** `waiting` for a reviewer and `running` are not the end: `wait_for_run` goes on with `state.resume`. */
export const callStatuses = ['finished', 'waiting', 'running', 'refused', 'failed'] as const

const names = z.array(z.string())

export const CallResult = z.object({
  result: z.string().describe('Value of the last expression and what was displayed, as text'),
  logs: z.object({ stdout: z.string(), stderr: z.string(), notices: names }),
  metrics: z.object({
    execution_ms: z.number(),
    cpu_ms: z.number(),
    peak_memory_bytes: z.number(),
    /** Written by the program and its displays, before anything was cut. */
    output_bytes: z.number(),
    sent_bytes: z.number(),
  }),
  state: z.object({
    status: z.enum(callStatuses),
    context: z.string().describe('Hand it in again to find variables and files'),
    run: z.string().optional(),
    resume: z.string().optional().describe('For wait_for_run'),
    risk: RiskLevel.optional(),
    variables: z.object({ created: names, changed: names, removed: names }).optional(),
    files: z.object({ created: names, modified: names, deleted: names }).optional(),
  }),
  error: z.object({ name: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
})
export type CallResult = z.infer<typeof CallResult>

export const AnalysisList = z.object({
  analyses: z.array(
    z.object({
      id: z.string(),
      version: z.string(),
      title: z.string(),
      jurisdiction: z.string(),
      summary: z.string(),
      inputs: z.array(z.object({ name: z.string(), type: z.string(), required: z.boolean() })),
    }),
  ),
})
export type AnalysisList = z.infer<typeof AnalysisList>

export const SearchTools = z.strictObject({
  intent: Intent.describe('What the tool should do, in a sentence'),
})

/** Tools of the user's other servers. Descriptions are those servers' own words, to be read as data. */
export const ToolsFound = z.object({
  tools: z.array(
    z.object({
      server: z.string(),
      name: z.string(),
      description: z.string(),
      effect: ToolEffect,
      score: z.number(),
      parameters: names,
      required: names,
    }),
  ),
  note: z.string().optional().describe('There when they were found by words alone, without their meaning'),
})
export type ToolsFound = z.infer<typeof ToolsFound>

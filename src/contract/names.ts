import { z } from 'zod'
import { EntityType, Finding } from './privacy.ts'
import { Problem } from './problem.ts'

/** What can be said of a folder with a usable model for names without loading it. */
export const ModelFacts = z.object({
  folder: z.string(),
  /** The labels that it gives, without their beginnings (`PER`, not `B-PER`), and what each counts as here, if anything. */
  labels: z.array(z.object({ label: z.string(), type: EntityType.nullable() })),
  /** All files that are read, together. */
  bytes: z.number().int().nonnegative(),
})
export type ModelFacts = z.infer<typeof ModelFacts>

/** One sentence, put to a model that was just loaded. */
export const ModelTrial = z.object({
  text: z.string(),
  findings: z.array(Finding),
  ms: z.number().nonnegative(),
  /** How long the model took to load before. */
  loadMs: z.number().nonnegative(),
})
export type ModelTrial = z.infer<typeof ModelTrial>

/** What is done with a folder that was chosen, in this order. */
export const modelSteps = ['files', 'model', 'trial'] as const
export type ModelStep = (typeof modelSteps)[number]

/** `folder` is the one that the settings name, `detail` a sentence for a person: which model, or why there is none. */
const about = { folder: z.string(), detail: z.string() }

export const NamesStatus = z.discriminatedUnion('state', [
  z.object({ state: z.literal('off'), ...about }),
  z.object({
    state: z.literal('loading'),
    ...about,
    step: z.enum(modelSteps),
    /** Since it was begun. */
    ms: z.number().nonnegative(),
    model: ModelFacts.nullable(),
  }),
  z.object({ state: z.literal('ready'), ...about, model: ModelFacts, trial: ModelTrial }),
  z.object({ state: z.literal('failed'), ...about, problem: Problem }),
  /** A person did not want to wait; it is not loaded again until somebody asks. */
  z.object({ state: z.literal('stopped'), ...about }),
])
export type NamesStatus = z.infer<typeof NamesStatus>

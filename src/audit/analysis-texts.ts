import type { AnalysisMark } from '../contract/analyses.ts'
import type { WorkedExample } from '../contract/report.ts'
import type { PassEgress } from './bundle.ts'

/** The files of one version of an analysis, and its worked examples as a report prints them. */
export interface AnalysisTexts {
  readonly files: Readonly<Record<string, string>>
  readonly worked: readonly WorkedExample[]
}

type Named = Pick<AnalysisMark, 'analysis' | 'version' | 'sha256'>

/** The texts that the hash on the record is over; null where they are not here any more. */
export type TextsOfAnalysis = (named: Named) => Promise<AnalysisTexts | null>

/** Texts that may leave. What ships is public; a user's own analysis may hold anything, and goes whole or not at all. */
export async function textsThatMayLeave(
  named: Named & Pick<AnalysisMark, 'origin'>,
  textsOf: TextsOfAnalysis | undefined,
  passEgress: PassEgress | undefined,
): Promise<AnalysisTexts | null> {
  const texts = (await textsOf?.(named)) ?? null
  if (texts === null || named.origin === 'catalogue' || !passEgress) return texts
  const asked = Object.values(texts.files)
  const passed = await passEgress(asked)
  return passed.ok && passed.value.value.every((text, at) => text === asked[at]) ? texts : null
}

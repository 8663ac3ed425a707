import type { Language } from '../contract/run.ts'
import { bashFrontEnd } from './bash/front-end.ts'
import { javaScriptFrontEnd, typeScriptFrontEnd } from './javascript/front-end.ts'
import type { FrontEnd } from './model.ts'
import { pythonFrontEnd } from './python/front-end.ts'

/** Who reads what. Total over `Language`: a new language does not compile until somebody reads it. */
export const frontEnds: Record<Language, FrontEnd> = {
  python: pythonFrontEnd,
  javascript: javaScriptFrontEnd,
  typescript: typeScriptFrontEnd,
  bash: bashFrontEnd,
}

/** Grammars are loaded when a program first needs them, so that the first verdict does not wait for all of them. */
export const prepare = (language: Language): Promise<void> => frontEnds[language].prepare()

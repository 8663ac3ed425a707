import type { Language } from '../../contract/run.ts'
import { benignPython } from './benign-python.ts'
import { benignScripts } from './benign-scripts.ts'
import { dangerousPython } from './dangerous-python.ts'
import { dangerousScripts } from './dangerous-scripts.ts'
import { insecurePython } from './insecure-python.ts'
import { insecureScripts } from './insecure-scripts.ts'
import { benignShell } from './shell-benign.ts'
import { dangerousShell } from './shell-dangerous.ts'
import { shellTricks } from './shell-tricks.ts'

export type Label = 'dangerous' | 'insecure' | 'benign'

export interface Sample {
  readonly label: Label
  readonly language: Language
  readonly code: string
}

const labelled = (label: Label, language: Language, programs: readonly string[]): Sample[] =>
  programs.map(code => ({ label, language, code }))

/** Short programs of our own with what they are, to know how often the guard is right. */
export const corpus: readonly Sample[] = [
  ...labelled('dangerous', 'python', dangerousPython),
  ...labelled('dangerous', 'javascript', dangerousScripts),
  ...labelled('dangerous', 'bash', dangerousShell),
  ...labelled('dangerous', 'bash', shellTricks),
  ...labelled('insecure', 'python', insecurePython),
  ...labelled('insecure', 'javascript', insecureScripts),
  ...labelled('benign', 'python', benignPython),
  ...labelled('benign', 'javascript', benignScripts),
  ...labelled('benign', 'bash', benignShell),
]

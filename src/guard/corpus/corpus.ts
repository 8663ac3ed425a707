import type { Language } from '../../contract/run.ts'
import { benignDataScripts } from './benign-data-scripts.ts'
import { benignPython } from './benign-python.ts'
import { benignScripts } from './benign-scripts.ts'
import { dangerousPython } from './dangerous-python.ts'
import { dangerousScripts } from './dangerous-scripts.ts'
import { insecureHandlers } from './insecure-handlers.ts'
import { insecurePython } from './insecure-python.ts'
import { insecureReplies, insecureReplyScripts } from './insecure-replies.ts'
import { insecureScripts } from './insecure-scripts.ts'
import { pythonOperations } from './python-operations.ts'
import { benignShell } from './shell-benign.ts'
import { dangerousShell } from './shell-dangerous.ts'
import { shellExercises } from './shell-exercises.ts'
import { shellIdioms } from './shell-idioms.ts'
import { shellOperations } from './shell-operations.ts'
import { shellTricks } from './shell-tricks.ts'
import { unseenShell } from './shell-unseen.ts'
import { tamperingPython } from './tampering-python.ts'
import { tamperingScripts } from './tampering-scripts.ts'

export type Label = 'dangerous' | 'insecure' | 'benign'

export interface Sample {
  readonly label: Label
  /** What the programs of one list have in common, in words: a rate is told for each. */
  readonly set: string
  readonly language: Language
  readonly code: string
}

const labelled = (label: Label, set: string, language: Language, programs: readonly string[]): Sample[] =>
  programs.map(code => ({ label, set, language, code }))

/** Short programs of our own with what they are, to know how often the guard is right. */
export const corpus: readonly Sample[] = [
  ...labelled('dangerous', 'dangerous Python', 'python', dangerousPython),
  ...labelled('dangerous', 'steps of an attack in Python', 'python', pythonOperations),
  ...labelled('dangerous', 'dangerous JavaScript', 'javascript', dangerousScripts),
  ...labelled('dangerous', 'tampering Python', 'python', tamperingPython),
  ...labelled('dangerous', 'tampering JavaScript', 'javascript', tamperingScripts),
  ...labelled('dangerous', 'dangerous shell', 'bash', dangerousShell),
  ...labelled('dangerous', 'steps of an attack in a shell', 'bash', shellOperations),
  ...labelled('dangerous', 'tricks through ordinary tools', 'bash', shellTricks),
  ...labelled('dangerous', 'commands out of sight', 'bash', unseenShell),
  ...labelled('insecure', 'insecure Python', 'python', insecurePython),
  ...labelled('insecure', 'insecure services in Python', 'python', insecureReplies),
  ...labelled('insecure', 'insecure JavaScript', 'javascript', insecureScripts),
  ...labelled('insecure', 'insecure services in JavaScript', 'javascript', insecureReplyScripts),
  ...labelled('insecure', 'insecure handlers in JavaScript', 'javascript', insecureHandlers),
  ...labelled('benign', 'ordinary Python', 'python', benignPython),
  ...labelled('benign', 'ordinary JavaScript', 'javascript', benignScripts),
  ...labelled('benign', 'data work in JavaScript', 'javascript', benignDataScripts),
  ...labelled('benign', 'ordinary shell scripts', 'bash', benignShell),
  ...labelled('benign', 'shell idioms', 'bash', shellIdioms),
  ...labelled('benign', 'shell exercises', 'bash', shellExercises),
]

export interface Rate {
  readonly set: string
  readonly label: Label
  readonly programs: number
  readonly aboveLow: number
  readonly wrong: readonly Sample[]
}

/** For each list, how many of its programs come above low, and which of them the guard gets wrong. */
export function rates(isAboveLow: (sample: Sample) => boolean): Rate[] {
  const sets = Map.groupBy(corpus, sample => sample.set)
  return [...sets].map(([set, samples]) => {
    const above = samples.filter(isAboveLow)
    const label = samples[0]?.label ?? 'benign'
    const wrong = label === 'benign' ? above : samples.filter(sample => !above.includes(sample))
    return { set, label, programs: samples.length, aboveLow: above.length, wrong }
  })
}

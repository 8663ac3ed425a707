import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import type { Policy } from '../contract/policy.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import { parseJsonPolicy, parsePolicy, renderPolicy, updateJson, updateText } from './policy-text.ts'

/** The file that a policy stands in: `policy.yaml`, or `policy.json` beside it where only that is there. */
export interface PolicyFile {
  /** The one that counts now, or the one that would be written. */
  readonly path: string
  /** Changes with everything that could change the policy. */
  readonly stamp: string
}

export function findPolicyFile(yaml: string): PolicyFile {
  const json = jsonBeside(yaml)
  const stamps = [stampOf(yaml), stampOf(json)] as const
  return { path: stamps[0] === none && stamps[1] !== none ? json : yaml, stamp: stamps.join(', ') }
}

const jsonBeside = (yaml: string): string => yaml.replace(/\.ya?ml$/, '.json')
const isJson = (file: string): boolean => file.endsWith('.json')

/** The policy in the file; null when there is none. Two files are a question that only a person can answer. */
export function readPolicyFile(yaml: string): Outcome<Policy | null> {
  const json = jsonBeside(yaml)
  if (existsSync(yaml) && existsSync(json)) {
    return fail(
      'policy.unreadable',
      `There are two policies, ${yaml} and ${json}, and only one can be in force.`,
      'Remove one of them; until then the policy cannot become less strict.',
    )
  }
  const { path } = findPolicyFile(yaml)
  try {
    const text = readPolicyText(path)
    if (text === null) return ok(null)
    return isJson(path) ? parseJsonPolicy(text) : parsePolicy(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail('policy.unreadable', `The policy cannot be read: ${why}.`, 'Check the file and its permissions.')
  }
}

export const readPolicyText = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

/** The text that says this policy in the manner of the file, with what else a person wrote there kept. */
export function textFor(file: string, policy: Policy, before: Policy): string {
  const text = readPolicyText(file)
  return isJson(file) ? updateJson(text ?? '', policy) : updateText(text ?? renderPolicy(before), policy)
}

/** A person's own text goes into the file as it is, unless the file must be JSON and the text is not. */
export const asWritten = (file: string, text: string, policy: Policy): string =>
  !isJson(file) || parseJsonPolicy(text).ok ? text : updateJson('', policy)

/** What a person wrote and we cannot read, or did not choose, is kept beside, so that it can be mended. */
export function setAside(yaml: string, now: number): void {
  const both = existsSync(yaml) && existsSync(jsonBeside(yaml))
  const file = both ? jsonBeside(yaml) : findPolicyFile(yaml).path
  try {
    renameSync(file, `${file}.damaged-${now}`)
  } catch {
    // Nothing was there, or the folder cannot be written: then the writing that follows says so.
  }
}

const none = 'none'

function stampOf(file: string): string {
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    return none
  }
}

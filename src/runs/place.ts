import { isDeepStrictEqual } from 'node:util'
import { systemEnvironment } from '../contract/environments.ts'
import {
  type BackEnd,
  type Environment,
  isAtLeast,
  type Placement,
  placeWords,
  SandboxFacts,
  type SandboxType,
  type WantedPlace,
} from '../contract/placement.ts'
import { type IsolationRules, type Policy, tooWeak } from '../contract/policy.ts'
import { type Outcome, ok, type Problem, problem } from '../contract/problem.ts'
import { type Isolation, isolations, type Limits, type RiskLevel, type SandboxKind } from '../contract/run.ts'
import type { ToolGrant } from '../contract/tools.ts'

/** All that the place of a run depends on. */
export interface Surroundings {
  readonly policy: IsolationRules & Pick<Policy, 'network'>
  /** What a reviewer has granted all runs of the path. */
  readonly granted: readonly string[]
  /** What the settings, or whoever asked for this run, want. */
  readonly type: SandboxType
  readonly backEnds: readonly BackEnd[]
  /** What the conversation has chosen, as it is on this machine; back ends that are elsewhere bring their own. */
  readonly environment: Outcome<Environment>
  /** The sandbox that the path has now; null where it has none. */
  readonly current: SandboxFacts | null
  /** What its last one was, where that has ended: a path that was moved does not fall back by itself. */
  readonly before: SandboxFacts | null
  /** The image that the conversation used last: its new paths begin with the same template. */
  readonly image?: string | null
}

export interface Wishes {
  readonly risk: RiskLevel
  readonly limits: Limits
  readonly network: readonly string[]
  readonly tools?: readonly ToolGrant[]
  /** What its author wants beyond the policy. Nothing stands in for it. */
  readonly placement?: WantedPlace | undefined
}

export type Placed =
  | { readonly kind: 'placed'; readonly placement: Placement }
  /** The path's sandbox gives less than this code needs; `placement` is what would do. */
  | { readonly kind: 'short'; readonly placement: Placement; readonly current: SandboxFacts; readonly why: string }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** Quickest first. */
const bySpeed: readonly SandboxKind[] = ['local', 'docker', 'gvisor', 'microvm', 'e2b']

/**
 * Chooses where code runs. The path's own sandbox where that is enough; else what is asked for, or what suits the
 * risk. A missing back end is replaced only as far as the policy allows, never in silence; where nothing that is here
 * will do, the answer is no.
 */
export function place(wishes: Wishes, surroundings: Surroundings): Placed {
  const { current } = surroundings
  if (!current) return fresh(wishes, surroundings)
  const why = whyNotEnough(current, wishes, surroundings)
  if (why === null) {
    const reasons = [`This path has its sandbox already (${current.isolation}).`]
    return { kind: 'placed', placement: standing(current, wishes, reasons) }
  }
  const better = fresh(wishes, surroundings)
  return better.kind === 'placed' ? { kind: 'short', placement: better.placement, current, why } : better
}

/** Where files go that come before any code: to the path's sandbox, or to the one that plain code would be given. */
export function placeForFiles(limits: Limits, surroundings: Surroundings): Outcome<Placement> {
  const placed = place({ risk: 'low', limits, network: [] }, surroundings)
  switch (placed.kind) {
    case 'refused':
      return { ok: false, problem: placed.problem }
    case 'short':
      return {
        ok: false,
        problem: problem('sandbox.too-weak', placed.why, 'Move the path to a stronger sandbox first.'),
      }
    case 'placed':
      return ok(placed.placement)
  }
}

/** Why code of this risk would get no new sandbox, or none that is what its author wants; null where it would. */
export function unplaceable(
  wishes: Pick<Wishes, 'risk' | 'limits' | 'placement'>,
  around: Surroundings,
): Problem | null {
  const placed = fresh({ ...wishes, network: [] }, around)
  return placed.kind === 'refused' ? placed.problem : null
}

function whyNotEnough(
  current: SandboxFacts,
  { risk, placement }: Wishes,
  { policy, type, backEnds }: Surroundings,
): string | null {
  const weak = tooWeak(policy, risk, current.isolation) ?? notWanted(placement, current, policy)
  if (weak) return weak
  if ((placement?.kind ?? type) !== 'auto' || !isDangerous(risk)) return null
  const best = strongest(backEnds.filter(each => isUsableHere(each) && !each.emulated))
  return best && !isAtLeast(current.isolation, best.isolation)
    ? `Code of ${risk} risk takes the strongest sandbox of this machine (${best.isolation}), and this path has a ${current.isolation}.`
    : null
}

/** Why a sandbox is not what the author of the code wants, in a sentence; null where it is. */
function notWanted(
  wanted: WantedPlace | undefined,
  { kind, isolation }: Pick<BackEnd, 'kind' | 'isolation'>,
  { userSpaceKernelAsMicrovm }: IsolationRules,
): string | null {
  if (wanted?.kind && kind !== wanted.kind) return `It is to run in ${wanted.kind}, and this sandbox is ${kind}.`
  const least = wanted?.isolation
  if (!least || isAtLeast(isolation, least)) return null
  if (least === 'microvm' && isolation === 'user-space kernel' && userSpaceKernelAsMicrovm) return null
  return `It is to run in at least a ${least}, and this sandbox (${kind}) is ${isolation}.`
}

/** What the settings ask for counts as far as it is what the code wants. */
function typeFor(wanted: WantedPlace | undefined, { type, backEnds, policy }: Surroundings): SandboxType {
  if (wanted?.kind) return wanted.kind
  const meant = backEnds.find(({ kind }) => kind === type)
  return meant && notWanted(wanted, meant, policy) ? 'auto' : type
}

/** A place for a path that has no sandbox yet. */
function fresh(wishes: Wishes, surroundings: Surroundings): Placed {
  const { policy, before, environment } = surroundings
  const backEnds = surroundings.backEnds.map(each => keepingImage(each, before, surroundings.image ?? null))
  const { risk } = wishes
  const type = typeFor(wishes.placement, surroundings)
  const placed = (backEnd: BackEnd, reasons: string[], warnings: string[]) =>
    placedIn(backEnd, environment, wishes, reasons, warnings)
  const wanted = backEnds.filter(each => notWanted(wishes.placement, each, policy) === null)
  const enough = wanted.filter(each => each.available && tooWeak(policy, risk, each.isolation) === null)
  // Running unconfined is the last resort of a machine that has nothing else.
  const confined = enough.filter(each => each.isolation !== 'unconfined')
  const usable = confined.length > 0 ? confined : enough
  // An imitated machine is so slow that nobody gets one without having asked for it.
  const auto = choose(
    risk,
    usable.filter(each => !each.emulated),
  )
  const same = before && usable.find(each => each.kind === before.kind)
  if (same && !(auto && isAtLeast(auto.isolation, same.isolation)))
    return placed(same, [`This path was in a ${same.isolation} before.`], [])
  const asked = type === 'auto' ? undefined : usable.find(each => each.kind === type)
  if (asked) return placed(asked, [`${asked.kind} was asked for.`], [])
  if (!auto && wishes.placement) return { kind: 'refused', problem: notHere(wishes.placement, risk, policy, backEnds) }
  if (!auto) return { kind: 'refused', problem: nowhere(risk, policy.minimumIsolation[risk], policy.cloud, backEnds) }
  if (type === 'auto') return placed(auto, [whyChosen(auto, risk)], [])
  return placed(auto, [whyChosen(auto, risk)], [standIn(type, auto, wishes.risk, policy, backEnds)])
}

/** A path keeps its template, also when that was made anew meanwhile. */
function keepingImage(backEnd: BackEnd, before: SandboxFacts | null, used: string | null): BackEnd {
  const had = before?.kind === backEnd.kind ? before.image : used
  const kept = had && backEnd.templates?.find(({ digest, before: older }) => digest === had || older.includes(had))
  return kept ? { ...backEnd, image: kept.digest } : backEnd
}

const isDangerous = (risk: RiskLevel): boolean => risk === 'high' || risk === 'critical'
const isUsableHere = ({ available, isolation }: BackEnd): boolean => available && isolation !== 'cloud'

/** Of these the one that suits the risk; the cloud only where nothing on this machine will do. */
function choose(risk: RiskLevel, usable: readonly BackEnd[]): BackEnd | undefined {
  const here = usable.filter(isUsableHere)
  const from = here.length > 0 ? here : usable
  return isDangerous(risk) ? strongest(from) : from.toSorted((a, b) => speed(a) - speed(b))[0]
}

const strength = ({ isolation }: BackEnd): number => isolations.indexOf(isolation)
const speed = ({ kind }: BackEnd): number => bySpeed.indexOf(kind)
const strongest = (from: readonly BackEnd[]): BackEnd | undefined =>
  from.toSorted((a, b) => strength(b) - strength(a) || speed(a) - speed(b))[0]

const whyChosen = ({ kind, isolation }: BackEnd, risk: RiskLevel): string =>
  isDangerous(risk)
    ? `Code of ${risk} risk takes the strongest sandbox of this machine: ${kind} (${isolation}).`
    : `Code of ${risk} risk takes the quickest sandbox that the policy allows: ${kind} (${isolation}).`

function standIn(
  type: SandboxKind,
  used: BackEnd,
  risk: RiskLevel,
  policy: Surroundings['policy'],
  backEnds: readonly BackEnd[],
): string {
  const meant = backEnds.find(each => each.kind === type)
  const why = meant?.available ? tooWeak(policy, risk, meant.isolation) : (meant?.detail ?? null)
  const because = why ? ` (${why.replace(/\.$/, '')})` : ''
  const weaker = meant && !isAtLeast(used.isolation, meant.isolation) ? ', which isolates less' : ''
  return `${type} is not available here${because}; ${used.kind} is used in its place${weaker}.`
}

function placedIn(
  { kind, isolation, image, emulated }: BackEnd,
  environment: Surroundings['environment'],
  wishes: Wishes,
  reasons: string[],
  warnings: string[],
): Placed {
  if (kind === 'local' && !environment.ok) return { kind: 'refused', problem: environment.problem }
  const given = environmentIn(kind, environment)
  const facts: SandboxFacts = { kind, isolation, image, environment: given.environment, mounts: [] }
  const unconfined = isolation === 'unconfined' ? ['No jail can be made on this machine: code runs unconfined.'] : []
  const slow = emulated ? [`${kind} is emulated on this machine: code runs 10 to 15 times slower.`] : []
  return {
    kind: 'placed',
    placement: standing(facts, wishes, reasons, [...warnings, ...given.warnings, ...unconfined, ...slow]),
  }
}

/** Environments are of this machine: elsewhere the image's own interpreter is used, and the person is told. */
export function environmentIn(
  kind: SandboxKind,
  chosen: Surroundings['environment'],
): { environment: Environment | null; warnings: string[] } {
  const environment = chosen.ok ? chosen.value : null
  if (kind === 'local') return { environment, warnings: [] }
  const isOwn = environment === null || environment.name === systemEnvironment
  const warning = `The environment ${environment?.name} is of this machine; ${kind} uses the packages of its image.`
  return { environment: null, warnings: isOwn ? [] : [warning] }
}

/** Whether a run would now be given other packages, or another interpreter, in what is otherwise the same sandbox. */
export function isOtherEnvironment(before: SandboxFacts, now: SandboxFacts): boolean {
  const [was, is] = [SandboxFacts.parse(before), SandboxFacts.parse(now)]
  return !isDeepStrictEqual(was, is) && isDeepStrictEqual({ ...was, environment: is.environment }, is)
}

function standing(facts: SandboxFacts, wishes: Wishes, reasons: string[], warnings: string[] = []): Placement {
  const tools = [...(wishes.tools ?? [])]
  // Nothing of ours is at the other end that could carry a call back.
  const noTools = facts.isolation === 'cloud' && tools.length > 0
  return {
    ...facts,
    network: [...wishes.network],
    ...(tools.length > 0 && !noTools ? { tools } : {}),
    limits: wishes.limits,
    aside: false,
    reasons,
    warnings: noTools ? [...warnings, 'Tools cannot be called from a cloud sandbox: this run has none.'] : warnings,
  }
}

function notHere(wanted: WantedPlace, risk: RiskLevel, policy: IsolationRules, backEnds: readonly BackEnd[]): Problem {
  const fitting = backEnds.filter(each => notWanted(wanted, each, policy) === null)
  const meant = fitting.find(each => each.available && !each.emulated) ?? fitting[0]
  const named = backEnds.find(({ kind }) => kind === wanted.kind)
  const why = meant ? whyNot(meant, risk, policy) : named && `${named.kind} gives ${named.isolation} here.`
  return problem(
    'sandbox.unavailable',
    `The placement (${placeWords(wanted)}) cannot be had here: ${why ?? 'this machine has nothing of the kind.'}`,
    meant?.hint ?? 'Ask for another placement; `countersign doctor` says what this machine has.',
  )
}

function whyNot(backEnd: BackEnd, risk: RiskLevel, policy: IsolationRules): string {
  if (!backEnd.available) return backEnd.detail
  return (
    tooWeak(policy, risk, backEnd.isolation) ??
    `${backEnd.kind} is emulated on this machine, and used only where it is asked for by name.`
  )
}

function nowhere(risk: RiskLevel, least: Isolation, cloud: boolean, backEnds: readonly BackEnd[]): Problem {
  const here = backEnds.filter(each => each.available && !each.emulated && (cloud || each.isolation !== 'cloud'))
  const offers = here.map(each => each.isolation)
  const has = offers.length > 0 ? `only ${new Intl.ListFormat('en').format(offers)} can be had` : 'nothing can be had'
  const slow = backEnds.find(each => each.emulated && each.available && isAtLeast(each.isolation, least))
  const hint = slow
    ? `Choose ${slow.kind} by name: it is emulated on this machine, 10 to 15 times slower.`
    : backEnds.find(each => !each.available && isAtLeast(each.isolation, least))?.hint
  return problem(
    'sandbox.unavailable',
    `The policy wants at least ${least} for code of ${risk} risk, and ${has} here.`,
    hint ??
      'Install a stronger back end (`countersign doctor` says which), or ask for a policy that allows a weaker one.',
  )
}

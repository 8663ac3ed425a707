import { createHash } from 'node:crypto'
import type { LawStatus, UsedParameter } from '../contract/analyses.ts'
import { analysisMarker, analysisMime } from '../contract/analyses.ts'

/** What a program is made of. */
export interface Prepared {
  readonly analysis: string
  readonly version: string
  readonly sha256: string
  readonly asOf: string | null
  /** How far its method can be relied on, whatever values it uses. */
  readonly status: LawStatus
  readonly code: string
  /** True for code that the analyst wrote in place of the catalogue's. */
  readonly own: boolean
  readonly inputs: Readonly<Record<string, unknown>>
  readonly parameters: Readonly<Record<string, UsedParameter>>
}

/** The first line of every program; what follows it can be made again from it, and is compared with that. */
export const marker = analysisMarker

/**
 * One run as a program that stands for itself: the code as it is in the catalogue, then inputs and parameters, then the
 * call. Whoever reviews it sees all that runs.
 */
export function programOf(prepared: Prepared): string {
  const { analysis, version, sha256, code, own } = prepared
  const head = `${marker}${analysis} ${version} ${sha256}${own ? ', with code of the analyst' : ''}`
  const data = [
    `_ABOUT = ${literal(about(prepared))}`,
    `_INPUTS = ${literal(prepared.inputs)}`,
    `_PARAMETERS = ${literal(prepared.parameters)}`,
  ]
  return wrapped(head, code, shown, `${data.join('\n')}\nreturn _show(_answer(run, _INPUTS, _PARAMETERS, _ABOUT))`)
}

/** Many runs of one analysis in one program: inputs come by a file, whose hash is part of what is approved. */
export function batchProgramOf(
  { analysis, version, sha256, code, own }: Pick<Prepared, 'analysis' | 'version' | 'sha256' | 'code' | 'own'>,
  { cases, results, count, hash }: { cases: string; results: string; count: number; hash: string },
): string {
  const head = `${marker}${analysis} ${version} ${sha256}, batch${own ? ' with code of the analyst' : ''}`
  return wrapped(
    head,
    code,
    batch,
    `_batch(run, ${literalText(cases)}, ${literalText(results)}, ${count}, ${literalText(hash)})`,
  )
}

/** Everything within one function: the path's kernel keeps its own names, such as a `run` of the analyst. */
function wrapped(head: string, code: string, driver: string, call: string): string {
  const body = `${code.trimEnd()}\n\n\n${shared}\n\n\n${driver}\n\n\n${call}`
  const indented = body.replace(/^(?=.)/gm, '    ')
  return `${head}\ndef _analysis():\n${indented}\n\n\n_analysis()\n`
}

export const about = ({ analysis, version, sha256, asOf, status, own, code }: Prepared): Record<string, unknown> => ({
  analysis,
  version,
  folder_sha256: sha256,
  as_of: asOf,
  status,
  ...(own ? { own_code_sha256: createHash('sha256').update(code).digest('hex') } : {}),
})

/** A value as Python reads it back: JSON within a string, whose escapes are the same in both languages. */
const literal = (value: unknown): string => `_json.loads(${literalText(JSON.stringify(value))})`
const literalText = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What is said of a case that does not fit into the memory of a sandbox, wherever that is noticed. */
export const tooLarge = 'The inputs and the answer need more memory than the sandbox has: give fewer rows at a time.'

/** What calls the code. Its answers are read by `Line` in `batch.ts`. */
const shared = `# What follows is written by Countersign: it hands over inputs and parameters and collects the answer.
import decimal as _decimal
import hashlib as _hashlib
import json as _json

_STATUSES = ("enacted", "announced", "draft", "unverified")
_TOO_LARGE = _json.dumps({"refused": "${tooLarge}"})


class _Parameters(dict):
    """Values of the law; remembers which of them were asked for."""

    def __init__(self, described):
        super().__init__({name: each["value"] for name, each in described.items()})
        self.asked = {}

    def __getitem__(self, name):
        value = super().__getitem__(name)
        self.asked[name] = True
        return value

    def get(self, name, default=None):
        return self[name] if name in self else default


def _plain(value):
    if isinstance(value, _decimal.Decimal):
        # A cent that rounds away may leave a minus before the nil.
        return format(value or abs(value), "f")
    raise TypeError(f"{type(value).__name__} is no figure")


def _answer(code, inputs, described, about):
    parameters = _Parameters(described)
    try:
        with _decimal.localcontext() as context:
            # Wide enough for sums of squares of the largest amounts that the form lets through.
            context.prec = 60
            answer = code(inputs, parameters)
        used = [described[name] for name in parameters.asked]
        status = max((about["status"], *(each["status"] for each in used)), key=_STATUSES.index)
        steps = [{"label": str(label), "figure": figure, "provision": provision} for label, figure, provision in answer["steps"]]
        whole = {**answer["outputs"], **about, "status": status, "parameters_used": used, "steps": steps}
        return _json.dumps({"output": whole}, default=_plain, allow_nan=False)
    except ValueError as error:
        return _json.dumps({"refused": str(error)})
    except (_decimal.DecimalException, OverflowError):
        return _json.dumps({"refused": "The figures are too large for this calculation."})
    except MemoryError:
        return _TOO_LARGE
    except Exception as error:
        return _json.dumps({"failed": f"{type(error).__name__}: {error}"})`

const batch = `def _batch(code, cases, results, count, sha256):
    with open(cases, "rb") as source:
        whole = source.read()
    if _hashlib.sha256(whole).hexdigest() != sha256:
        raise RuntimeError("The file of cases is not the one that was approved.")
    # Only here do lines end: a text in JSON may hold other marks that Python takes for the end of one.
    first, *lines = whole.removesuffix(b"\\n").split(b"\\n")
    del whole
    if len(lines) != count:
        raise RuntimeError("The file of cases is not whole.")
    shared = _json.loads(first)
    with open(results, "w", encoding="utf-8") as target:
        for line in lines:
            try:
                case = _json.loads(line)
                described, about = shared[case["shared"]]
                target.write(_answer(code, case["inputs"], described, about))
            except MemoryError:
                target.write(_TOO_LARGE)
            target.write("\\n")
            target.flush()`

const shown = `class _Shown:
    def __init__(self, answer):
        self.answer = answer

    def _repr_mimebundle_(self, **_):
        whole = self.answer["output"]
        figures = (f"{name}: {value}" for name, value in whole.items() if isinstance(value, (str, int, float, bool)))
        return {"${analysisMime}": whole, "text/plain": "\\n".join(figures)}


def _show(text):
    answer = _json.loads(text)
    if "refused" in answer:
        raise ValueError(answer["refused"])
    if "failed" in answer:
        raise RuntimeError(answer["failed"])
    return _Shown(answer)`

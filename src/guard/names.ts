import type { Value } from './model.ts'

/**
 * Things filed under names: `os.system` exactly, `*.execute` or `*.headers.add` as a method of anything, `shutil.*` as
 * anything under it; or under a question about the name, asked once for each name that programs use.
 */
export class NameIndex<T> {
  readonly #exact = new Map<string, T[]>()
  readonly #methods = new Map<string, T[]>()
  readonly #under: (readonly [string, T])[] = []
  readonly #about: (readonly [(name: string) => boolean, T])[] = []
  readonly #found = new Map<string, readonly T[]>()
  #isEmpty = true

  add(name: string, item: T): void {
    this.#changed()
    if (name.startsWith('*.')) push(this.#methods, name.slice(2), item)
    else if (name.endsWith('.*')) this.#under.push([name.slice(0, -1), item])
    else push(this.#exact, name, item)
  }

  addAbout(about: (name: string) => boolean, item: T): void {
    this.#changed()
    this.#about.push([about, item])
  }

  #changed(): void {
    this.#isEmpty = false
    this.#found.clear()
  }

  find(name: string): readonly T[] {
    if (this.#isEmpty) return nothing
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const dot = name.lastIndexOf('.')
    const found = [
      ...(this.#exact.get(name) ?? []),
      ...((dot === -1 ? undefined : this.#methods.get(name.slice(dot + 1))) ?? []),
      // `*.headers.add`: a method of something that anything has.
      ...((dot === -1 ? undefined : this.#methods.get(name.slice(name.lastIndexOf('.', dot - 1) + 1))) ?? []),
      ...this.#under.filter(([prefix]) => name.startsWith(prefix)).map(([, item]) => item),
      ...this.#about.filter(([about]) => about(name)).map(([, item]) => item),
    ]
    // Programs call the same few hundred names over and over; hostile ones may not fill the memory.
    if (this.#found.size >= 5_000) this.#found.clear()
    this.#found.set(name, found)
    return found
  }
}

const nothing: readonly never[] = []

function push<T>(into: Map<string, T[]>, key: string, item: T): void {
  const known = into.get(key)
  if (known) known.push(item)
  else into.set(key, [item])
}

/** The same answer about the same name, worked out once: programs ask it of each call. */
export function remembered<T>(ask: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return name => {
    const before = known.get(name)
    if (before !== undefined) return before
    const answer = ask(name)
    if (known.size >= 2_000) known.clear()
    if (name.length <= 200) known.set(name, answer)
    return answer
  }
}

/** Functions that run a text or a program that they are given, by their full names. */
export const runsText =
  /^(eval|exec|compile|__import__|os\.(system|popen|exec[lv]p?e?|spawn[lv]p?e?|posix_spawn)|subprocess\.(run|call|Popen|check_call|check_output|getoutput|getstatusoutput)|pty\.spawn|importlib\.import_module|Function|child_process\.\w+|Deno\.(Command|run)|vm\.\w+)$/

/** What nobody hands on with its arguments but to have it called where no reader looks. */
export const calledUnseen =
  /^(shutil\.(rmtree|move|copy\w*|unpack_archive)|os\.(remove|unlink|rmdir|removedirs|rename|replace|kill\w*|chmod|chown)|importlib\.\w+|runpy\.\w+|open|pickle\.loads?|marshal\.loads?|requests\.\w+|urllib\.request\.\w+|webbrowser\.open)$/

/** A function and its arguments as a pair: whoever takes it calls it, as a pickle does. */
export const isCallInWaiting = (value: Value): boolean =>
  value.kind === 'list' &&
  value.items[0]?.kind === 'thing' &&
  value.items[1]?.kind === 'list' &&
  (runsText.test(value.items[0].name) || calledUnseen.test(value.items[0].name))

import type { CommandNode, CompoundList, Function as FunctionNode, ParsedScript, Statement } from 'unbash'
import { withoutLastNewlines } from '../../contract/newlines.ts'
import type { Language } from '../../contract/run.ts'
import { listOf } from '../lists.ts'
import { type Call, origin, type Program, type Span, type Value } from '../model.ts'
import { codeOf, from, fromSketch, sketch, startOf, text, unknown, wholeOf } from '../values.ts'
import { readArithmetic, readTest } from './arithmetic.ts'
import { runCommand } from './command.ts'
import { Ledger } from './ledger.ts'
import { endlessness, isForkBomb } from './loops.ts'
import { parsed, textToExpand } from './parsed.ts'
import { noSettings, type Reading, type Standing } from './reading.ts'
import { Redirects } from './redirects.ts'
import { readSimple } from './simple.ts'
import { choice, State } from './state.ts'
import { sweep } from './sweep.ts'
import { readRest } from './unread.ts'
import { type Budget, isAssembly, mostTurns, type Unrolled, unroll } from './unrolling.ts'
import { wordsOf, worthOf, worthOfBody } from './words.ts'

/** Code in a string in a string: beyond this nobody reads on, and that is said. */
const deepestCode = 8
/** Functions and strings are read again at each place that runs them; a script that doubles itself stops here. */
const mostInlined = 20_000
const deepestNesting = 300

interface Own {
  readonly node: FunctionNode
  /** The place of the text that defines it, when it stands in a string. */
  readonly frame: Span | null
  times: number
  active: boolean
}

/** Walks one script in the order in which it would run and puts down what it does. */
export class Reader implements Reading {
  readonly program: Program
  state = new State()
  holes: number = origin.environment
  readonly #ledger: Ledger
  readonly #functions = new Map<string, Own>()
  /** What functions print that were followed already, by their names and arguments. */
  readonly #followed = new Map<string, Value>()
  /** Where the code in a string stands in the script itself. */
  #frame: Span | null = null
  /** The command that is being read. */
  #here: Span = { start: 0, end: 0 }
  /** Decisions of the function that is being read, or of the script itself. */
  #decisions = 1
  #codeDepth = 0
  #depth = 0
  #inlined = 0
  readonly #turns: Budget = { left: mostTurns }
  #loops = 0
  #within: string | null = null
  #substituting = false
  #handedFiles = 0
  /** Commands and substitutions that were read, each at least once. */
  readonly #seen = new WeakSet<object>()

  constructor(program: Program) {
    this.program = program
    this.#ledger = new Ledger(program)
  }

  get written(): Map<string, Value> {
    return this.#ledger.written
  }

  wrote(path: string, target: Value): void {
    this.#ledger.wrote(path, target)
  }

  get inLoop(): boolean {
    return this.#loops > 0
  }

  script(script: ParsedScript): void {
    this.#errors(script)
    for (const statement of script.commands) this.#statement(statement, undefined)
    this.program.complexity = Math.max(this.program.complexity, this.#decisions)
    // A function that nobody calls here may still be called by whoever sources the script.
    for (const [name, own] of this.#functions) {
      if (own.times > 0) continue
      const at = own.frame ?? this.at(own.node)
      const last = { call: null }
      this.#follow(name, own, null, { at, input: undefined, settings: noSettings, background: false, last })
    }
    this.#sweep(script, this.program.source)
  }

  /** Whatever no one came by so far is read now: code in a corner of the tree is code all the same. */
  #sweep(script: ParsedScript, source: string): void {
    for (const node of sweep(script, source, this.#seen)) {
      if (node.type === 'Command') this.#node(node, undefined, false, { call: null })
      else if (node.script) this.substitute(node.script, 'output')
      else this.unread()
    }
  }

  hasRead(script: ParsedScript): boolean {
    return this.#seen.has(script)
  }

  unread(): void {
    this.#problem('syntax', 'A command inside this text could not be read.', this.#here)
  }

  expand(source: string): Value {
    const body = textToExpand(source)
    if (body === null || this.#codeDepth >= deepestCode || this.#inlined >= mostInlined) {
      this.unread()
      return unknown
    }
    const frame = this.#frame
    this.#frame ??= this.#here
    this.#codeDepth++
    this.#inlined++
    const value = worthOfBody(body, this)
    this.#codeDepth--
    this.#frame = frame
    return value
  }

  at(node: { readonly pos: number; readonly end: number }): Span {
    // The parser counts an open quote to the letter that would close it, which may lie behind the last one there is.
    const last = this.program.source.length
    return this.#frame ?? { start: Math.min(node.pos, last), end: Math.min(node.end, last) }
  }

  #errors(script: ParsedScript): void {
    for (const error of script.errors ?? []) {
      const at = this.#frame ?? { start: error.pos, end: error.pos + 1 }
      this.#problem(/nest|depth|deep/i.test(error.message) ? 'depth' : 'syntax', `${error.message}.`, at)
    }
  }

  #problem(kind: 'syntax' | 'depth', message: string, at: Span): void {
    this.program.complete = false
    if (this.program.problems.length < 20) this.program.problems.push({ kind, message, start: at.start, end: at.end })
  }

  #list(list: CompoundList, input: Value | undefined): Value {
    let output: Value = unknown
    for (const statement of list.commands) output = this.#statement(statement, input)
    return output
  }

  #statement({ command, background }: Statement, input: Value | undefined): Value {
    if (command.type !== 'AndOr') return this.#pipeline(command, input, background === true)
    let output: Value = unknown
    for (const part of command.commands) output = this.#pipeline(part, input, background === true)
    return output
  }

  #pipeline(
    node: Exclude<Statement['command'], { type: 'AndOr' }>,
    input: Value | undefined,
    background: boolean,
  ): Value {
    if (node.type !== 'Pipeline') return this.#node(node, input, background, { call: null })
    const calls: Call[] = []
    let flowing = input
    node.commands.forEach((member, index) => {
      const last: Standing['last'] = { call: null }
      flowing = this.#node(member, index === 0 ? flowing : (flowing ?? unknown), background, last)
      if (last.call) calls.push(last.call)
    })
    if (calls.length > 1) this.program.pipelines.push({ calls, ...this.at(node) })
    return flowing ?? unknown
  }

  #node(node: CommandNode, input: Value | undefined, background: boolean, last: Standing['last']): Value {
    if (this.#depth > deepestNesting) {
      this.#problem('depth', 'The script is nested too deeply to be read.', this.at(node))
      return unknown
    }
    this.#depth++
    this.#here = this.at(node)
    const output = this.#compound(node, input, background, last)
    this.#depth--
    return output
  }

  #compound(node: CommandNode, input: Value | undefined, background: boolean, last: Standing['last']): Value {
    switch (node.type) {
      case 'Command':
        this.#seen.add(node)
        return readSimple(node, input, background, last, this)
      case 'Redirected': {
        const redirects = new Redirects(node.redirects, this)
        const before = this.program.calls.length
        const output = this.#node(node.command, redirects.input(input), background, last)
        // `{ a; b; } > file`: the redirection belongs to all of them; the last one speaks for it.
        redirects.list(this.program.calls.length === before ? null : (this.program.calls.at(-1) ?? null), output)
        return output
      }
      case 'If':
        this.#decisions += 1 + node.elif.length
        this.#list(node.clause, input)
        for (const branch of node.elif) this.#list(branch.clause, input)
        return this.#ways(
          [node.then, ...listOf(node.elif, branch => branch.then), ...(node.else ? [node.else] : [])],
          input,
          !node.else,
        )
      case 'Case':
        this.#decisions++
        worthOf(node.word, this)
        for (const item of node.items) for (const pattern of item.pattern) worthOf(pattern, this)
        return this.#ways(
          listOf(node.items, item => item.body),
          input,
          true,
        )
      case 'While':
        if (this.#assembled(node, input)) return text('')
        return this.#loop(node, () => {
          this.#list(node.clause, input)
          return this.#list(node.body, input)
        })
      case 'For':
      case 'Select': {
        if (node.type === 'For' && this.#assembled(node, input)) return text('')
        const words = node.wordlist?.flatMap(word => wordsOf(word, this))
        // `for f in /etc/*` lists a folder as `ls` does, before anything is done with what it finds.
        const patterns = words?.filter(word => /[*?[]/.test(startOf(word))) ?? []
        if (patterns.length > 0) {
          const standing = { at: this.at(node), input, settings: noSettings, background, last: { call: null } }
          this.emit('loop.over', patterns, standing)
        }
        this.assign(
          node.name.value,
          words === undefined ? from(origin.input) : words.length === 0 ? unknown : choice(words),
        )
        // What somebody types at the menu.
        if (node.type === 'Select') this.state.set('REPLY', from(origin.input | origin.line))
        return this.#loop(node, () => this.#list(node.body, input))
      }
      case 'ArithmeticFor':
        if (this.#assembled(node, input)) return text('')
        for (const part of [node.initialize, node.test, node.update]) if (part) readArithmetic(part, this)
        return this.#loop(node, () => this.#list(node.body, input))
      case 'Subshell': {
        const outer = this.state
        this.state = outer.branch()
        const output = this.#list(node.body, input)
        this.state = outer
        return output
      }
      case 'BraceGroup':
        return this.#list(node.body, input)
      case 'ArithmeticCommand':
        if (node.expression) readArithmetic(node.expression, this)
        readRest(node, node.body, this)
        return unknown
      case 'TestCommand':
        readTest(node.expression, this)
        return unknown
      case 'Function':
        if (isForkBomb(node)) this.program.marks.push({ kind: 'fork-bomb', detail: node.name.value, ...this.at(node) })
        this.#functions.set(node.name.value, { node, frame: this.#frame, times: 0, active: false })
        return unknown
      case 'Coproc':
        // What it will be given comes later, from wherever the script writes it.
        if (node.body.type === 'CompoundList') return this.#list(node.body, undefined)
        return this.#node(node.body, undefined, true, last)
    }
  }

  /** Each way starts from what was known before; afterwards any of them may have been taken. */
  #ways(lists: readonly CompoundList[], input: Value | undefined, mayBeNone: boolean): Value {
    const before = this.state
    const ends: State[] = []
    for (const list of lists) {
      this.state = before.branch()
      this.#list(list, input)
      ends.push(this.state)
    }
    this.state = before
    before.join(ends, mayBeNone)
    return unknown
  }

  /** A loop that only puts a text together is run turn by turn; false when that cannot be done. */
  #assembled(node: Unrolled, input: Value | undefined): boolean {
    if (this.#loops > 0 || this.#turns.left <= 0 || !isAssembly(node.body)) return false
    const before = this.state
    this.state = before.branch()
    const done = unroll(node, this, this.#turns, () => this.#list(node.body, input))
    if (done) before.join([this.state], false)
    this.state = before
    if (done) this.#decisions++
    return done
  }

  #loop(node: Extract<CommandNode, { type: 'While' | 'For' | 'Select' | 'ArithmeticFor' }>, body: () => Value): Value {
    this.#decisions++
    const endless = endlessness(node)
    if (endless !== null) this.program.marks.push({ kind: 'endless-loop', detail: endless, ...this.at(node) })
    const before = this.state
    this.state = before.branch()
    this.#loops++
    const output = body()
    this.#loops--
    before.join([this.state], true)
    this.state = before
    return from(output.origins)
  }

  command(words: readonly Value[], standing: Standing): Value {
    return runCommand(words, standing, this)
  }

  assign(name: string, value: Value): void {
    this.state.set(name, value)
    const { start, end } = this.#frame ?? this.#here
    this.program.assignments.push({ target: this.state.real(name), value, how: 'assign', start, end })
  }

  emit(name: string, args: readonly Value[], standing: Standing, path?: string): Call {
    const place = {
      inLoop: this.inLoop,
      within: this.#within,
      substitution: this.#substituting,
      folder: this.state.folder,
      lost: this.state.lost,
    }
    return this.#ledger.put(name, args, standing, place, path)
  }

  embed(language: Language, code: Value, via: string, standing: Standing): void {
    const source = codeOf(code, language)
    if (source !== null && source.trim() !== '')
      this.program.embedded.push({ language, code: source, via, ...standing.at })
  }

  apart(work: () => void): void {
    const { state } = this
    this.state = state.branch()
    work()
    this.state = state
  }

  substitute(script: ParsedScript, how: 'output' | 'file' | 'sink', apart = false): Value {
    this.#seen.add(script)
    if (this.#depth > deepestNesting) {
      this.#problem('depth', 'The script is nested too deeply to be read.', this.at(script))
      return unknown
    }
    const { state } = this
    const frame = this.#frame
    const substituting = this.#substituting
    this.state = state.branch()
    this.#substituting = how === 'output'
    // Escaped backticks have a text of their own: places in it mean nothing in the script.
    if (apart || script.source !== undefined) this.#frame ??= this.#here
    this.#depth++
    const whole = script.source === undefined ? script : (parsed(script.source) ?? script)
    this.#errors(whole)
    let output: Value = unknown
    for (const statement of whole.commands) output = this.#statement(statement, undefined)
    this.#depth--
    this.state = state
    this.#frame = frame
    this.#substituting = substituting
    const known = wholeOf(output)
    if (how === 'output') return known === null ? output : fromSketch(withoutLastNewlines(known), output.origins)
    const path = `/dev/fd/${63 - (this.#handedFiles++ % 50)}`
    this.written.set(path, output)
    // What another command prints is read by no one before it runs.
    return text(path, known === null ? output.origins | origin.line : output.origins)
  }

  inline(code: Value, standing: Standing, sure = false): Value {
    const source = codeOf(code, 'bash')
    if (source === null || source.trim() === '') return unknown
    const script = this.#codeDepth < deepestCode && this.#inlined < mostInlined ? parsed(source) : null
    if (script === null) {
      this.#problem('depth', 'Code is hidden inside code more often than can be read.', standing.at)
      return unknown
    }
    const frame = this.#frame
    const { holes } = this
    this.#frame = standing.at
    this.holes = code.origins
    this.#codeDepth++
    this.#inlined += 1 + script.commands.length
    // In a text with holes, or one that may be no shell code at all, wrong syntax says nothing.
    if (sure && code.kind === 'text') this.#errors(script)
    let output: Value = unknown
    for (const statement of script.commands) output = this.#statement(statement, standing.input)
    this.#sweep(script, source)
    this.#codeDepth--
    this.#frame = frame
    this.holes = holes
    return output
  }

  callFunction(name: string, args: readonly Value[], standing: Standing): Value | null {
    const own = this.#functions.get(name)
    if (own === undefined) return null
    this.emit(`~${name}`, args, standing)
    const key = `${name} ${args.map(arg => sketch(arg) ?? '?').join(' ')}`
    const before = this.#followed.get(key)
    if (own.active || before !== undefined) return before ?? unknown
    this.#followed.set(key, unknown)
    if (this.#inlined > mostInlined) {
      this.#problem('depth', 'Functions call each other more often than can be read.', standing.at)
      return unknown
    }
    // Where it comes from is all that is handed on: which of its lines printed what depends on the way it took.
    const printed = from(this.#follow(name, own, args.length === 0 ? null : args, standing).origins)
    this.#followed.set(key, printed)
    return printed
  }

  /** Reads the body of a function with the words that it was called with. */
  #follow(name: string, own: Own, args: readonly Value[] | null, standing: Standing): Value {
    const { body } = own.node
    const outer = {
      within: this.#within,
      parameters: this.state.parameters,
      frame: this.#frame,
      decisions: this.#decisions,
    }
    own.active = true
    if (own.times++ > 0) this.#inlined += 8
    this.#decisions = 1
    this.#frame = own.frame
    this.#within = name
    this.state.parameters = args
    const output =
      body.type === 'CompoundList'
        ? this.#list(body, standing.input)
        : this.#node(body, standing.input, standing.background, { call: null })
    this.program.complexity = Math.max(this.program.complexity, this.#decisions)
    this.state.parameters = outer.parameters
    this.#decisions = outer.decisions
    this.#frame = outer.frame
    this.#within = outer.within
    own.active = false
    return output
  }
}

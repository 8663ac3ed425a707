import {
  type ArithmeticFor,
  type For,
  type Function as FunctionNode,
  forEachChild,
  type Select,
  type SyntaxNode,
  type While,
} from 'unbash'

/** Commands that give a loop an end, or at least a rest. */
const leaves = /^(break|return|exit|read|sleep|wait|exec|select|inotifywait|fold|usleep|accept)$/

type Loop = While | ArithmeticFor | For | Select

/** What is to be said of a loop without an end; null of any other. */
export function endlessness(loop: Loop): 'background' | '' | null {
  if (loop.type === 'For' || loop.type === 'Select' || !isEndless(loop)) return null
  return loop.body.commands.some(statement => statement.background === true) ? 'background' : ''
}

/** `while true` with nothing inside that leaves it, waits or asks. */
function isEndless(loop: While | ArithmeticFor): boolean {
  return (
    always(loop) &&
    !contains(
      loop.body,
      node => node.type === 'Command' && node.name !== undefined && leaves.test(node.name.value),
      // Nobody waits for `sleep 1000 &`.
      node => node.type === 'Statement' && node.background === true,
    )
  )
}

function always(loop: While | ArithmeticFor): boolean {
  if (loop.type === 'ArithmeticFor') return loop.test === undefined
  const [only, ...more] = loop.clause.commands
  if (only === undefined || more.length > 0) return false
  const { command } = only
  if (command.type === 'ArithmeticCommand') return loop.kind === 'while' && /^\s*[1-9]\d*\s*$/.test(command.body)
  if (command.type !== 'Command' || command.name === undefined) return false
  const words = [command.name.value, ...command.args.map(arg => (arg.type === 'Word' ? arg.value : ''))].join(' ')
  return loop.kind === 'while'
    ? /^(true|:|\/bin\/true|\[ (1|true|1 -eq 1|1 = 1|1 == 1) \]|test 1)$/.test(words)
    : /^(false|\[ 0 -eq 1 \])$/.test(words)
}

/** A function that starts itself more than once, or in the background. */
export function isForkBomb(node: FunctionNode): boolean {
  const name = node.name.value
  const isSelf = (child: SyntaxNode): boolean => child.type === 'Command' && child.name?.value === name
  return contains(node.body, child => {
    if (child.type === 'Statement' && child.background) return contains(child, isSelf)
    return child.type === 'Pipeline' && child.commands.filter(isSelf).length > 1
  })
}

/** Looks at every node below, without recursion: the tree may be as deep as the parser allows. */
function contains(
  root: SyntaxNode,
  test: (node: SyntaxNode) => boolean,
  skip?: (node: SyntaxNode) => boolean,
): boolean {
  const open: SyntaxNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'Word' || skip?.(node) === true) continue
    if (test(node)) return true
    forEachChild(node, child => open.push(child))
  }
  return false
}

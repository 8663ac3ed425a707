import { childrenOf, type Node, none, type Tree } from './tree.ts'

/** A tree as lines, one per node, to compare what two parsers say. The range of the root is left out: nobody asks. */
export function outline(tree: Tree, fieldless: ReadonlySet<string>): string[] {
  const lines: string[] = []
  const open: { node: Node; depth: number; field: string }[] = [{ node: tree.root, depth: 0, field: '' }]
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, depth, field } = top
    if (node === none) continue
    const range = depth === 0 ? '' : `${node.start}-${node.end}`
    lines.push(`${' '.repeat(depth)}${field}${node.type} ${range}`)
    const asked = !fieldless.has(node.type)
    for (const child of childrenOf(node).reverse()) {
      open.push({ node: child, depth: depth + 1, field: asked ? `${child.field ?? ''}: ` : '' })
    }
  }
  return lines
}

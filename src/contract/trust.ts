import type { Operation, TrustedContext } from './policy.ts'

const words: Record<Operation, string> = {
  deletion: 'delete files',
  network: 'reach for the network',
  database: 'change a database',
  commands: 'start other programs',
  externalApis: 'talk to outside hosts',
}

/**
 * What a trusted context lets pass, in words. Made from the grant itself, so that a button can never promise less than
 * it gives.
 */
export function describeTrust({ path, upTo, operations, until }: TrustedContext): string {
  const where = path === null ? 'on every path of this conversation' : 'on this path'
  const also =
    operations.length === 0
      ? 'Those that delete, reach the network, change a database or start programs are asked about as the policy says.'
      : `They may also ${listed(operations.map(operation => words[operation]))} unasked.`
  const end =
    until === null ? 'with no end' : `until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `Runs of up to ${upTo} risk ${where} go ahead unasked, ${end}. ${also}`
}

const listed = (items: readonly string[]): string => new Intl.ListFormat('en').format(items)

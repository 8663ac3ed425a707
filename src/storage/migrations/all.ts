import type { Migration } from '../migrate.ts'
import { facts } from './0001-facts.ts'
import { conversations } from './0002-conversations.ts'
import { contexts } from './0003-contexts.ts'
import { privacy } from './0004-privacy.ts'
import { audit } from './0005-audit.ts'
import { approval } from './0006-approval.ts'
import { files } from './0007-files.ts'
import { seals } from './0008-seals.ts'
import { spentInChain } from './0009-spent-in-chain.ts'
import { workflows } from './0010-workflows.ts'
import { placements } from './0011-placements.ts'
import { vouches } from './0012-vouches.ts'
import { authors } from './0013-authors.ts'
import { chat } from './0020-chat.ts'
import { figures } from './0021-figures.ts'
import { bin } from './0022-bin.ts'
import { environments } from './0023-environments.ts'
import { keptResults } from './0024-kept-results.ts'
import { mcpTools } from './0025-mcp-tools.ts'
import { toolResults } from './0026-tool-results.ts'
import { cloud } from './0027-cloud.ts'
import { withdrawnVouches } from './0028-withdrawn-vouches.ts'
import { merges } from './0030-merges.ts'
import { chatPages } from './0033-chat-pages.ts'
import { workflowRuns } from './0034-workflow-runs.ts'
import { rowSeals } from './0036-row-seals.ts'
import { sealedCounts } from './0037-sealed-counts.ts'
import { syntaxResults } from './0038-syntax-results.ts'
import { series } from './0040-series.ts'
import { workflowGraphs } from './0043-workflow-graphs.ts'

/** In order of application. A migration that has been released is never edited: add another. */
export const migrations: readonly Migration[] = [
  facts,
  conversations,
  contexts,
  privacy,
  audit,
  approval,
  files,
  seals,
  spentInChain,
  workflows,
  placements,
  vouches,
  authors,
  chat,
  figures,
  bin,
  environments,
  keptResults,
  mcpTools,
  toolResults,
  cloud,
  withdrawnVouches,
  merges,
  chatPages,
  workflowRuns,
  rowSeals,
  sealedCounts,
  syntaxResults,
  series,
  workflowGraphs,
]

import type { ContractRouterClient } from '@orpc/contract'
import { analysesContract } from './rpc/analyses.ts'
import { appContract, settingsContract } from './rpc/app.ts'
import { approvalContract, identitiesContract, policyContract } from './rpc/approval.ts'
import { auditContract } from './rpc/audit.ts'
import { chatContract } from './rpc/chat.ts'
import { cloudContract } from './rpc/cloud.ts'
import { conversationsContract, pathsContract } from './rpc/conversations.ts'
import { downloadsContract } from './rpc/downloads.ts'
import { environmentsContract } from './rpc/environments.ts'
import { figuresContract } from './rpc/figures.ts'
import { foldersContract } from './rpc/folders.ts'
import { mcpContract } from './rpc/mcp.ts'
import { privacyContract } from './rpc/privacy.ts'
import { runsContract, sandboxContract, uploadsContract } from './rpc/runs.ts'
import { sandboxesContract } from './rpc/sandboxes.ts'
import { seriesContract } from './rpc/series.ts'
import { toolsContract } from './rpc/tools.ts'
import { workflowContract } from './rpc/workflow.ts'

/** All that a window can ask of the engine. */
export const contract = {
  app: appContract,
  settings: settingsContract,
  conversations: conversationsContract,
  paths: pathsContract,
  figures: figuresContract,
  runs: runsContract,
  series: seriesContract,
  analyses: analysesContract,
  sandbox: sandboxContract,
  environments: environmentsContract,
  sandboxes: sandboxesContract,
  uploads: uploadsContract,
  downloads: downloadsContract,
  folders: foldersContract,
  approval: approvalContract,
  identities: identitiesContract,
  policy: policyContract,
  audit: auditContract,
  privacy: privacyContract,
  chat: chatContract,
  tools: toolsContract,
  cloud: cloudContract,
  mcp: mcpContract,
  workflow: workflowContract,
}

export type Client = ContractRouterClient<typeof contract>

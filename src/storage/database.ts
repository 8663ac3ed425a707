import type { ApprovalTables } from './tables/approval.ts'
import type { AuditTables } from './tables/audit.ts'
import type { ChatTables } from './tables/chat.ts'
import type { CloudTables } from './tables/cloud.ts'
import type { ContextsTables } from './tables/contexts.ts'
import type { ConversationsTables } from './tables/conversations.ts'
import type { EnvironmentsTables } from './tables/environments.ts'
import type { FiguresTables } from './tables/figures.ts'
import type { FilesTables } from './tables/files.ts'
import type { KeptResultsTables } from './tables/kept.ts'
import type { McpTables } from './tables/mcp.ts'
import type { PrivacyTables } from './tables/privacy.ts'
import type { SeriesTables } from './tables/series.ts'
import type { SettingsTables } from './tables/settings.ts'
import type { ToolTables } from './tables/tools.ts'
import type { WorkflowTables } from './tables/workflow.ts'

/** All tables, by name. Each module's rows are declared in `tables/`. */
export interface Database
  extends SettingsTables,
    ConversationsTables,
    ContextsTables,
    CloudTables,
    ApprovalTables,
    AuditTables,
    ChatTables,
    FiguresTables,
    FilesTables,
    EnvironmentsTables,
    KeptResultsTables,
    SeriesTables,
    McpTables,
    ToolTables,
    WorkflowTables,
    PrivacyTables {}

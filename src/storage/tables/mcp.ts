/** A tool of one of the user's servers as it was accepted. */
export interface McpToolsTable {
  tenant: string
  server: string
  tool: string
  /** As its server listed it then, in JSON. */
  definition: string
  accepted_by: string
  accepted_at: number
  /** Over all other columns, by a key outside the database. */
  seal: string
}

export interface McpTables {
  mcp_tools: McpToolsTable
}

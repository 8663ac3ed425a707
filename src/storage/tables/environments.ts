/** An environment whose interpreter somebody has looked at. */
export interface EnvironmentsRow {
  tenant: string
  name: string
  path: string
  /** Of the interpreter that was looked at. */
  sha256: string
  added_at: number
  added_by: string
  seal: string
}

/** What a conversation has chosen; without a row it has what the settings say. */
export interface ConversationEnvironmentsRow {
  tenant: string
  conversation: string
  environment: string
  chosen_at: number
}

export interface EnvironmentsTables {
  environments: EnvironmentsRow
  conversation_environments: ConversationEnvironmentsRow
}

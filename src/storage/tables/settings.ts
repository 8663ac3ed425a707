export interface MigrationsTable {
  name: string
  applied_at: number
}

/** Small facts that the application keeps about itself: the local tenant and user, the last open conversation. */
export interface FactsTable {
  name: string
  value: string
}

export interface SettingsTables {
  migrations: MigrationsTable
  facts: FactsTable
}

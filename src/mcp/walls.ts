import type { ServerConfig, ServerWalls } from '../contract/mcp-servers.ts'

export async function wallsOf(config: ServerConfig, _home: string): Promise<ServerWalls> {
  if ('url' in config) return { kind: 'elsewhere', detail: new URL(config.url).host }
  return { kind: 'none', detail: 'It runs as you do.' }
}

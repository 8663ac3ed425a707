import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { httpLines, processLines } from './clients.ts'

const of = (lines: ReturnType<typeof processLines>, client: string) =>
  lines.find(each => each.client === client)?.text ?? ''

it('gives each client the program to start, as it reads it', () => {
  const lines = processLines({ command: '/opt/it’s here/countersign', args: ['mcp'] })
  expect(lines.map(({ client }) => client)).toEqual([
    'Claude Desktop',
    'Claude Code',
    'VS Code',
    'Cursor',
    'Codex',
    'Any other',
  ])
  expect(JSON.parse(of(lines, 'Claude Desktop')).mcpServers.countersign.args).toEqual(['mcp'])
  expect(JSON.parse(of(lines, 'VS Code')).servers.countersign.type).toBe('stdio')
  expect(of(lines, 'Codex')).toContain('args = ["mcp"]')
})

it('quotes for the shell whatever the path is', () => {
  const command = "/a folder/it's $(here)/countersign"
  const words = of(processLines({ command, args: ['mcp'] }), 'Claude Code').replace('claude', 'printf "%s\\n"')
  expect(execFileSync('/bin/sh', ['-c', words], { encoding: 'utf8' }).split('\n')).toContain(command)
})

it('gives each client the address and the token', () => {
  const lines = httpLines('http://127.0.0.1:7118/mcp', 'secret')
  for (const { text } of lines) expect(text).toMatch(/127\.0\.0\.1:7118[\s\S]*Bearer secret/)
})

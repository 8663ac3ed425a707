import { expect, it } from 'vitest'
import { ServerConfig } from '../../src/contract/mcp-servers.ts'
import { configOf, emptyForm, shellWords } from './form.ts'

it('reads a command line as words, with quotes and nothing else', () => {
  expect(shellWords(`npx -y  "@a/b c" '/my data' x"y z"`)).toEqual(['npx', '-y', '@a/b c', '/my data', 'xy z'])
  expect(shellWords('a; rm -rf $HOME | b')).toEqual(['a;', 'rm', '-rf', '$HOME', '|', 'b'])
  expect(shellWords('')).toEqual([])
})

it('makes a configuration that the engine takes', () => {
  const made = configOf('process', {
    ...emptyForm,
    command: 'node a.js',
    secrets: 'KEY=a=b\n\nno pair',
    network: false,
  })
  expect(ServerConfig.parse(made)).toMatchObject({ command: 'node', args: ['a.js'], env: { KEY: 'a=b' } })
  const http = configOf('http', { ...emptyForm, url: ' https://x.example/mcp ', secrets: 'Authorization: Bearer t' })
  expect(ServerConfig.parse(http)).toMatchObject({ headers: { Authorization: 'Bearer t' } })
  expect(http).not.toHaveProperty('oauth')
  const client = configOf('http', { ...emptyForm, url: 'https://x.example/mcp', clientId: ' ours ', clientSecret: 's' })
  expect(ServerConfig.parse(client)).toMatchObject({ oauth: { clientId: 'ours', clientSecret: 's' } })
})

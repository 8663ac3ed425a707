import { type Effect, type EffectOf, effectAt } from '../effect.ts'
import type { Value } from '../model.ts'
import { sketch, startOf } from '../values.ts'
import { inputOf } from './facts.ts'
import { readOptions, valuesOf } from './options.ts'

const valued =
  'h host p port P U user username u d dbname database D c command e execute Q q query S server f file o output v set'
const changes = /^\s*(insert|update|delete|drop|alter|create|truncate|replace|grant|revoke|merge)\b/i
const keepsAll = /^\s*(insert|create)\b/i
const isHere = /^(localhost|127\.|::1|\/|\.|$)/

/** Statements that change something, given to the client of a database; and the host that it is on, where it is another. */
const client: EffectOf = call => {
  const options = readOptions(call.args, valued)
  const given = [...valuesOf(options, 'c', 'command', 'e', 'execute', 'Q', 'q', 'query'), ...options.operands]
  const input = inputOf(call)
  const effects: Effect[] = []
  for (const statement of input === undefined ? given : [...given, input]) {
    const words = sketch(statement, '…') ?? ''
    if (changes.test(words))
      effects.push(effectAt('modify', statement, call, call, call.inLoop, { harmless: keepsAll.test(words) }))
  }
  for (const host of hosts(valuesOf(options, 'h', 'host', 'S', 'server')))
    effects.push(effectAt('connect', host, call, call, call.inLoop))
  return effects
}

const hosts = (named: readonly Value[]): readonly Value[] => named.filter(host => !isHere.test(startOf(host)))

/** A line of `flushall` empties all that is kept. */
const store: EffectOf = call => {
  const words = readOptions(call.args, 'h p a n u s', true)
  const verb = startOf(words.operands[0])
  const effects = hosts(valuesOf(words, 'h')).map(host => effectAt('connect', host, call, call, call.inLoop))
  return /^(flush(all|db)|del|unlink|set|hset|rename|expire)$/i.test(verb) && words.operands[0]
    ? [...effects, effectAt('modify', words.operands[0], call, call, call.inLoop)]
    : effects
}

export const databaseClients: Record<string, EffectOf> = {
  psql: client,
  mysql: client,
  mariadb: client,
  sqlcmd: client,
  sqlite3: client,
  sqlite: client,
  duckdb: client,
  'clickhouse-client': client,
  'redis-cli': store,
}

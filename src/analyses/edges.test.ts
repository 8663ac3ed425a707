import { expect, it } from 'vitest'
import { resource } from '../places.ts'
import { createCatalogue } from './catalogue.ts'
import { edges } from './edges.testing.ts'
import { prepare } from './prepare.ts'

const shipped = resource('analyses')
const catalogue = createCatalogue({ shipped, own: `${shipped}/none` })

it('every edge of every parameter, in each of its periods, has an example on it', async () => {
  const missing: string[] = []
  for (const { id } of (await catalogue.list()).entries) {
    const found = await catalogue.get(id)
    if (!found.ok) throw new Error(found.problem.message)
    const { parameters } = found.value.parameters
    const examples = found.value.examples()
    if (!examples.ok) throw new Error(examples.problem.message)
    const prepared = examples.value.flatMap(({ input }) => {
      const one = prepare(found.value, { inputs: input })
      return one.ok ? [one.value] : []
    })
    for (const [name, { values }] of Object.entries(parameters)) {
      const edgesOf = edges[id]?.[name]
      if (!edgesOf) missing.push(`${id}: nothing says which edges ${name} has, or why it has none`)
      if (!edgesOf || typeof edgesOf === 'string') continue
      for (const { from, value } of values) {
        const within = prepared.filter(one => one.parameters[name]?.from === from)
        const held = value as Parameters<typeof edgesOf>[0]
        for (const edge of Object.keys(edgesOf(held, {}, name))) {
          if (within.some(({ inputs }) => edgesOf(held, inputs, name)[edge])) continue
          missing.push(`${id}: ${name} from ${from}: ${edge}`)
        }
      }
    }
  }
  expect(missing).toEqual([])
})

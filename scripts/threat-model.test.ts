import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const docs = join(import.meta.dirname, '..', 'docs')
const text = readFileSync(join(docs, 'threat-model.md'), 'utf8')

it('names for each defence a test that is there', () => {
  const links = [...text.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, file]) => file as string)
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter(file => !/\.(test|spec)\.tsx?$/.test(file))).toEqual([])
  expect(links.filter(file => !existsSync(join(docs, file)))).toEqual([])
})

it('has no defence without a test', () => {
  const rows = text.split('\n').filter(line => line.startsWith('| ') && !/^\| (---|it wants|they want)/.test(line))
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter(row => !row.includes('](../'))).toEqual([])
})

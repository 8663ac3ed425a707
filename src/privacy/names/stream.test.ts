import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { Finding } from '../../contract/privacy.ts'
import { temporaryFolder } from '../../storage/testing.ts'
import { defaultScanner } from '../privacy.ts'
import { type Decided, StreamScanner } from '../scanner/stream.ts'
import { runModel } from './running.ts'
import { type AskNames, NamesStream, namesInTexts } from './stream.ts'
import { writeTinyModel } from './tiny-model.testing.ts'

/** Knows one name, wherever a part has it whole; where it has half of it, it takes the half for a place. */
const asking: AskNames = async texts =>
  texts.map(text =>
    [...text.matchAll(/Wilhelmina\sStormvik|Wilhelmina|Stormvik/g)].map(({ index, 0: name }) => ({
      start: index,
      end: index + name.length,
      type: name.length > 12 ? 'PERSON' : 'LOCATION',
      rule: 'name-model',
      score: 0.8,
    })),
  )

/** All pieces of a stream that is cut every so many characters. */
async function pieces(text: string, every: number, ask: AskNames): Promise<Decided[]> {
  const scanner = new StreamScanner(defaultScanner())
  const names = new NamesStream(ask)
  const out: Decided[] = []
  for (let at = 0; at < text.length; at += every) out.push(await names.push(scanner.push(text.slice(at, at + every))))
  return [...out, await names.end(scanner.end())]
}
const found = (all: readonly Decided[]): Finding[] => all.flatMap(piece => [...piece.found])
const shown = (text: string, findings: readonly Finding[]) =>
  findings.map(({ start, end, type, rule }) => `${rule} ${type} ${text.slice(start, end)}`)

const sentence = 'Then Wilhelmina Stormvik wrote to jane@bank.ie from the harbour, and nobody answered.\n'

describe('names in a stream', () => {
  it.each([1, 7, 100, 901, 4096, 1 << 20])('are the same when it is cut every %i characters', async every => {
    // Hardly anything but names, too: there many a border falls into one.
    const names = Array.from({ length: 300 }, (_, at) => `Wilhelmina Stormvik ${'+'.repeat(at % 7)} `)
    const text = sentence.repeat(60) + names.join('')
    const all = await pieces(text, every, asking)
    expect(all.map(piece => piece.text).join('')).toBe(text)
    let at = 0
    for (const piece of all) {
      expect(piece.start).toBe(at)
      at += piece.text.length
      expect(piece.found.every(({ start, end }) => start >= piece.start && end <= at)).toBe(true)
    }
    expect(new Set(shown(text, found(all)))).toEqual(
      new Set(['name-model PERSON Wilhelmina Stormvik', 'email EMAIL jane@bank.ie']),
    )
    expect(found(all)).toHaveLength(420)
  })

  it('are found by a real model with the cut inside them', async () => {
    const model = runModel(writeTinyModel(`${temporaryFolder()}/tiny`), systemClock)
    onTestFinished(() => model.close())
    const ask: AskNames = async texts => {
      const answer = await model.ask(texts)
      return answer.ok ? answer.value : null
    }
    const text = `${'in '.repeat(290)}Wilhelmina Stormvik met in Orkney.`
    const whole = ['name-model PERSON Wilhelmina Stormvik', 'name-model LOCATION Orkney']
    for (const every of [870 + 4, 870 + 13, 870 + 25, 3])
      expect(shown(text, found(await pieces(text, every, ask))), `${every}`).toEqual(whole)
    const [inText = []] = await namesInTexts(ask, [text])
    expect(shown(text, inText)).toEqual(whole)
  })

  it('are weighed against what the rules found, and never let any of it through', async () => {
    const text = `${'word '.repeat(400)}Dear Jane, 4111 1111 1111 1111`
    const card = text.indexOf('4111')
    const greedy: AskNames = async texts =>
      texts.map(part => {
        const start = part.indexOf('Jane')
        return start < 0 ? [] : [{ start, end: start + 15, type: 'PERSON', rule: 'name-model', score: 0.8 }]
      })
    const findings = found(await pieces(text, 50, greedy))
    expect(findings.map(({ rule }) => rule)).toEqual(['name-model', 'credit-card'])
    expect(findings[1]).toMatchObject({ start: card, end: text.length })
    expect(findings[0]).toMatchObject({ start: text.indexOf('Jane'), end: card })
  })

  it('end where the model gives up; what the rules found goes on, and nothing of the text is lost', async () => {
    let questions = 0
    const tired: AskNames = async texts => (++questions > 2 ? null : asking(texts))
    const text = sentence.repeat(600)
    const all = await pieces(text, 1000, tired)
    expect(all.map(piece => piece.text).join('')).toBe(text)
    const rules = found(all).map(({ rule }) => rule)
    expect(rules.filter(rule => rule === 'email')).toHaveLength(600)
    expect(rules.filter(rule => rule === 'name-model').length).toBeGreaterThan(0)
    expect(rules.filter(rule => rule === 'name-model').length).toBeLessThan(100)
    expect(questions).toBe(3)
  })

  it('hold back no more than a model has to read', async () => {
    const scanner = new StreamScanner(defaultScanner())
    const names = new NamesStream(asking)
    let [given, handed] = [0, 0]
    for (let at = 0; at < 300; at++) {
      given += sentence.length
      handed += (await names.push(scanner.push(sentence))).text.length
      expect(given - handed).toBeLessThan(6000)
    }
    expect(handed).toBeGreaterThan(15_000)
  })

  it('are asked for in batches, however large the piece', async () => {
    const sizes: number[] = []
    await pieces(sentence.repeat(1000), 1 << 20, async texts => {
      sizes.push(texts.length)
      return asking(texts)
    })
    expect(Math.max(...sizes)).toBe(16)
    expect(sizes.length).toBeGreaterThan(5)
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { finished, renamed, temporaryAudit } from '../audit/testing.ts'
import { attributeNames } from './names.ts'
import { measureRecord, openTelemetry } from './telemetry.ts'

const run = '01900000-0000-7000-8000-0000000000a1'
const outcome = { risk: 'high', sandbox: 'local', language: 'python', success: true, executionTimeMs: 120 }

async function watched() {
  const spans = new InMemorySpanExporter()
  const exports = { spans: [new SimpleSpanProcessor(spans)], readers: [] }
  const telemetry = await openTelemetry({ endpoint: '', version: '0', exports })
  onTestFinished(() => telemetry.close())
  return { telemetry, spans }
}

describe('telemetry', () => {
  it('counts what is durable on the record, once', async () => {
    const { telemetry, spans } = await watched()
    const { audit, clock } = await temporaryAudit()
    audit.follow(measureRecord(telemetry))
    await audit.record(finished(run, outcome))
    await audit.record(finished(run, { ...outcome, success: false, executionTimeMs: 80 }))
    await audit.record(renamed('not measured'))
    await audit.close()
    const points = await telemetry.snapshot()
    const value = (name: string) => points.filter(each => each.name === name).reduce((sum, each) => sum + each.value, 0)
    expect(value('code_execution_total')).toBe(2)
    expect(value('code_execution_success')).toBe(1)
    expect(value('code_execution_errors_total')).toBe(1)
    expect(points.find(each => each.name === 'code_execution_duration_ms')).toMatchObject({
      value: 200,
      count: 2,
      most: 120,
    })
    const [first] = spans.getFinishedSpans()
    expect(first).toMatchObject({ name: 'execution_context.execute_code', attributes: { 'code.language': 'python' } })
    expect(first?.endTime[0]).toBe(Math.floor(clock.now() / 1000))
  })

  it('carries ids and kinds only', async () => {
    const { telemetry, spans } = await watched()
    const { audit } = await temporaryAudit()
    audit.follow(measureRecord(telemetry))
    await audit.record({ ...finished(run, { ...outcome, title: 'SECRET' }), bodies: { stdout: 'SECRET' } })
    await audit.close()
    expect(JSON.stringify(spans.getFinishedSpans().map(each => each.attributes))).not.toContain('SECRET')
    const used = spans.getFinishedSpans().flatMap(each => Object.keys(each.attributes))
    expect(used.filter(name => !(attributeNames as readonly string[]).includes(name))).toEqual([])
  })

  it('has a span for each workflow and each of its layers', async () => {
    const { telemetry, spans } = await watched()
    const { audit, clock } = await temporaryAudit()
    audit.follow(measureRecord(telemetry))
    const step = (action: 'workflow.started' | 'workflow.checkpoint' | 'workflow.failed', details = {}) =>
      audit.record({ ...renamed(''), action, details: { workflow: run, name: 'SECRET', ...details } })
    await step('workflow.started')
    clock.advance(1000)
    await step('workflow.checkpoint', { layer: 0 })
    clock.advance(2000)
    await step('workflow.failed', { code: 'workflow.task-failed' })
    await audit.close()
    const found = spans.getFinishedSpans()
    const seconds = (at: number) => (found[at]?.endTime[0] ?? 0) - (found[at]?.startTime[0] ?? 0)
    expect(found.map(({ name }) => name)).toEqual(['workflow.layer', 'workflow.run'])
    expect([seconds(0), seconds(1)]).toEqual([1, 3])
    expect(found[1]?.attributes).toMatchObject({ 'app.workflow.id': run, success: false })
    expect(JSON.stringify(found.map(each => each.attributes))).not.toContain('SECRET')
  })

  it('notes that work failed by the class of its error, and hands the error on', async () => {
    const { telemetry, spans } = await watched()
    const work = telemetry.span('compliance.tool.run_code', { 'tool.forced': true }, async () => {
      throw new RangeError('with SECRET inside')
    })
    await expect(work).rejects.toThrow('SECRET')
    const [span] = spans.getFinishedSpans()
    expect(span?.attributes).toEqual({ 'tool.forced': true, 'error.type': 'RangeError' })
    expect(JSON.stringify([span?.status, span?.events])).not.toContain('SECRET')
  })

  it('sends nothing when no collector is named, and OTLP when one is', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      request.resume().on('end', () => response.end('{}'))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    for (const each of ['', endpoint]) {
      const telemetry = await openTelemetry({ endpoint: each, version: '0' })
      telemetry.measure('code_execution_total', 1)
      telemetry.past('compliance.tool.run_code', {}, 1, 2)
      await telemetry.close()
      if (each === '') expect(asked).toEqual([])
    }
    expect(asked.sort()).toEqual(['/v1/metrics', '/v1/traces'])
  })

  it('closes although the collector is gone', async () => {
    const telemetry = await openTelemetry({ endpoint: 'http://127.0.0.1:9', version: '0' })
    telemetry.measure('code_execution_total', 1)
    await expect(telemetry.close()).resolves.toBeUndefined()
  })
})

import { useQuery } from '@tanstack/react-query'
import { AnalysisResult } from '../../src/contract/analyses.ts'
import { rpc } from '../state/queries.ts'
import { ResultChart } from './chart.tsx'
import Result from './result.tsx'

/** A result in a cell, with units and chart of the very version that made it where it is still there. */
export default function CellResult({ value }: { value: unknown }) {
  const parsed = AnalysisResult.safeParse(value)
  const id = parsed.success ? parsed.data.analysis : ''
  const version = parsed.success ? parsed.data.version : ''
  const found = useQuery({ ...rpc.analyses.show.queryOptions({ input: { id, version } }), enabled: id !== '' })
  const definition = found.data?.definition
  return (
    <>
      <Result value={value} {...(definition ? { specs: definition.outputs } : {})} />
      {definition?.gauge && parsed.success && <ResultChart definition={definition} inputs={{}} result={parsed.data} />}
    </>
  )
}

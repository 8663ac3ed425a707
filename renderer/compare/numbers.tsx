import type { NumberPair } from '../../src/contract/conversations.ts'
import styles from './compare.module.css'
import type { Names } from './words.ts'

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })
const signed = new Intl.NumberFormat('en', { maximumFractionDigits: 6, signDisplay: 'exceptZero' })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2, signDisplay: 'exceptZero' })

/** Results that both sides have under the same name, and how far apart they are. */
export function Numbers({ pairs, names }: { pairs: readonly NumberPair[]; names: Names }) {
  return (
    <table className={styles.numbers}>
      <thead>
        <tr>
          <th scope="col">Result</th>
          <th scope="col">{names.left}</th>
          <th scope="col">{names.right}</th>
          <th scope="col" title={`${names.right} minus ${names.left}`}>
            Difference
          </th>
          <th scope="col">Relative</th>
        </tr>
      </thead>
      <tbody>
        {pairs.map(({ label, left, right, unit, absolute, relative }) => (
          <tr key={`${label} ${left} ${right}`}>
            <th scope="row">{label || 'value'}</th>
            <td>
              {plain.format(left)} {unit}
            </td>
            <td>
              {plain.format(right)} {unit}
            </td>
            <td>
              {signed.format(absolute)} {unit === '%' ? 'pp' : unit}
            </td>
            <td>{relative === null ? '–' : percent.format(relative)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

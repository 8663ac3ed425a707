import type { Output } from '../../../src/contract/run.ts'

interface Sample {
  readonly outputs: Output[]
}

const banks = ['Alder', 'Beech', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Hazel', 'Juniper', 'Larch', 'Maple', 'Oak', 'Pine']
const ratios = banks.map((bank, index) => ({
  bank,
  day: `2026-0${(index % 9) + 1}-28T00:00:00.000`,
  cet1: Number((13.4 - index * 0.37 + (index % 3) * 0.8).toFixed(2)),
  rwa: 1_204_000_000 + index * 88_300_000,
  stressed: index % 4 === 3 ? null : Number((10.9 - index * 0.31 + (index % 3) * 0.6).toFixed(2)),
  passed: index < 9,
  note: index === 4 ? '=HYPERLINK("https://example.com")' : index % 3 === 0 ? 'reviewed by the second line' : '',
}))

const esc = '\u001b'
const gradient = Array.from({ length: 60 }, (_, step) => {
  const [red, green, blue] = [200 - step * 3, 60 + step * 2, 90 + step * 2]
  return `${esc}[38;2;${red};${green};${blue}m█`
}).join('')

/** A small picture: a few bars as a PNG. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAUAAAACMAgMAAABwo5hCAAAADFBMVEX///8NXFWoPQtVUEpHnbS3AAAAYElEQVR42u3NsQ3AMAgAQZbMkl4ykVy6iAgxjXVfIjgiJDU1ZkAg8P0YCARWwfQT4DfwzzEQCGwCrxkQCARWwewiEAhcF7MzIBBYfgIEAoFAIBAIBAKBQCCwHbw3F9KJPU30+3Xi2vyRAAAAAElFTkSuQmCC'

const svg = `<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 120" width="480" height="120">
  <g fill="none" stroke="#2b8f83" stroke-width="3"><path d="M10 100 C 80 20, 160 20, 220 70 S 380 110, 470 20"/></g>
  <g fill="#a83d0b"><circle cx="220" cy="70" r="6"/><text x="232" y="66" font-size="12" font-family="sans-serif">200 bp shock</text></g></svg>`

export const samples: Record<string, Sample> = {
  text: {
    outputs: [
      { type: 'stream', name: 'stdout', text: 'CET1 11.84 % (baseline 12.91 %)\n' },
      { type: 'stream', name: 'stdout', text: 'loading  10 %\rloading  60 %\rloading 100 %\n' },
    ],
  },
  colours: {
    outputs: [
      {
        type: 'stream',
        name: 'stdout',
        text: [
          [0, 1, 2, 3, 4, 5, 6, 7].map(code => `${esc}[3${code}mcolour ${code}`).join(' '),
          [0, 1, 2, 3, 4, 5, 6, 7].map(code => `${esc}[9${code}mbright ${code}`).join(' '),
          `${esc}[0;1mbold${esc}[0m ${esc}[2mdim${esc}[0m ${esc}[3mitalic${esc}[0m ${esc}[4munderline${esc}[0m ${esc}[9mstrike${esc}[0m ${esc}[7m inverse ${esc}[0m ${esc}[41;97m on red ${esc}[0m ${esc}[38;5;208morange of 256${esc}[0m ${esc}[38;2;255;255;0mtrue yellow${esc}[0m`,
          `${gradient}${esc}[0m`,
          'bell \u0007, null \u0000, reordered user\u202enimda',
        ].join('\n'),
      },
    ],
  },
  stderr: {
    outputs: [{ type: 'stream', name: 'stderr', text: '<cell 3>:7: DeprecationWarning: use exposure_at_default()\n' }],
  },
  long: {
    outputs: [
      {
        type: 'stream',
        name: 'stdout',
        text: Array.from(
          { length: 1240 },
          (_, line) => `scenario ${line + 1}: CET1 ${(12.9 - line / 800).toFixed(3)} %`,
        ).join('\n'),
      },
      { type: 'notice', text: 'The record keeps the first 50,000 characters of this output.', cut: true },
    ],
  },
  error: {
    outputs: [
      {
        type: 'error',
        error: {
          kind: 'runtime',
          name: 'ZeroDivisionError',
          message: 'division by zero',
          line: 4,
          traceback: [
            'Traceback (most recent call last):',
            `  File ${esc}[35m"<cell 3>"${esc}[0m, line ${esc}[35m4${esc}[0m, in <module>`,
            '    ratio(exposures)',
            '  File "<cell 2>", line 2, in ratio',
            '    return capital / rwa',
            `           ${esc}[31m~~~~~~~~^~~~~${esc}[0m`,
            `${esc}[1;35mZeroDivisionError${esc}[0m: division by zero`,
          ],
        },
      },
      { type: 'error', error: { kind: 'timeout', name: 'Timeout', message: 'The limit is 60 s.', traceback: [] } },
      { type: 'notice', text: 'The sandbox was made anew: variables of earlier runs are gone.' },
    ],
  },
  table: {
    outputs: [
      {
        type: 'result',
        data: {
          'application/vnd.dataresource+json': {
            schema: {
              fields: [
                { name: 'bank', type: 'string' },
                { name: 'day', type: 'datetime' },
                { name: 'cet1', type: 'number' },
                { name: 'rwa', type: 'integer' },
                { name: 'stressed', type: 'number' },
                { name: 'passed', type: 'boolean' },
                { name: 'note', type: 'string' },
              ],
              primaryKey: ['bank'],
            },
            data: ratios,
          },
          'text/html': '<table><tr><th>bank</th></tr><tr><td>Alder</td></tr></table>',
          'text/plain': 'bank cet1 …',
        },
        metadata: { 'application/vnd.dataresource+json': { rows: 12_400, truncated: true } },
      },
    ],
  },
  chart: {
    outputs: [
      {
        type: 'display',
        data: {
          'application/vnd.vegalite.v6+json': {
            title: { text: 'CET1 by bank', subtitle: 'baseline and 200 bp shock' },
            data: {
              values: ratios.flatMap(({ bank, cet1, stressed }) => [
                { bank, scenario: 'baseline', ratio: cet1 },
                { bank, scenario: 'stress +200 bp', ratio: stressed },
              ]),
            },
            mark: { type: 'bar', tooltip: true },
            height: 220,
            encoding: {
              x: { field: 'bank', type: 'nominal', axis: { labelAngle: 0 }, title: null },
              xOffset: { field: 'scenario' },
              y: { field: 'ratio', type: 'quantitative', title: 'CET1, %' },
              color: { field: 'scenario', type: 'nominal', title: null, legend: { orient: 'top' } },
            },
          },
          'text/plain': 'Chart of CET1 by bank',
        },
      },
    ],
  },
  markdown: {
    outputs: [
      {
        type: 'display',
        data: {
          'text/markdown': [
            '# Result',
            'The **CET1 ratio** falls from `12.91 %` to `11.84 %`, still above the [requirement](https://example.com/rules).',
            '| scenario | CET1 | change |\n| --- | ---: | ---: |\n| baseline | 12.91 % | |\n| +200 bp | 11.84 % | −1.07 |',
            '- [x] exposures loaded\n- [ ] countersigned',
            '> Figures are unaudited.',
            '```python\nrwa = exposures.assign(shock=0.02)\n```',
            '![remote chart](https://example.com/chart.png) <script>alert(1)</script> [bad](javascript:alert(1))',
          ].join('\n\n'),
        },
      },
    ],
  },
  html: {
    outputs: [
      {
        type: 'display',
        data: {
          'text/html':
            '<h3 style="margin:0 0 8px">A report</h3><table><thead><tr><th>bank</th><th>cet1</th><th>rwa</th></tr></thead><tbody><tr><th>Alder</th><td>13.40</td><td>1,204</td></tr><tr><th>Beech</th><td>13.83</td><td>1,292</td></tr><tr><th>Cedar</th><td>14.26</td><td>1,381</td></tr></tbody></table><p>See <a href="https://example.com/method">the method</a>.</p><script>document.body.append("scripts ran")</script>',
        },
      },
    ],
  },
  svg: { outputs: [{ type: 'display', data: { 'image/svg+xml': svg } }] },
  image: {
    outputs: [
      {
        type: 'display',
        data: { 'image/png': picture, 'text/plain': '<Figure size 640x480>' },
        metadata: { alt: 'Bars of eight ratios' },
      },
    ],
  },
  json: {
    outputs: [
      {
        type: 'result',
        data: {
          'application/json': {
            calculation: 'capital.cet1',
            version: '2026.1',
            inputs: { shock: 0.02, currency: 'EUR', banks: banks.slice(0, 3) },
            passed: true,
            previous: null,
            series: Array.from({ length: 2500 }, (_, index) => index / 10),
          },
        },
      },
    ],
  },
  unknown: { outputs: [{ type: 'display', data: { 'application/x-parquet': 'UEFSMQ==' } }] },
}

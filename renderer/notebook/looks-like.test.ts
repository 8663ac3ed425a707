import { expect, it } from 'vitest'
import { looksLike } from './looks-like.ts'

it.each([
  ['def f(x):\n    return x', 'bash', 'python'],
  ['import pandas as pd\ndf = pd.read_csv("a.csv")', 'javascript', 'python'],
  ['const x = 1\nconsole.log(x)', 'python', 'javascript'],
  ['let total = rows.map(row => ({ ...row }))', 'python', 'javascript'],
  ['ls -la data/\ngrep x *.csv', 'python', 'bash'],
  ['for f in *.csv; do wc -l $f; done', 'python', 'bash'],
])('%j in a cell of %s looks like %s', (text, language, looks) => expect(looksLike(text, language)).toBe(looks))

it.each([
  ['x = 1', 'python'],
  ['print("ls -la")', 'python'],
  ['%%bash\nls -la', 'python'],
  ['!ls -la', 'python'],
  ['const x: number = 1', 'typescript'],
  ['# import pandas as a heading', 'markdown'],
  ['', 'python'],
  ['total', 'bash'],
])('says nothing of %j in a cell of %s', (text, language) => expect(looksLike(text, language)).toBeNull())

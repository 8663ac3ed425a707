// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.
import { describe, expect, it } from 'vitest'
import type { Language } from '../contract/run.ts'
import { createGuard } from './guard.ts'
import { dependenciesIn } from './inspect.ts'

describe('the variables of a cell', () => {
  it.each<[Language, string, string, string]>([
    ['python', 'import pandas as pd\ndf = pd.read_csv("a.csv")\ny = df.x + z', 'z', 'df pd y'],
    ['python', 'df["a"] = 1\nrows.append(2)\ncount += 1', 'count df rows', 'count df rows'],
    ['python', 'del q', 'q', 'q'],
    ['python', 'df.dropna(inplace=True)\ndf.head()', 'df', 'df'],
    ['python', 'table.head()', 'table', ''],
    ['python', 'def f(a, b=k):\n    t = a + shock\n    return t', 'k shock', 'f'],
    ['python', 'def f():\n    global total\n    total = 1', 'total', 'f total'],
    ['python', 'r = f(x)', 'f x', 'r x'],
    ['python', 'a, *b = c\nprint(b)', 'c print', 'a b'],
    ['python', 'if a:\n    b = 1\nuse = b', 'a b', 'b use'],
    ['python', 'if a:\n    b = 1\nelse:\n    b = 2\nuse = b', 'a', 'b use'],
    ['python', 's = [u for u in us if u > lim]', 'lim us', 's'],
    ['python', 'class A(Base):\n    x = y', 'Base y', 'A'],
    ['python', 'files = !ls\n%matplotlib inline', '', 'files'],
    ['javascript', 'const { x, y: [z] } = obj; let t = x + other', 'obj other', 't x z'],
    ['javascript', 'i++; if (!!j) k = -l', 'i j l', 'i k'],
    ['javascript', 'import { a as b } from "lodash"; const c = v => v + b + d', 'd', 'b c'],
    ['typescript', 'const a: number = b as number', 'b', 'a'],
    ['bash', 'x=1; echo "$y ${z}"', 'y z', 'x'],
    ['bash', 'read -r name < in.txt', '', 'name'],
  ])('in %s: %s', async (language, code, reads, writes) => {
    const found = await dependenciesIn(code, language)
    expect({ reads: found.reads.join(' '), writes: found.writes.join(' ') }).toEqual({ reads, writes })
  })

  it('are names of files as well', async () => {
    expect(await dependenciesIn('open("b.txt", "w").write(open("a.txt").read())', 'python')).toMatchObject({
      filesRead: ['a.txt'],
      filesWritten: ['b.txt'],
      unknown: false,
    })
  })

  it.each<[Language, string]>([
    ['python', 'exec(text)'],
    ['python', 'from lib import *'],
    ['python', 'globals()[name] = 1'],
    ['python', 'open(path)'],
    ['python', 'import os\nos.system("make")'],
    ['python', '%run other.py'],
    ['python', 'f(:, 1)'],
    ['bash', './build'],
    ['bash', 'eval "$x"'],
  ])('are not all known in %s: %s', async (language, code) => {
    expect(await dependenciesIn(code, language)).toMatchObject({ unknown: true, repeatable: false })
  })

  it('are told by the guard from its thread', async () => {
    const guard = createGuard()
    try {
      expect(await guard.dependencies('y = x', 'python')).toMatchObject({ reads: ['x'], writes: ['y'], unknown: false })
      expect(await guard.dependencies('x'.repeat(2_000_000), 'python')).toMatchObject({ unknown: true })
    } finally {
      await guard.close()
    }
  })
})

describe('the same again', () => {
  it.each<[Language, string]>([
    ['python', 'import pandas as pd\nprint(pd.read_csv("a.csv").sum())'],
    ['python', 'import random\nrandom.seed(1)\nx = random.random()'],
    ['python', 'import numpy as np\nrng = np.random.default_rng(7)\nx = rng.normal()'],
    ['python', 'from sklearn.model_selection import train_test_split\ntrain_test_split(x, random_state=1)'],
    ['javascript', 'const day = new Date("2024-01-01")'],
  ])('comes out of %s: %s', async (language, code) => {
    expect((await dependenciesIn(code, language)).repeatable).toBe(true)
  })

  it.each<[Language, string]>([
    ['python', 'import datetime\nprint(datetime.datetime.now())'],
    ['python', 'import time\nt = time.time()'],
    ['python', 'import random\nx = random.random()'],
    ['python', 'import numpy as np\nx = np.random.default_rng().normal()'],
    ['python', 'import uuid, random\nrandom.seed(1)\nx = uuid.uuid4()'],
    ['python', 'import requests\nrequests.get("https://example.org")'],
    ['python', 'from sklearn.model_selection import train_test_split\ntrain_test_split(x)'],
    ['python', 'import somelib\nsomelib.go()'],
    ['python', 'x = input()'],
    ['python', '%timeit f()'],
    ['javascript', 'const now = new Date()'],
    ['javascript', 'Math.random()'],
    ['bash', 'echo $RANDOM'],
    ['bash', 'date'],
  ])('is not certain of %s: %s', async (language, code) => {
    expect((await dependenciesIn(code, language)).repeatable).toBe(false)
  })
})

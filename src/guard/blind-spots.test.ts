import { describe, expect, it } from 'vitest'
import type { Language, RiskLevel } from '../contract/run.ts'
import { inspectCode } from './inspect.ts'

/** Ways round the tables that were open once; a reviewer relies on each. */
const programs: readonly (readonly [Language, RiskLevel, string])[] = [
  ['javascript', 'critical', "await fetch(new URL('/latest/meta-data/', 'http://169.254.169.254'))"],
  ['javascript', 'critical', "const u = new URL('latest/', 'http://169.254.169.254/'); await fetch(u.href)"],
  ['javascript', 'critical', "fetch(new Request(new URL('/latest/', 'http://169.254.169.254')))"],
  [
    'python',
    'critical',
    "import requests\nfrom urllib.parse import urljoin\nrequests.get(urljoin('http://169.254.169.254', '/latest/'))",
  ],
  ['python', 'critical', "import asyncio.subprocess\nawait asyncio.subprocess.create_subprocess_shell('rm -rf /')"],
  ['python', 'critical', "import asyncio\nawait asyncio.subprocess.create_subprocess_exec('rm', '-rf', '/')"],
  ['python', 'critical', "import asyncio\nasyncio.get_event_loop().subprocess_shell(P, 'rm -rf /')"],
  ['python', 'critical', "import asyncio\nloop = asyncio.new_event_loop()\nloop.subprocess_exec(P, 'rm', '-rf', '/')"],
  ['python', 'critical', "from sh import rm\nrm('-rf', '/')"],
  ['python', 'critical', "import sh\nsh.rm('-rf', '/')"],
  ['python', 'medium', "import sh\nsh.Command('rm')('-rf', '/')"],
  ['python', 'critical', "from plumbum.cmd import rm\nrm('-rf', '/')"],
  ['python', 'medium', "from plumbum import local\nlocal['rm']['-rf', '/']()"],
  ['python', 'high', "import fsspec\nfsspec.filesystem('file').rm('/data', recursive=True)"],
  ['python', 'high', "import s3fs\nfs = s3fs.S3FileSystem()\nfs.rm('s3://bucket/data', recursive=True)"],
  ['python', 'high', "import s3fs\ns3fs.S3FileSystem().put('secrets.csv', 's3://bucket/x')"],
  ['python', 'high', "from pyarrow import fs\nfs.LocalFileSystem().delete_dir('/data')"],
  ['python', 'critical', 'import duckdb\nduckdb.sql("COPY t TO \'/etc/passwd\'")'],
  ['python', 'high', 'import duckdb\nduckdb.connect().execute("COPY (SELECT 1) TO \'s3://other/x.csv\'")'],
  ['python', 'high', 'import duckdb\nduckdb.sql("SELECT * FROM read_csv(\'/etc/passwd\')")'],
  ['javascript', 'high', "const Module = require('module'); new Module('x')._compile(code, 'x.js')"],
  ['javascript', 'critical', "module._compile(\"require('fs').rmSync('/', { recursive: true })\", 'x')"],
  ['typescript', 'medium', 'Deno.run(options)'],
  ['typescript', 'medium', 'const o = { cmd: words }; Deno.run(o)'],
  ['bash', 'medium', 'read -r c; $c'],
  ['bash', 'medium', 'while read -r c; do $c; done < cmds.txt'],
  ['bash', 'medium', 'bash cmds.txt'],
  [
    'python',
    'high',
    "import urllib.request, joblib\nurllib.request.urlretrieve('https://a.org/m', 'm.pkl')\njoblib.load('m.pkl')",
  ],
  [
    'python',
    'high',
    "import requests, pickle\nopen('m', 'wb').write(requests.get(u).content)\npickle.load(open('m', 'rb'))",
  ],
  ['python', 'high', "import os, joblib\nos.system('wget -O m.pkl https://a.org/m')\njoblib.load('m.pkl')"],
  ['python', 'high', "import ctypes\nctypes.CDLL(None).system(b'id')"],
  ['python', 'critical', "import ctypes\nlibc = ctypes.CDLL('libc.so.6')\nlibc.system(b'rm -rf /')"],
  ['javascript', 'high', "process.binding('spawn_sync').spawn(options)"],
  ['python', 'critical', 'import countersign.jail as j\nj.libc.system(b"id")'],
  ['python', 'critical', "import sys\nsys.modules['countersign']"],
]

const ordinary: readonly (readonly [Language, string])[] = [
  ['python', "import pandas as pd\ndf = pd.read_csv('a.csv')\nprint(df.groupby('a').sum())"],
  [
    'python',
    'import numpy as np\nfrom sklearn.linear_model import LinearRegression\nLinearRegression().fit(np.eye(2), [1, 2])',
  ],
  ['python', "import requests\nprint(requests.get('https://example.org/a.json').json())"],
  ['python', 'import duckdb\nduckdb.query("SELECT * FROM \'data.parquet\'").df()'],
  ['python', "import joblib\nmodel = joblib.load('model.pkl')"],
  ['python', 'import asyncio\nasyncio.run(main())'],
  ['python', "import s3fs\nprint(s3fs.S3FileSystem().ls('s3://bucket/data'))"],
  ['javascript', "const r = await fetch(new URL('/api/items', 'https://api.example.org'))"],
  ['bash', 'bash run.sh\n"$1" --version'],
  ['bash', 'while read -r name; do echo "$name"; done < names.txt'],
]

describe('what once went past the tables', () => {
  it.each(programs)('%s is %s: %s', async (language, level, code) => {
    expect((await inspectCode(code, language)).risk).toBe(level)
  })

  it.each(ordinary)('and ordinary %s stays low: %s', async (language, code) => {
    const { risk, impact } = await inspectCode(code, language)
    expect(risk).toBe('low')
    expect(impact.unknownCalls).toBeUndefined()
  })
})

describe('a call into a library of which nothing is known', () => {
  it.each<[Language, string, string]>([
    ['python', "import somelib\nsomelib.destroy('x')", "somelib.destroy('x')"],
    ['python', 'from somelib.deep import Thing\nThing().go()', 'Thing()'],
    ['javascript', "import lib from 'some-lib'\nlib.wipe('x')", "lib.wipe('x')"],
    ['typescript', "const { wipe } = require('@scope/lib'); wipe()", 'wipe()'],
    ['javascript', "import { wipe } from './local.js'\nwipe()", 'wipe()'],
    ['python', "exec('import somelib\\nsomelib.destroy()')", "exec('import somelib\\nsomelib.destroy()')"],
  ])('in %s says that the impact is not known: %s', async (language, code, expression) => {
    const { risk, impact } = await inspectCode(code, language)
    expect(impact).toMatchObject({ reversible: 'unknown', blastRadius: 'unknown', volume: 'unknown' })
    expect(impact.unknownCalls?.map(call => call.expression)).toContain(expression)
    expect(risk).toBe('low')
  })

  it('keeps what is known of the rest', async () => {
    const code = "import somelib, shutil\nsomelib.go()\nshutil.rmtree('/data')"
    const { impact } = await inspectCode(code, 'python')
    expect(impact).toMatchObject({ reversible: 'no', blastRadius: 'local' })
    expect(impact.filesDeleted).toMatchObject([{ target: '/data' }])
  })

  it('does not call a request undoable that has been sent', async () => {
    const { impact } = await inspectCode(
      "import urllib.request\nurllib.request.urlopen('https://example.org/a')",
      'python',
    )
    expect(impact.reversible).not.toBe('yes')
  })

  it('is no variable of an earlier cell, and no function of the program', async () => {
    const { impact } = await inspectCode('def f():\n    return 1\nf()\ntable.head()', 'python')
    expect(impact).toMatchObject({ reversible: 'yes', blastRadius: 'contained', volume: 'none' })
  })
})

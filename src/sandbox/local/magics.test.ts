import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../sandbox.ts'
import { runIn } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

describe('magics and shell lines in a Python cell', () => {
  let arena: Arena
  let sandbox: Sandbox
  beforeAll(async () => {
    arena = await Arena.open()
    sandbox = await arena.sandbox()
  })
  afterAll(async () => {
    await sandbox.close('manual')
    await arena.close()
  })
  const run = (code: string) => runIn(sandbox, 'python', code)
  const said = async (code: string) => {
    const { stdout, stderr, error } = await run(code)
    return `${stdout}${error ? `${error.name}: ${error.message}` : stderr}`.trim()
  }

  it.each([
    ['%matplotlib inline\nprint(1)', '1'],
    ['>>> total = 0\n>>> for n in range(3):\n...     total += n\n...\nprint("pasted", total)', 'pasted 3'],
    ['In [1]: total = 5\n\nIn [2]: if total:\n   ...:     print("pasted", total)\n   ...:', 'pasted 5'],
    ['    total = 7\n    !echo out of a block $total\nprint(total)', 'out of a block 7\n7'],
    ['    # a comment\nif True:\n    print("as it is")', 'as it is'],
    ["%config InlineBackend.figure_format = 'retina'\n%load_ext autoreload\n%autoreload 2\nprint(2)", '2'],
    ['!echo from the shell', 'from the shell'],
    ['x = !printf "a\\nb"\nprint(x, x.n == "a\\nb")', "['a', 'b'] True"],
    ['name = "world"\n!echo hello {name} $name $HOME $$', /^hello world world \/tmp/],
    ['if True:\n    !echo inside\n    print("after")', 'inside\nafter'],
    ['%%bash\nfor i in 1 2; do echo $i; done', '1\n2'],
    ['%%bash\nexit 3', /^CalledProcessError: .*3/],
    ['%%writefile made.py\ndef f():\n    return 5\n', 'Writing made.py'],
    ['%%writefile ends.txt\none line', 'Writing ends.txt'],
    ['print(repr(open("ends.txt").read()))', "'one line\\n'"],
    ['!cat made.py\nfrom made import f\nprint(f())', 'def f():\n    return 5\n5'],
    ['%%writefile -a made.py\n# more', 'Appending to made.py'],
    ['%%capture kept\nprint("hidden"); display(1)\n!echo also', ''],
    ['print(repr(kept.stdout), len(kept.outputs))', "'hidden\\nalso\\n' 1"],
    ['%%capture drawn\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])', ''],
    ['print(*(sorted(each) for each in drawn.outputs), plt.get_fignums())', /'image\/png'.*\] \[\]$/],
    ['%env CELL=1\nimport os\nprint(os.environ["CELL"])', 'env: CELL=1\n1'],
    ['%cd /tmp\n%cd /work', '/tmp\n/work'],
    ['from made import f\n%psource f\n%pdef f', /^def f\(\):\n {4}return 5\n+ f\(\)$/],
    ['%psource len', 'No source found for len'],
    [
      'from IPython.display import Audio\nimport io, wave\nsound = wave.open(io.BytesIO(Audio([[0, 0.5], [0, -1]], rate=8000).data))\nprint(sound.getparams()[:4], sound.readframes(2)[4:])',
      "(2, 2, 8000, 2) b'\\xff?\\x01\\x80'",
    ],
    ['from IPython.display import Audio\nAudio([0.0])', /^ValueError: rate must be specified/],
    ['%reset -f\nalpha = 1\n%who', 'alpha'],
    ['%pip install numpy\nprint("goes on")', /goes on\n.*Environments page/],
    ['!pip install numpy', /Environments page/],
    ['%nosuchthing 1', /^UsageError: Line magic function `%nosuchthing` not found/],
    ['print("a" % ())\nx = 7 %3\ntext = """\n%time\n!echo no\n"""\nprint(x, len(text))', 'a\n1 16'],
    ['value = (10\n  %3)\n!echo $value', '1'],
    ['def g(a, b=2):\n    "Adds."\n    return a + b\ng?', /Signature: g\(a, b=2\)\nDocstring:\nAdds\./],
    ['def h(a):\n    return a * 2\nh??', /return a \* 2/],
    ['print("what?")\n# is this a comment?', 'what?'],
    ['get_ipython().run_line_magic("pwd", "")\nprint(1)', '1'],
    ['%pdb off\n%store -r none\nprint(1)', 'no stored variable or alias none\n1'],
    ['%%python3\nprint("a process of its own")', 'a process of its own'],
    ['y = %system echo words\nprint(y)', "['words']"],
    ['%pushd /tmp\n%popd\n%popd', /^\/tmp\n\/work\nUsageError: Directory stack is empty/],
    ['%connect_info\n%qtconsole\nprint("goes on")', /goes on\n.*no port/],
    ['beta_one = 1\n%psearch beta_*\n%xdel beta_one\nprint("beta_one" in globals())', 'beta_one\nFalse'],
    ['print(get_ipython().history_manager.hist_file)', ':memory:'],
    [
      'mkdir -p kept\ncd kept\ncd ..\nls -a kept | wc -l\nls = [3]\nprint(ls .pop(), ls in [[]])',
      '/work/kept\n/work\n2\n3 True',
    ],
    ['x = %sx echo lines\nprint(x)', "['lines']"],
    ['%alias_magic where pwd\ny = %where\nprint(y)', '/work'],
    ['%prun -q sum([1])\nprint("profiled")', 'profiled'],
    ['%%latex\n$x$', ''],
    [
      'from IPython.display import Image, Math, clear_output, IFrame, FileLink, Code, Audio, DisplayHandle\nprint(Code("a = 1"))',
      'a = 1',
    ],
    [
      'from IPython.display import display\nh = display(1, display_id=True)\nh.update(2)\nprint(type(h).__name__)',
      'DisplayHandle',
    ],
    [
      'from IPython.core.magic import register_line_magic\n@register_line_magic\ndef shout(line):\n    return line.upper()\nz = %shout hi\nprint(z)',
      'HI',
    ],
    [
      'from IPython.utils.capture import capture_output\nwith capture_output() as c:\n    print("c")\nprint(repr(c.stdout))',
      "'c\\n'",
    ],
    [
      'from IPython import get_ipython\nimport IPython\nprint(get_ipython() is not None, IPython.version_info[0] > 0)',
      'True True',
    ],
    ['import getpass\nprint(getpass.getuser())', 'sandbox'],
    ['import matplotlib.pyplot as plt\nplt.ion(); plt.plot([1, 2]); plt.ioff()\nprint("drawn")', 'drawn'],
    ['import asyncio\nasync def five():\n    return 5\nt = asyncio.create_task(five())', ''],
    ['print(await t)', '5'],
  ])('%j', async (code, answer) => {
    const found = await said(code)
    if (typeof answer === 'string') expect(found).toBe(answer)
    else expect(found).toMatch(answer)
  })

  it('clear and update what a cell has shown', async () => {
    const shows = async (code: string) =>
      (await run(`from IPython.display import *\n${code}`)).outputs.map(output =>
        output.type === 'stream' ? output.text : 'data' in output ? (output.data['text/plain'] ?? '') : output.type,
      )
    expect(await shows('print(1)\nclear_output()\nprint(2)')).toEqual(['2\n'])
    expect(await shows('for i in range(50):\n    clear_output(wait=True)\n    print(i)')).toEqual(['49\n'])
    expect(await shows('print(1)\nclear_output(wait=True)')).toEqual(['1\n'])
    expect(await shows('h = display("a", display_id=True)\nprint("b")\nh.update("c")')).toEqual(["'c'", 'b\n'])
    expect(await shows('display(1, display_id="n")\nupdate_display(2, display_id="n")\nNone')).toEqual(['2'])
    expect(await shows('h.update("later")')).toEqual(["'later'"])
    expect(await shows('for i in ProgressBar(3): pass')).toEqual([`[${'='.repeat(60)}] 3/3`])
    expect(await shows('print(1)\ndisplay(2, clear=True)')).toEqual(['2'])
    expect(await shows('display(display_id="place")\nprint(1)')).toEqual(['', '1\n'])
    expect(await shows('update_display(1)')).toEqual(['error'])
    expect(
      await shows(
        'import matplotlib.pyplot as plt\nfor i in range(3):\n    clear_output(True); plt.plot([i]); plt.show()',
      ),
    ).toHaveLength(1)
    expect(await shows('import sys\nprint("a"); print("b", file=sys.stderr); clear_output(); print("c")')).toEqual([
      'c\n',
    ])
  })

  it('measure time and give the value on', async () => {
    expect(await said('%timeit -n 2 -r 3 sum(range(10))')).toMatch(
      /^[\d.]+ [µnm]?s ± .* per loop \(mean ± std\. dev\. of 3 runs, 2 loops each\)$/,
    )
    expect(await said('%%timeit -n 1 -r 1 data = [1]\nsum(data)')).toMatch(/1 run, 1 loop each/)
    const timed = await run('%time y = 6 * 7')
    expect(timed.stdout).toMatch(/^CPU times: user .*\nWall time: /)
    expect((await run('%%time\ny')).outputs).toMatchObject([{}, { type: 'result', data: { 'text/plain': '42' } }])
    expect((await run('%pwd')).outputs).toMatchObject([{ type: 'result', data: { 'text/plain': "'/work'" } }])
  })

  it('keep the numbers of lines, and leave a mistake a mistake', async () => {
    expect((await run('%matplotlib inline\n!true\n1 / 0')).error).toMatchObject({ name: 'ZeroDivisionError', line: 3 })
    expect((await run('%%time\n\n1 / 0')).error).toMatchObject({ name: 'ZeroDivisionError', line: 3 })
    expect((await run('x = 1\nf(:, 1)')).error).toMatchObject({ kind: 'syntax', line: 2 })
  })
})

describe('what IPython keeps of earlier cells', () => {
  it('is at hand: inputs, results, and every value of a cell where that is asked for', async () => {
    const arena = await Arena.open()
    const sandbox = await arena.sandbox()
    const run = (code: string) => runIn(sandbox, 'python', code)
    await run('1 + 1')
    await run('3 + 3')
    expect((await run('print(_, __, sorted(Out.values()), In[1])')).stdout).toBe('6 2 [2, 6] 1 + 1\n')
    expect((await run('%history')).stdout).toMatch(/^1 \+ 1\n3 \+ 3\nprint/)
    const drawn = await run('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.title("shown first")')
    expect(drawn.outputs.map(output => output.type)).toEqual(['result', 'display'])
    await run(
      'from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.ast_node_interactivity = "all"',
    )
    const { outputs } = await run('1\n2')
    expect(outputs.map(output => output.type)).toEqual(['display', 'result'])
    expect((await runIn(sandbox, 'python', 'pass')).stateChanges).toEqual({ created: [], changed: [], removed: [] })
    await sandbox.close('manual')
    await arena.close()
  })
})

describe('the variables of a run', () => {
  it('are told: made, changed and removed', async () => {
    const arena = await Arena.open()
    const sandbox = await arena.sandbox()
    const changes = async (code: string) => (await runIn(sandbox, 'python', code)).stateChanges
    expect(await changes('a = 1; b = [1]; c = {"k": 1}; gone = 1; import os')).toEqual({
      created: ['a', 'b', 'c', 'gone'],
      changed: [],
      removed: [],
    })
    expect(await changes('a = 2; b.append(2); c["k"] = 2; d = 1; del gone')).toEqual({
      created: ['d'],
      changed: ['a', 'b', 'c'],
      removed: ['gone'],
    })
    expect(await changes('print(a, b, c)')).toEqual({ created: [], changed: [], removed: [] })
    expect(
      await changes('import numpy as np, pandas as pd\nframe = pd.DataFrame({"x": [1]}); field = np.zeros(3)'),
    ).toMatchObject({ created: ['field', 'frame'] })
    expect(await changes('frame["y"] = 2; field[1] = 5')).toMatchObject({ changed: ['field', 'frame'] })
    await sandbox.close('manual')
    await arena.close()
  })
})

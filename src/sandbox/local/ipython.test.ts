import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../sandbox.ts'
import { runIn } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

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
/** What a cell comes to, as text, or its error. */
const comesTo = async (code: string) => {
  const { outputs, stdout, error } = await run(code)
  if (error) return `${error.name}: ${error.message}`
  const shown = outputs.flatMap(output => ('data' in output ? [output.data['text/plain']] : []))
  return `${stdout}${shown.join('\n')}`
}

const cases: Record<string, readonly (readonly [code: string, comesTo: string | RegExp])[]> = {
  'earlier cells are at hand by name and number': [
    ['6 * 7', '42'],
    ['_i', "'6 * 7'"],
    ['get_ipython().execution_count > 1, _ih is In, _oh is Out, _dh', "(True, True, True, ['/work'])"],
    ['seven = 7', ''],
    ['print(seven)', '7\n'],
    ['%macro -q again 5', ''],
    ['again', '7\n'],
    ['%rerun 1', /=== Executing: ===\n6 \* 7\n=== Output: ===\n42$/],
    ['%recall 1', '6 * 7\n\n'],
    ['%save -f saved 1\n%run saved.py', /^The following commands/],
    ['%history -n 1', '   1: 6 * 7\n'],
  ],
  'a variable that is stored is there again': [
    ['kept = [1]\n%store kept\ndel kept\n%store -r kept\nkept', "Stored 'kept' (list)\n[1]"],
  ],
  'settings change what results look like': [
    ['%precision 2\nfrom math import pi\npi', '3.14'],
    ['%precision\npi', '3.141592653589793'],
    ['%pylab inline\nlinspace(0, 1, 2).tolist(), plt is pyplot', /\(\[0\.0, 1\.0\], True\)$/],
    ['figsize(4, 5)\nrcParams["figure.figsize"], getfigs()', '([4.0, 5.0], [])'],
    ['drawn = figure(7)\nfound = getfigs() == getfigs(7, 8) == [drawn]\nclose("all")\nfound', 'True'],
    ['%config InteractiveShell.ast_node_interactivity = "last_expr_or_assign"', ''],
    ['assigned = 5', '5'],
    ['%config InteractiveShell.ast_node_interactivity = "last_expr"', ''],
  ],
  'values are shown as they say they want to be': [
    [
      'from IPython.core.formatters import BaseFormatter\nclass Own(BaseFormatter): pass\nOwn(parent=get_ipython()).format_type',
      "'text/plain'",
    ],
    ['{"b": int, "a": {2, 1}}', "{'b': int, 'a': {1, 2}}"],
    ['list(range(30))', `[${Array.from({ length: 30 }, (_, at) => at).join(',\n ')}]`],
    ['class P:\n    def _repr_pretty_(self, p, cycle): p.text("pretty")\n[P()]', '[pretty]'],
    ['class I:\n    def _ipython_display_(self): print("drawn")\nI()', 'drawn\n'],
    ['class B:\n    def _repr_mimebundle_(self, include, exclude): return {"text/plain": "whole"}\nB()', 'whole'],
    ['loop = []; loop.append(loop); loop', '[[...]]'],
    ['len(list(range(10**6)).__repr__()) > 10**6 and list(range(1002))', /999,\n \.\.\.\]$/],
    [
      'plain = get_ipython().display_formatter.formatters["text/plain"]\nclass Q: pass\nplain.for_type(Q, lambda q, p, cycle: p.text("of a library"))\nQ()',
      'of a library',
    ],
    ['import sympy\nsympy.init_printing()\nsympy.Symbol("x") ** 2', /^ *2/],
  ],
  'objects of IPython.display': [
    ['from IPython.display import *\nopen("a.svg", "w").write("<svg/>")\nSVG(filename="a.svg").data', "'<svg/>'"],
    ['HTML("<b>x</b>")', '<IPython.core.display.HTML object>'],
    ['HTML(data="<b>x</b>", metadata={"a": 1})._repr_html_()', "('<b>x</b>', {'a': 1})"],
    ['JSON({"a": 1}, expanded=True).data', "{'a': 1}"],
    ['Latex("$x$")._repr_latex_(), Markdown("*x*")._repr_markdown_()', "('$x$', '*x*')"],
    ['display(HTML("x"), include=["text/plain"])', '<IPython.core.display.HTML object>'],
  ],
  'magics that notebooks define': [
    [
      'from IPython.core.magic import *\nfrom IPython.core.magic_arguments import *\n@magics_class\nclass M(Magics):\n    @line_cell_magic\n    def both(self, line, cell=None): return line, cell\n    @magic_arguments()\n    @argument("-n", type=int, default=1)\n    @line_magic\n    def counted(self, line): return parse_argstring(self.counted, line).n\nget_ipython().register_magics(M)',
      '',
    ],
    ['%both a', "('a', None)"],
    ['word = "here"\n%both $word {word}', "('here here', None)"],
    ['%%both $word\nb', "('here', 'b\\n')"],
    ['%%both a\nb', "('a', 'b\\n')"],
    ['%counted -n 3', '3'],
    ['%counted --other', /^UsageError: /],
    ['@register_cell_magic("named")\ndef other(line, cell): return cell.upper()', ''],
    ['%%named\nabc', "'ABC\\n'"],
    [
      'open("extended.py", "w").write("def load_ipython_extension(ip):\\n    ip.push({\'extended\': 1})")\n%load_ext extended\nextended',
      '1',
    ],
  ],
  'the shell': [
    ['get_ipython().__class__.__name__', "'ZMQInteractiveShell'"],
    ['from IPython.core.interactiveshell import InteractiveShell\nisinstance(get_ipython(), InteractiveShell)', 'True'],
    ['found = get_ipython().run_cell("left = 3\\nleft")\nfound.result, found.success, left', '3\n(3, True, 3)'],
    ['get_ipython().run_cell("1 / 0").success', 'False'],
    ['get_ipython().ev("left + 1")', '4'],
    [
      'get_ipython().set_custom_exc((KeyError,), lambda shell, kind, error, tb, tb_offset: print("caught", error))\n{}[1]',
      'caught 1\n',
    ],
    ['get_ipython().set_custom_exc((), None)\n{}[1]', 'KeyError: 1'],
    ['get_ipython().events.register("post_run_cell", lambda result: print("after"))', 'after\n'],
    ['get_ipython().events.callbacks["post_run_cell"].clear()', ''],
    [
      'kernel = get_ipython().kernel\nkernel.session.send(kernel.iopub_socket, "display_data", {"data": {"text/plain": "by message"}})',
      'by message',
    ],
    ['from ipykernel.comm import Comm\nComm("target", data={}).send({})', ''],
    [
      'asked = get_ipython().parent_header\nasked["content"]["code"].split()[0], asked["msg_type"], list(asked), list(asked["header"])',
      "('asked',\n 'execute_request',\n ['header',\n  'msg_id',\n  'msg_type',\n  'parent_header',\n  'metadata',\n  'content',\n  'buffers'],\n ['msg_id', 'msg_type', 'username', 'session', 'date', 'version'])",
    ],
    [
      'now = kernel.get_parent()\nnow is get_ipython().parent_header is get_ipython().get_parent() is kernel._parent_header, now["header"]["session"] == kernel.session.session',
      '(True, True)',
    ],
    [
      'now["msg_id"] == now["header"]["msg_id"] != asked["msg_id"], now["header"]["date"] >= asked["header"]["date"], kernel.get_parent("control")',
      '(True, True, {})',
    ],
    [
      'import json\nkernel.session.send(kernel.iopub_socket, "display_data", {"data": {"text/plain": "answered"}}, parent=get_ipython().parent_header)\njson.dumps(now, default=str)[:10]',
      'answered\n\'{"header":\'',
    ],
  ],
  'notebooks that are loaded as modules': [
    [
      'import types\nshell, made = get_ipython(), types.ModuleType("made")\nbefore, shell.user_ns = shell.user_ns, made.__dict__\ntry:\n    exec(shell.input_transformer_manager.transform_cell("!echo $__name__\\nlisted = !echo 1"), made.__dict__)\n    shell.push({"pushed": 2})\nfinally:\n    shell.user_ns = before\nmade.listed, made.pushed, "pushed" in globals(), shell.user_ns is globals()',
      "made\n(['1'], 2, False, True)",
    ],
    ['shell.kernel.execution_count == shell.execution_count, shell.kernel.user_ns is shell.user_ns', '(True, True)'],
  ],
  figures: [
    ['from matplotlib_inline.backend_inline import set_matplotlib_formats\nset_matplotlib_formats("svg", "pdf")', ''],
    [
      'from IPython.core.pylabtools import print_figure\nfrom matplotlib.figure import Figure\nprint_figure(Figure())[:4], print_figure(Figure(), "svg")[:5], print_figure(Figure(), base64=True)[:6]',
      "(b'\\x89PNG', '<?xml', 'iVBORw')",
    ],
    ['from IPython import embed\nembed()', /^InputNotAvailable/],
  ],
  'the package itself': [
    ['import ipykernel\nipykernel.version_info > (5,)', 'True'],
    // Where the environment has none, there is no place to name.
    [
      'import IPython, os\n[os.path.dirname(IPython.__file__)] == IPython.__path__ if IPython.__path__ else True',
      'True',
    ],
  ],
  'shell lines': [
    ['def f(inner):\n    x = !echo $inner {inner + 1}\n    return x\nf(5)', "['5 6']"],
    [
      'found = !printf "b 2\\na 1\\n"\nfound.sort(), found.grep("b"), found.fields(1)',
      "(['a 1', 'b 2'], ['b 2'], ['2', '1'])",
    ],
    ['!echo {{left}}', '{left}\n'],
    ['%%script --out said bash\necho out', ''],
    ['said', "'out\\n'"],
    ['%%bash --err wrong\necho shown\necho kept >&2', 'shown\n'],
    ['%%bash --bg --out lines --proc done\nprintf "one\\ntwo\\nthree"', ''],
    [
      'lines.readline(), await lines.readline(), lines.read(), done.returncode, wrong',
      "(b'one\\n', b'two\\n', b'three', 0, 'kept\\n')",
    ],
    ['%%bash --bg --out lines\nprintf "one\\ntwo"', ''],
    ['[line async for line in lines]', "[b'one\\n', b'two']"],
    ['%%script nosuchprogram --out none\nx', "Couldn't find program: 'nosuchprogram'\n"],
    ['none', "''"],
    ['%%!\necho first', "['first']"],
    ['%%time\n%%bash\necho nested', /^nested\nCPU times/],
    ['pwd', "'/work'"],
    ['pwd = 3\npwd', '3'],
    ['%cd /tmp\n%cd -', '/tmp\n/work\n'],
  ],
  'help and errors are texts': [
    ['?', /^Line magics:/],
    [
      'try: 1 / 0\nexcept Exception as error: print(get_ipython().InteractiveTB.text(type(error), error, error.__traceback__))',
      /^Traceback [^\n]*\n {2}File "<cell \d+>"[\s\S]*ZeroDivisionError: division by zero/,
    ],
    ['1 / 0', /^ZeroDivisionError/],
    ['%tb', /^Traceback [^\n]*\n {2}File "<cell \d+>"[\s\S]*ZeroDivisionError: division by zero/],
  ],
  'what is imported from the future holds for the cells after it': [
    ['def early(x: unknown): pass', /^NameError/],
    ['from __future__ import annotations', ''],
    ['def late(x: unknown): pass\nlate.__annotations__', "{'x': 'unknown'}"],
  ],
  'modules of the notebook that change are loaded anew': [
    [
      '%%writefile shock.py\ndef size(): return 100\nimport enum\nclass Kind(enum.Enum): LOAN = 1\nclass Book:\n    name = "first"\n    def total(self): return 1\n    def gone(self): pass',
      'Writing shock.py\n',
    ],
    ['import shock\nfrom shock import size, Book\nbook = Book()\nsize()', '100'],
    ['%load_ext autoreload\n%autoreload 2', ''],
    [
      '%%writefile shock.py\ndef size(): return 2000\nimport enum\nclass Kind(enum.Enum): BOND = 2\nclass Book:\n    name = "second"\n    def total(self): return 22\n    def fresh(self): return super().__hash__() and 1',
      'Overwriting shock.py\n',
    ],
    ['size(), shock.size(), book.total(), book.name, hasattr(book, "gone")', "(2000, 2000, 22, 'second', False)"],
    ['%%writefile shock.py\ndef size( return', 'Overwriting shock.py\n'],
    ['size()', '2000'],
    ['%autoreload off', ''],
    ['%%writefile shock.py\ndef size(): return 30000', 'Overwriting shock.py\n'],
    ['size()', '2000'],
    ['%autoreload now', ''],
    ['size()', '30000'],
    ['%autoreload 1\n%aimport -shock\nopen("shock.py", "a").write("# more\\n")', '7'],
    ['%aimport colorsys\ncolorsys.__name__', "'colorsys'"],
    ['%autoreload sometimes', /^UsageError: %autoreload takes now, off, explicit or all/],
  ],
  'files that are run': [
    ['%%file own.py\nimport sys\nmade = __name__, sys.argv[1:]', 'Writing own.py\n'],
    ['%run own.py a -b', ''],
    ['made', "('__main__', ['a', '-b'])"],
    ['%run -n own.py\nmade', "('own', [])"],
    ['base = 2\nopen("uses.py", "w").write("base += 1")\n%run -i uses.py\nbase', '3'],
    ['base_two = 1\n%reset_selective -f ^base_\n"base" in globals(), "base_two" in globals()', '(True, False)'],
  ],
}

describe.each(Object.entries(cases))('as in IPython: %s', (_, steps) => {
  // The steps of a group build on each other.
  it('holds', async () => {
    for (const [code, answer] of steps) {
      const found = await comesTo(code)
      if (typeof answer === 'string') expect(found, code).toBe(answer)
      else expect(found, code).toMatch(answer)
    }
  })
})

describe('a cell that fails while a figure is open', () => {
  it('shows it, and leaves none to the next cell', async () => {
    const { outputs, error } = await run('import matplotlib.pyplot as plt\nplt.plot([1, 2])\n1 / 0')
    expect(error?.name).toBe('ZeroDivisionError')
    expect(outputs).toMatchObject([{ type: 'display', data: { 'image/png': expect.any(String) } }, { type: 'error' }])
    expect(await comesTo('plt.get_fignums()')).toBe('[]')
  })

  it('is told of its own error where the figure cannot be drawn', async () => {
    const { outputs, error } = await run('plt.title("$\\\\nonsense{$")\n1 / 0')
    expect(error?.name).toBe('ZeroDivisionError')
    expect(outputs).toMatchObject([{ type: 'error', error: { name: 'ZeroDivisionError' } }])
    expect(await comesTo('plt.get_fignums()')).toBe('[]')
  })
})

describe('what C code prints', () => {
  it('can be taken away and read by the cell, which goes on printing', async () => {
    const code = `import os
read, write = os.pipe()
before = os.dup(1)
os.dup2(write, 1)
print("to the notebook", flush=True)
os.write(1, b"from C")
os.dup2(before, 1)
print(os.read(read, 100))`
    expect(await comesTo(code)).toBe("to the notebook\nb'from C'\n")
  })
})

describe('results of earlier cells', () => {
  it('stay at hand, the last hundred of them', async () => {
    const own = await arena.sandbox()
    for (let cell = 1; cell <= 104; cell++) await runIn(own, 'python', cell % 2 ? `${cell}` : 'pass')
    const code =
      'print(list(Out) == list(range(5, 105, 2)), _103, "_3" in vars(__builtins__), "_5" in vars(__builtins__))'
    expect((await runIn(own, 'python', 'None')).success).toBe(true)
    expect((await runIn(own, 'python', `${code}\n0`)).stdout).toBe('True 103 False True\n')
    await own.close('manual')
  })
})

import type { Rule } from '../rule.ts'
import { sketch } from '../values.ts'
import { python } from './ask.ts'

/** Extensions that people load in their first cell, and what they do is known. */
const known =
  /^(autoreload|sql|tensorboard|tensorboard\.notebook|storemagic|line_profiler|memory_profiler|pyinstrument|snakeviz|watermark|dotenv|nb_black|lab_black|jupyter_black|blackcellmagic|pycodestyle_magic|google\.colab\.\w+|google\.cloud\.bigquery|rpy2\.ipython|cudf\.pandas|cuml\.accel|vegafusion|ipydex|jupyternotify|wurlitzer|heat|bigquery|duckdb|magic_duckdb|nb_js_diagrammers|manim|ipytest|rich|kedro\.ipython|mlflow)$/i

/** Rules about magics, the lines of a notebook that are no Python. */
export const notebookRules: readonly Rule[] = [
  {
    id: 'notebook/extension',
    languages: python,
    type: 'dynamic-import',
    severity: 'medium',
    cwe: 'CWE-829',
    description: 'Loads an extension into the interpreter, which runs it.',
    recommendation: 'Load extensions that are known, or import the module openly.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['%load_ext'],
      when: call => !known.test(sketch(call.args[0]) ?? '') || { severity: 'low' },
    },
    examples: { bad: ['%load_ext helper'], good: ['import helper'] },
  },
  {
    id: 'notebook/unknown-magic',
    languages: python,
    type: 'unparseable',
    severity: 'medium',
    cwe: 'CWE-1120',
    description: 'Uses an unknown magic, which may do anything with its arguments.',
    recommendation: 'Write it in Python.',
    implies: ['run'],
    match: { on: 'call', names: ['%unknown'] },
    examples: { bad: ['%%cython\ndef f(): pass', '%frobnicate all'], good: ['%precision 3', '%%time\nx = 1'] },
  },
]

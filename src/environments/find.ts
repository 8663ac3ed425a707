import { readdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { readSmallFile } from '../small-file.ts'

/** Where to look: the person's home folder and the variables that tools set. */
export interface Whereabouts {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

const most = 200

/** Folders that may be environments: where the usual tools put them, and those that are active. */
export async function candidates({ home, env }: Whereabouts): Promise<string[]> {
  const shelves = [
    join(home, '.virtualenvs'),
    join(home, '.venvs'),
    join(home, 'venvs'),
    join(home, '.local', 'share', 'virtualenvs'),
    join(home, '.pyenv', 'versions'),
    join(home, '.conda', 'envs'),
    ...distributions(home).map(each => join(each, 'envs')),
    ...(env.WORKON_HOME ? [env.WORKON_HOME] : []),
  ]
  const shelved = await Promise.all(
    shelves.map(async shelf => (await readdir(shelf).catch(() => [])).map(name => join(shelf, name))),
  )
  const single = [
    env.VIRTUAL_ENV,
    env.CONDA_PREFIX,
    join(home, '.venv'),
    ...distributions(home),
    ...(await condaList(home)),
  ].filter(each => each !== undefined)
  return [...new Set([...single, ...shelved.flat()])].filter(isAbsolute).slice(0, most)
}

const distributions = (home: string): string[] => [
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'].map(name => join(home, name)),
  '/opt/conda',
  '/opt/miniconda3',
]

/** Conda writes down every environment that it makes. */
async function condaList(home: string): Promise<string[]> {
  const text = (await readSmallFile(join(home, '.conda', 'environments.txt'), 100_000))?.toString('utf8') ?? ''
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
}

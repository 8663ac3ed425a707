// Style and types of everything, engine and renderer: what a change has to pass before its tests are worth running.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureNode24, ensurePackages, environment, root, typeChecker } from './ready.mjs'

ensurePackages()
await ensureNode24(process.argv[1], process.argv.slice(2))

const tools = [
  ['biome', 'check', '.'],
  [typeChecker, '-p', '.', '--noEmit'],
  [typeChecker, '-p', 'renderer', '--noEmit'],
]
const codes = await Promise.all(
  tools.map(
    ([command, ...args]) =>
      new Promise(resolve => {
        const tool = join(root, 'node_modules', '.bin', command)
        spawn(tool, args, { cwd: root, stdio: 'inherit', env: environment() }).on('close', code => resolve(code ?? 1))
      }),
  ),
)
process.exit(codes.every(code => code === 0) ? 0 : 1)

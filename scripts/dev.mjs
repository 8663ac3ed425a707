// `npm run dev`: the application with hot reload. Needs a display and an Electron binary.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureNode24, ensurePackages, environment, root } from './ready.mjs'

const args = process.argv.slice(2)
ensurePackages()
await ensureNode24(process.argv[1], args)
const flags = process.getuid?.() === 0 ? ['--noSandbox'] : []
const child = spawn(join(root, 'node_modules/.bin/electron-vite'), ['dev', ...flags, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: environment(),
})
child.on('exit', code => process.exit(code ?? 1))

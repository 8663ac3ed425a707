import { keepCompiledCode } from '../../code-cache.ts'

keepCompiledCode()
const { main } = await import('./main.ts')
const { guarded } = await import('./terminal.ts')

// A reader that closes early (`countersign rules | head`) is no error.
process.stdout.on('error', error => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  throw error
})

const controller = new AbortController()
process.on('SIGINT', () => {
  // The second Ctrl+C means it.
  if (controller.signal.aborted) process.exit(130)
  controller.abort()
})
process.on('SIGTERM', () => controller.abort())

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: guarded(process.stdout),
  stderr: guarded(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  signal: controller.signal,
})

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Language } from '../../contract/run.ts'
import type { Io } from './command.ts'

const extensions: Record<Language, string> = { python: 'py', javascript: 'js', typescript: 'ts', bash: 'sh' }

/** Opens the code in the editor that the environment names; null when that fails or nothing was saved. */
export async function editInEditor(code: string, language: Language, io: Io): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-edit-'))
  const file = join(folder, `program.${extensions[language]}`)
  try {
    writeFileSync(file, code, { mode: 0o600 })
    const editor = io.env.VISUAL || io.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi')
    // Through a shell, since the variable may hold options: `code --wait`. The file's name is ours and needs no care.
    const child = spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit', env: io.env, cwd: io.cwd })
    const status = await new Promise<number | null>(resolve => {
      child.on('error', () => resolve(null))
      child.on('exit', resolve)
    })
    if (status !== 0) io.stderr.write(`The editor (${editor}) did not end well; the code is as it was.\n`)
    return status === 0 ? readFileSync(file, 'utf8') : null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

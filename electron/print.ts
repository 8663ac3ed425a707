import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BrowserWindow, session } from 'electron'
import type { PrintPdf } from '../src/audit/audit.ts'
import { Failure } from '../src/contract/problem.ts'

/** Prints a page in a window that nobody sees: no script, nothing that it could load, no way to the application. */
export const printPdf: PrintPdf = async page => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-print-'))
  const file = join(folder, 'report.html')
  // A session of its own, in memory: the application's refuses files, and this one knows only this file.
  const apart = session.fromPartition(`print-${folder}`)
  apart.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: url !== pathToFileURL(file).href }))
  const window = new BrowserWindow({
    show: false,
    webPreferences: {
      session: apart,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      javascript: false,
    },
  })
  try {
    // From a file, since an address that holds the page itself may be two megabytes long and no longer.
    writeFileSync(file, page, { mode: 0o600 })
    await window.loadFile(file)
    // The page brings its own paper size, margins, headers and numbers.
    return await window.webContents.printToPDF({
      preferCSSPageSize: true,
      printBackground: true,
      generateTaggedPDF: true,
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Failure('report.print-failed', `The PDF could not be printed: ${why}`, 'Save the report as HTML instead.')
  } finally {
    window.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}

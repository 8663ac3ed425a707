/** What the parts of `npm test` found, added up. */
export const newTotal = () => ({ passed: 0, failed: [], skipped: [], files: [] })

/** Adds what a runner wrote. One that died has written nothing: that is a failure, not nothing. */
export function addSummary(total, runner, read) {
  try {
    const { passed, failed, skipped, files } = read()
    total.passed += passed
    total.failed.push(...failed)
    total.skipped.push(...skipped)
    total.files.push(...files)
    if (passed + failed.length + skipped.length === 0) total.failed.push(`${runner} ran no test`)
  } catch (error) {
    total.failed.push(`${runner} did not finish: ${error.message}`)
  }
}

const shown = 10

export function printTotal(total, seconds, write = text => process.stdout.write(text)) {
  const slowest = [...total.files].sort((a, b) => b.ms - a.ms).slice(0, shown)
  if (slowest.length > 0) write(`\nslowest files:\n`)
  for (const { file, ms } of slowest) write(`  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}\n`)
  write('\n')
  for (const name of total.failed) write(`failed: ${name}\n`)
  for (const { name, reason } of total.skipped) write(`skipped: ${name}: ${reason || 'no reason given'}\n`)
  const { passed, failed, skipped } = total
  write(`${passed} passed, ${failed.length} failed, ${skipped.length} skipped, ${seconds.toFixed(0)} s\n`)
}

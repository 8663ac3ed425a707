import { writeFileSync } from 'node:fs'

/** Writes what `npm test` adds up: how many passed, what failed, what was skipped with its reason, and how long each file took. */
export default class Summary {
  onTestRunEnd(modules, errors) {
    const summary = { passed: 0, failed: [], skipped: [], files: [] }
    for (const module of modules) {
      const { collectDuration, duration, environmentSetupDuration, prepareDuration } = module.diagnostic()
      const ms = collectDuration + duration + environmentSetupDuration + prepareDuration
      summary.files.push({ file: module.relativeModuleId, ms })
      for (const test of module.children.allTests()) {
        const { state, note } = test.result()
        const name = `${module.relativeModuleId} › ${test.fullName}`
        if (state === 'passed') summary.passed++
        else if (state === 'skipped') summary.skipped.push({ name, reason: note ?? '' })
        else summary.failed.push(name)
      }
      // A file that cannot be loaded has no tests and would otherwise count as nothing.
      if (module.errors().length > 0) summary.failed.push(module.relativeModuleId)
    }
    for (const error of errors) summary.failed.push(`unhandled: ${error.message}`)
    writeFileSync(process.env.COUNTERSIGN_SUMMARY, JSON.stringify(summary))
  }
}

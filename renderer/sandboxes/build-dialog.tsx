import { useState } from 'react'
import { BuildImage, type ImageSource, imageSources } from '../../src/contract/images.ts'
import type { SandboxKind } from '../../src/contract/run.ts'
import { PackageName, TemplateName } from '../../src/contract/templates.ts'
import { sandboxWords } from '../review/words.ts'
import { client } from '../state/connection.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './sandboxes.module.css'
import { packagesIn, sourceWords } from './words.ts'

/** What the image is to have; the last choice stands there again. */
export function BuildDialog({
  from,
  kinds,
  onClose,
}: {
  from: Partial<BuildImage>
  kinds: readonly SandboxKind[]
  onClose(): void
}) {
  const [kind, setKind] = useState<SandboxKind>(from.kind ?? kinds[0] ?? 'docker')
  const [template, setTemplate] = useState(from.template ?? 'default')
  const [packages, setPackages] = useState((from.packages ?? []).join('\n'))
  const [source, setSource] = useState<ImageSource | ''>(from.source ?? '')
  const [fresh, setFresh] = useState(from.fresh ?? false)
  const [busy, setBusy] = useState(false)
  const names = packagesIn(packages)
  const wrong = wrongIn(template, names)
  const build = () => {
    setBusy(true)
    client.sandboxes
      .build(BuildImage.parse({ kind, template, packages: names, source: source || null, fresh }))
      .then(onClose)
      .catch(showProblem)
      .finally(() => setBusy(false))
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Build an image"
      description="Debian with Python, numpy, pandas, scipy, matplotlib, openpyxl, Deno and Bash, and what you add."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={build} busy={busy} disabled={wrong !== null}>
            Build
          </Button>
        </>
      }
    >
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          if (!wrong) build()
        }}
      >
        {kinds.length > 1 && (
          <label>
            Kind of sandbox
            <select value={kind} onChange={event => setKind(event.target.value as SandboxKind)}>
              {kinds.map(each => (
                <option key={each} value={each}>
                  {sandboxWords[each]}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Name of the template
          <input value={template} onChange={event => setTemplate(event.target.value.trim())} spellCheck={false} />
          <small>“default” is what new paths get, unless the settings name another.</small>
        </label>
        <label>
          More Debian packages
          <textarea
            rows={3}
            value={packages}
            placeholder="python3-sklearn python3-statsmodels"
            onChange={event => setPackages(event.target.value)}
            spellCheck={false}
          />
          <small>{wrong ?? 'By spaces or lines. Nothing can be installed from inside a sandbox.'}</small>
        </label>
        <label>
          Where it comes from
          <select value={source} onChange={event => setSource(event.target.value as ImageSource | '')}>
            <option value="">The first that can be had</option>
            {imageSources.map(each => (
              <option key={each} value={each}>
                {capital(sourceWords[each])}
              </option>
            ))}
          </select>
        </label>
        <label className={styles.check}>
          <input type="checkbox" checked={fresh} onChange={event => setFresh(event.target.checked)} />
          Fetch Debian anew, with its security updates
        </label>
      </form>
    </Dialog>
  )
}

function wrongIn(template: string, names: readonly string[]): string | null {
  const name = TemplateName.safeParse(template)
  if (!name.success) return `The name: ${name.error.issues[0]?.message}`
  const bad = names.find(each => !PackageName.safeParse(each).success)
  return bad ? `“${bad}” is not the name of a Debian package.` : null
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

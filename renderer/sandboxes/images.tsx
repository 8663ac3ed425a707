import { useQuery } from '@tanstack/react-query'
import { Hammer, Layers, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { BuildImage, ImageInfo, ImagesOf } from '../../src/contract/images.ts'
import { bytes } from '../inspector/format.ts'
import { sandboxWords, when } from '../review/words.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import { BuildDialog } from './build-dialog.tsx'
import { Building } from './building.tsx'
import styles from './sandboxes.module.css'
import { Section } from './section.tsx'
import { sourceWords } from './words.ts'

/** What containers and virtual machines are made from. */
export function Images() {
  const images = useQuery({ ...rpc.sandboxes.images.queryOptions(), staleTime: 0 })
  const building = useQuery(rpc.sandboxes.building.queryOptions()).data ?? null
  const [asked, setAsked] = useState<Partial<BuildImage> | null>(null)
  const [removing, setRemoving] = useState<ImageInfo | null>(null)
  const isBusy = building?.state === 'running'
  const kinds = images.data ?? []
  const all = kinds.flatMap(each => each.images)
  return (
    <Section
      title="Images and templates"
      lead="A template is an image with more packages. Its digest is part of what a reviewer signs, and of the record."
      actions={
        <Button
          look="primary"
          icon={<Hammer />}
          disabled={kinds.length === 0 || isBusy}
          onClick={() => setAsked(building?.request ?? {})}
        >
          Build an image
        </Button>
      }
    >
      {building && <Building key={building.startedAt} build={building} onAgain={() => setAsked(building.request)} />}
      {images.isError ? (
        <ProblemView error={images.error} onRetry={() => images.refetch()} />
      ) : !images.data ? (
        <Loading />
      ) : (
        <>
          {kinds.map(
            each => each.problem && <Unreachable key={each.kind} of={each} onRetry={() => images.refetch()} />,
          )}
          {all.length > 0 && (
            <div className={styles.scroll}>
              <table className={styles.table}>
                <thead>
                  <tr>
                    <th scope="col">Template</th>
                    <th scope="col">Kind</th>
                    <th scope="col">More packages</th>
                    <th scope="col">Digest</th>
                    <th scope="col" className={styles.number}>
                      Size
                    </th>
                    <th scope="col">Made</th>
                    <th scope="col">
                      <span className="visually-hidden">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {all.map(image => (
                    <Row
                      key={`${image.kind} ${image.name}`}
                      image={image}
                      isBusy={isBusy}
                      onAgain={() => setAsked({ ...image, fresh: true })}
                      onRemove={() => setRemoving(image)}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {all.length === 0 && kinds.every(each => each.problem === null) && (
            <Empty icon={<Layers />} small title="No image yet">
              <p>Containers need one. It is made here, from Debian packages, and takes a minute or two.</p>
            </Empty>
          )}
        </>
      )}
      {asked && <BuildDialog from={asked} kinds={kinds.map(each => each.kind)} onClose={() => setAsked(null)} />}
      {removing && <RemoveDialog image={removing} onClose={() => setRemoving(null)} />}
    </Section>
  )
}

function Row({
  image,
  isBusy,
  onAgain,
  onRemove,
}: {
  image: ImageInfo
  isBusy: boolean
  onAgain(): void
  onRemove(): void
}) {
  const { template, kind, packages, digest, bytes: size, createdAt, current, source } = image
  return (
    <tr className={current ? undefined : styles.old}>
      <td>
        <strong>{template}</strong>
        {!current && <small className={styles.note}>of another version, not used</small>}
      </td>
      <td>{sandboxWords[kind]}</td>
      <td className={styles.packages}>
        {packages.length > 0 ? packages.join(', ') : '–'}
        {source && <small className={styles.note}>from {sourceWords[source]}</small>}
      </td>
      <td>
        <button
          type="button"
          className={styles.digest}
          title={`${digest}: copy`}
          onClick={() =>
            void navigator.clipboard
              .writeText(digest)
              .then(() => showToast({ kind: 'good', text: 'The digest was copied.' }))
              .catch(showProblem)
          }
        >
          {digest.replace(/^sha256:/, '').slice(0, 12)}
        </button>
      </td>
      <td className={styles.number}>{bytes(size)}</td>
      <td>{when(createdAt)}</td>
      <td className={styles.actions}>
        <IconButton
          label={`Build ${template} again, with updates`}
          icon={<RotateCw />}
          disabled={isBusy}
          onClick={onAgain}
        />
        <IconButton label={`Remove ${template}`} icon={<Trash2 />} onClick={onRemove} />
      </td>
    </tr>
  )
}

function Unreachable({ of: { kind, problem }, onRetry }: { of: ImagesOf; onRetry(): void }) {
  return (
    <div className={styles.unreachable} role="status">
      <p>
        <strong>{sandboxWords[kind]}:</strong> {problem && <Words text={sentencesOf(problem)} />}
      </p>
      <Button onClick={onRetry}>Look again</Button>
    </div>
  )
}

function RemoveDialog({ image, onClose }: { image: ImageInfo; onClose(): void }) {
  const [busy, setBusy] = useState(false)
  const remove = () => {
    setBusy(true)
    client.sandboxes
      .removeImage({ kind: image.kind, name: image.name })
      .then(() => showToast({ kind: 'good', text: `The image ${image.template} is removed.` }))
      .catch(showProblem)
      .finally(onClose)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the image ${image.template}?`}
      description={`${bytes(image.bytes)} are freed. Paths that used it need it again for their next sandbox.`}
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            Keep it
          </Button>
          <Button look="danger" onClick={remove} busy={busy}>
            Remove the image
          </Button>
        </>
      }
    >
      <p>
        What ran in it stays on the record, with its digest. It can be made again, but need not get the same digest.
      </p>
    </Dialog>
  )
}

import { FileText } from 'lucide-react'
import { Frame } from '../output/frame/frame.tsx'
import { Empty } from '../ui/empty.tsx'
import { textActions } from './actions.ts'
import styles from './reports.module.css'

/** A report as it will look, in a locked page: code and output in it came from runs, and are trusted no more than those. */
export function Preview({ page }: { page: string | null }) {
  return (
    <div className={styles.preview}>
      {page === null ? (
        <Empty icon={<FileText />} title="No preview yet">
          <p>Choose what the report is about, then press Preview.</p>
        </Empty>
      ) : (
        <div className={styles.paper}>
          <Frame key={page} html={page} label="Preview of the report" scripts="ask" actions={textActions} />
        </div>
      )}
    </div>
  )
}

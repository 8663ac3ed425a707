import { CloudUsage } from '../cloud/usage.tsx'
import { Page } from '../ui/page.tsx'
import { Active } from './active.tsx'
import { Images } from './images.tsx'
import { Ready } from './ready.tsx'
import styles from './sandboxes.module.css'
import { Section } from './section.tsx'

/** Every sandbox of this machine: what is open, what is kept ready, and what they are made from. */
export default function Sandboxes() {
  return (
    <Page title="Sandboxes" subtitle="Where code runs now, over all conversations, and what it is made from." wide>
      <div className={styles.sections}>
        <Active />
        <Ready />
        <Section
          title="Cloud"
          lead="What sandboxes of the service have taken this month, and which paths may go there."
        >
          <CloudUsage />
        </Section>
        <Images />
      </div>
    </Page>
  )
}

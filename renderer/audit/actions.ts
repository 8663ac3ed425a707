import { download } from '../home/upload.ts'
import type { OutputActions } from '../output/actions.ts'
import { showToast } from '../state/toasts.ts'

/** What text and pages from the record may ask for. They are only looked at: nothing in them opens anything. */
export const textActions: OutputActions = {
  onOpenLink(url) {
    void navigator.clipboard.writeText(url)
    showToast({ kind: 'info', text: 'The address was copied.', hint: url })
  },
  onSave: download,
}

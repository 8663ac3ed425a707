import { Notification } from 'electron'
import type { Alert } from '../src/contract/alerts.ts'
import { reveal } from './window.ts'

/** Shows an alert as the system does; a click brings the window to the front, where the same alert stands. */
export function notify({ title, text, level }: Alert): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({ title, body: text, urgency: level === 'critical' ? 'critical' : 'normal' })
  notification.on('click', reveal)
  notification.show()
}

import { create } from 'zustand'
import type { Settings } from '../../src/contract/settings.ts'
import { setView } from '../state/view.ts'

export type Section = keyof Settings | 'models' | 'environments' | 'policy' | 'people'

/** Which part of the settings is in sight. */
export const useSection = create<{ section: Section }>(() => ({ section: 'appearance' }))

export const showSection = (section: Section): void => useSection.setState({ section })

/** Opens the settings at one of their parts, from anywhere. */
export function openSettings(section: Section): void {
  showSection(section)
  setView({ place: 'settings' })
}

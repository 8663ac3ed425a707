import { useCommand } from '../commands/commands.ts'
import { createConversation, importNotebook, openSample } from '../home/actions.ts'
import { client } from '../state/connection.ts'
import { places, setView, useView } from '../state/view.ts'
import { beginTour } from '../tour/tour.tsx'

/** Commands that are there wherever one is. */
export function useAppCommands(): void {
  const view = useView()
  useCommand('palette', () => setView({ dialog: 'palette' }))
  useCommand('search', () => setView({ dialog: 'search' }))
  useCommand('help.keys', () => setView({ dialog: 'keys' }))
  useCommand('help.doctor', () => setView({ dialog: 'doctor' }))
  useCommand('conversation.open', () => setView({ dialog: 'conversations' }))
  useCommand('conversation.new', createConversation)
  useCommand('conversation.template', () => setView({ dialog: 'templates' }))
  useCommand('bin', () => setView({ dialog: 'bin' }))
  useCommand('help.tour', beginTour)
  useCommand('conversation.sample', openSample)
  useCommand('conversation.import', importNotebook)
  useCommand('view.left', () => setView({ leftOpen: !view.leftOpen }))
  useCommand('view.right', () => setView({ rightOpen: !view.rightOpen }))
  useCommand('theme.toggle', toggleTheme)
  for (const place of places) {
    // biome-ignore lint/correctness/useHookAtTopLevel: `places` is a constant, so the hooks are the same every time
    useCommand(`view.${place}`, () => setView({ place }))
  }
}

async function toggleTheme(): Promise<void> {
  const dark = getComputedStyle(document.documentElement).colorScheme === 'dark' || isSystemDark()
  await client.settings.change({ appearance: { theme: dark ? 'light' : 'dark' } })
}

const isSystemDark = () => !document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches

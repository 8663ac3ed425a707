import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { type CommandId, commands } from '../src/contract/commands.ts'
import { runCommand } from './commands/commands.ts'
import { listenToKeys } from './commands/keyboard.ts'
import { Door } from './shell/door.tsx'
import { desktop } from './state/connection.ts'
import { followEvents } from './state/events.ts'
import { queryClient } from './state/queries.ts'
import { TooltipProvider } from './ui/tooltip.tsx'
import './ui/base.css'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')

listenToKeys(window)
// The native menu names the same commands.
desktop?.onCommand(id => Object.hasOwn(commands, id) && runCommand(id as CommandId))
void followEvents()

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <Door />
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
)

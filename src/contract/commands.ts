/**
 * Every command, once. The native menu, the palette, the keyboard and the help page are four views of this list; what
 * a command does stands where its subject is (`renderer/`), under the same id.
 */
export interface CommandInfo {
  readonly title: string
  readonly group: CommandGroup
  /** As VS Code writes them, `Mod` being Ctrl or ⌘. A single letter works only in command mode, on a selected cell. */
  readonly keys?: readonly string[]
  /** When the keys count: always, or only while a cell is selected and not being edited. */
  readonly when?: 'always' | 'command-mode'
  /** Only there in a browser: the desktop has no sessions. */
  readonly door?: 'browser'
}

export const commandGroups = ['File', 'Edit', 'View', 'Cell', 'Assistant', 'Path', 'Sandbox', 'Help'] as const
export type CommandGroup = (typeof commandGroups)[number]

export const commands = {
  'conversation.new': { title: 'New conversation', group: 'File', keys: ['Mod+N'] },
  'conversation.open': { title: 'Open conversation…', group: 'File', keys: ['Mod+O'] },
  'conversation.sample': { title: 'Open the sample conversation', group: 'File' },
  'conversation.rename': { title: 'Rename conversation…', group: 'File' },
  'conversation.duplicate': { title: 'Duplicate conversation', group: 'File' },
  'conversation.template': { title: 'New conversation from template…', group: 'File' },
  'conversation.template.save': { title: 'Save path as template', group: 'File' },
  bin: { title: 'Bin: restore what was deleted…', group: 'File' },
  'conversation.delete': { title: 'Delete conversation', group: 'File' },
  'conversation.import': { title: 'Import notebook…', group: 'File' },
  'conversation.export.ipynb': { title: 'Export conversation with all its paths as Jupyter notebook', group: 'File' },
  'path.export.ipynb': { title: 'Export path as Jupyter notebook', group: 'File' },
  'path.export.markdown': { title: 'Export path as Markdown', group: 'File' },
  'path.export.html': { title: 'Export path as HTML', group: 'File' },
  'path.export.pdf': { title: 'Export path as PDF', group: 'File' },
  'path.report': { title: 'Report of this path…', group: 'File' },

  'window.link': { title: 'Copy a link for another window', group: 'File', door: 'browser' },
  'window.end': { title: 'End the session of this window', group: 'File', door: 'browser' },
  'window.end.others': { title: 'End all other sessions', group: 'File', door: 'browser' },

  'edit.undo': { title: 'Undo', group: 'Edit', keys: ['Z'], when: 'command-mode' },
  'edit.redo': { title: 'Redo', group: 'Edit', keys: ['Shift+Z'], when: 'command-mode' },
  search: { title: 'Search everything…', group: 'Edit', keys: ['Mod+Shift+F'] },

  palette: { title: 'Command palette…', group: 'View', keys: ['Mod+Shift+P', 'Mod+K'] },
  'view.notebook': { title: 'Show notebook', group: 'View', keys: ['Mod+1'] },
  'view.analyses': { title: 'Run analysis…', group: 'View', keys: ['Mod+5'] },
  'view.workflows': { title: 'Show workflows', group: 'View', keys: ['Mod+6'] },
  'view.mcp': { title: 'Show MCP servers and assistants', group: 'View', keys: ['Mod+8'] },
  'view.review': { title: 'Show review queue', group: 'View', keys: ['Mod+2'] },
  'view.audit': { title: 'Show audit record', group: 'View', keys: ['Mod+3'] },
  'view.privacy': { title: 'Show privacy', group: 'View', keys: ['Mod+4'] },
  'view.sandboxes': { title: 'Show all sandboxes', group: 'View', keys: ['Mod+7'] },
  'view.settings': { title: 'Settings', group: 'View', keys: ['Mod+,'] },
  'view.left': { title: 'Show or hide the tree', group: 'View', keys: ['Mod+B'] },
  'view.right': { title: 'Show or hide the inspector', group: 'View', keys: ['Mod+Alt+B'] },
  'privacy.sending': { title: 'What would be sent of this', group: 'View' },
  'theme.toggle': { title: 'Switch between light and dark', group: 'View' },

  'cell.run': { title: 'Run cell and go to the next', group: 'Cell', keys: ['Shift+Enter'] },
  'cell.run.stay': { title: 'Run cell', group: 'Cell', keys: ['Mod+Enter'] },
  'cell.run.insert': { title: 'Run cell and insert below', group: 'Cell', keys: ['Alt+Enter'] },
  'cell.run.all': { title: 'Run all cells', group: 'Cell' },
  'cell.run.stale': { title: 'Run stale cells', group: 'Cell' },
  'cell.run.above': { title: 'Run all cells above', group: 'Cell' },
  'cell.run.here': { title: 'Run to here', group: 'Cell' },
  'cell.insert.above': { title: 'Insert cell above', group: 'Cell', keys: ['A'], when: 'command-mode' },
  'cell.insert.below': { title: 'Insert cell below', group: 'Cell', keys: ['B'], when: 'command-mode' },
  'cell.delete': { title: 'Delete cell', group: 'Cell', keys: ['D D'], when: 'command-mode' },
  'cell.markdown': { title: 'Make it Markdown', group: 'Cell', keys: ['M'], when: 'command-mode' },
  'cell.code': { title: 'Make it code', group: 'Cell', keys: ['Y'], when: 'command-mode' },
  'cell.up': { title: 'Move cell up', group: 'Cell', keys: ['Alt+ArrowUp'], when: 'command-mode' },
  'cell.down': { title: 'Move cell down', group: 'Cell', keys: ['Alt+ArrowDown'], when: 'command-mode' },
  'cell.fold': { title: 'Fold or unfold cell', group: 'Cell', keys: ['O'], when: 'command-mode' },
  'cell.format': { title: 'Format cell', group: 'Cell', keys: ['Shift+Alt+F'] },
  'figure.pin': { title: 'Pin a figure of this cell…', group: 'Cell', keys: ['P'], when: 'command-mode' },
  'cell.clear': { title: 'Clear output', group: 'Cell' },
  'cell.clear.all': { title: 'Clear all outputs', group: 'Cell' },
  'cell.select.next': { title: 'Select next cell', group: 'Cell', keys: ['ArrowDown', 'J'], when: 'command-mode' },
  'cell.select.previous': {
    title: 'Select previous cell',
    group: 'Cell',
    keys: ['ArrowUp', 'K'],
    when: 'command-mode',
  },
  'cell.edit': { title: 'Edit cell', group: 'Cell', keys: ['Enter'], when: 'command-mode' },

  'chat.ask': { title: 'Write a question', group: 'Assistant', keys: ['Mod+J'] },
  'chat.stop': { title: 'Stop the answer', group: 'Assistant' },
  'chat.goOn': { title: 'Go on with the answer', group: 'Assistant' },
  'chat.again': { title: 'Ask the last question again', group: 'Assistant' },
  'chat.models': { title: 'Set up models…', group: 'Assistant' },

  'path.branch': { title: 'Branch from here', group: 'Path', keys: ['Mod+Shift+B'] },
  'path.branch.state': { title: 'Branch from here with variables and files', group: 'Path' },
  'path.rename': { title: 'Rename path…', group: 'Path', keys: ['F2'] },
  'path.merge': { title: 'Merge path into another…', group: 'Path' },
  'path.compare': { title: 'Compare with another path…', group: 'Path' },
  'figures.show': { title: 'Show pinned figures', group: 'Path' },
  'figures.compare': { title: 'Compare pinned figures across paths…', group: 'Path' },
  'path.replay': { title: 'Replay path and compare', group: 'Path' },
  'path.archive': { title: 'Archive path', group: 'Path' },
  'path.delete': { title: 'Delete path', group: 'Path' },

  'sandbox.interrupt': { title: 'Interrupt', group: 'Sandbox', keys: ['I I'], when: 'command-mode' },
  'sandbox.restart': {
    title: 'Restart sandbox (drops variables)',
    group: 'Sandbox',
    keys: ['0 0'],
    when: 'command-mode',
  },
  'sandbox.restart.run': { title: 'Restart sandbox and run all', group: 'Sandbox' },

  'path.fetch': { title: 'Fetch official data…', group: 'Sandbox' },
  'sandbox.environment': { title: 'Choose Python environment…', group: 'Sandbox' },

  'help.tour': { title: 'Tour in five steps', group: 'Help' },
  'help.keys': { title: 'Keyboard shortcuts', group: 'Help', keys: ['Mod+/'] },
  'help.doctor': { title: 'What is installed here', group: 'Help' },
} as const satisfies Record<string, CommandInfo>

export type CommandId = keyof typeof commands

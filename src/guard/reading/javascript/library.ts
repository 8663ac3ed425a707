import { origin } from '../../model.ts'
import { text } from '../../values.ts'
import type { Library } from '../library.ts'
import { javaScriptCalls } from './calls.ts'
import { javaScriptMethods } from './methods.ts'
import { javaScriptOrigins } from './origins.ts'
import { canonicalJavaScript } from './spellings.ts'

export const javaScriptLibrary: Library = {
  aliases: new Map([
    ['global', 'globalThis'],
    ['exec', 'child_process.exec'],
    ['execSync', 'child_process.execSync'],
    ['spawn', 'child_process.spawn'],
    ['spawnSync', 'child_process.spawnSync'],
    ['execFile', 'child_process.execFile'],
    ['readFileSync', 'fs.readFileSync'],
    ['writeFileSync', 'fs.writeFileSync'],
    ['unlinkSync', 'fs.unlinkSync'],
    ['rmSync', 'fs.rmSync'],
  ]),
  builtins: new Set(),
  canonical: canonicalJavaScript,
  origins: javaScriptOrigins,
  constants: new Map([
    ['process.env.HOME', text('~', origin.environment)],
    ['process.env.USERPROFILE', text('~', origin.environment)],
    ['__dirname', text('.')],
    ['__filename', text('./program.js')],
    ['import.meta.dirname', text('.')],
    ['path.sep', text('/')],
    ['os.EOL', text('\n')],
    ['process.execPath', text('node')],
  ]),
  parameterOrigins: name => (/^(req|request|event|ctx|evt|query|params)$/.test(name) ? origin.request : 0),
  folds: javaScriptCalls,
  methods: javaScriptMethods,
  cleans: new Set([
    'parseInt',
    'parseFloat',
    'Number',
    'Boolean',
    'encodeURIComponent',
    'encodeURI',
    'DOMPurify.sanitize',
    'validator.escape',
    'escape',
    'escapeHtml',
    'sanitizeHtml',
    'he.encode',
    'lodash.escape',
    '_.escape',
    'path.basename',
    'mysql.escape',
    'isNaN',
    'Math.floor',
    'Math.round',
    '*.indexOf',
    '*.includes',
    '*.startsWith',
    '*.test',
    '*.digest',
    '*.match',
  ]),
  reaching: new Set(['child_process']),
  slashJoins: false,
}

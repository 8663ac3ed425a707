import { origin } from '../../model.ts'
import { text } from '../../values.ts'
import type { Library } from '../library.ts'
import { javaScriptCalls } from './calls.ts'
import { javaScriptMethods } from './methods.ts'
import { javaScriptOrigins } from './origins.ts'
import { canonicalJavaScript } from './spellings.ts'

/** `app.get`, `router.post`, `http.createServer`; a client has the same verbs and other names. */
const route =
  /^((?:[\w.]+\.)?(?:app|router|server|api|routes?)|express\(\)|express\.Router\(\)|fastify\(\)|polka\(\)|restify\.createServer\(\)|connect\(\))\.(get|post|put|patch|delete|del|all|use|options|head)$|^https?2?\.createServer$/

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
    ['chmodSync', 'fs.chmodSync'],
    ['appendFileSync', 'fs.appendFileSync'],
    ['execFileSync', 'child_process.execFileSync'],
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
  isRoute: name => route.test(name),
  isPowerful: name => /^(child_process|vm|process|module|worker_threads|process\.binding\(\))$/.test(name),
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

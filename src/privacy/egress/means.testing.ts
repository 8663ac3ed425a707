import ts from 'typescript'

/**
 * By what a file could send, start or write something: read from its syntax, and by what is known to be harmless, not
 * by what is known to be dangerous. A module that nobody has looked at yet counts as a way out.
 */
export function meansIn(file: string, text: string): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
  const means = new Set<string>()
  const visit = (node: ts.Node): void => {
    for (const found of [...loads(node), ...mentions(node)]) means.add(found)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...means].sort()
}

/** Modules that neither send nor start nor write anything by themselves. */
const harmless = new Set([
  ...['node:assert', 'node:async_hooks', 'node:buffer', 'node:console', 'node:constants', 'node:crypto'],
  ...['node:diagnostics_channel', 'node:events', 'node:module', 'node:os', 'node:path', 'node:path/posix'],
  ...['node:perf_hooks', 'node:punycode', 'node:querystring', 'node:stream', 'node:stream/promises'],
  ...[
    'node:readline',
    'node:stream/consumers',
    'node:string_decoder',
    'node:timers',
    'node:timers/promises',
    'node:tty',
    'node:url',
    'node:util',
    'node:v8',
  ],
  ...['node:zlib', 'zod', 'kysely', 'yaml', 'micromark', 'micromark-extension-gfm', 'libphonenumber-js', 'unbash'],
  ...['libphonenumber-js/max', 'libphonenumber-js/min', 'libphonenumber-js/core', 'web-tree-sitter', 'yazl'],
  ...[
    '@opentelemetry/api',
    '@opentelemetry/resources',
    '@orpc/contract',
    '@orpc/server',
    '@orpc/server/websocket',
    '@orpc/zod',
  ],
  ...[
    'react',
    'react-dom',
    'react-dom/client',
    'react/jsx-runtime',
    'zustand',
    'zustand/middleware',
    'cmdk',
    'radix-ui',
    'lucide-react',
  ],
  ...['react-resizable-panels', 'unified', 'remark-gfm', 'remark-parse', 'remark-rehype', 'hast-util-to-jsx-runtime'],
  ...['@tanstack/react-query', '@tanstack/react-virtual', '@orpc/tanstack-query', 'vega-interpreter', 'vega-lite'],
])
const harmlessFamilies = /^(?:@wasm-fmt\/|@fontsource|monaco-editor\/)/

/** What looks at files, or moves and removes them without a word of its own, of `node:fs` and `node:fs/promises`. */
const readers = new Set(
  'access accessSync constants createReadStream existsSync fstat fstatSync lstat lstatSync opendir readFile readFileSync readSync readdir readdirSync readlink readlinkSync realpath realpathSync stat statSync statfs Stats Dirent closeSync mkdir mkdirSync mkdtemp mkdtempSync rm rmSync rmdir rmdirSync unlink unlinkSync rename renameSync chmod chmodSync chown chownSync fsync fsyncSync FileHandle'.split(
    ' ',
  ),
)
const fileSystem = /^(?:node:)?fs(?:\/promises)?$/

/** Globals and members that reach out of the process, whatever they are a member of. */
const outward = new Set([
  ...['fetch', 'WebSocket', 'WebSocketStream', 'EventSource', 'XMLHttpRequest', 'WebTransport', 'RTCPeerConnection'],
  ...['BroadcastChannel', 'Notification', 'sendBeacon', 'clipboard', 'clipboardData', 'createObjectURL'],
  ...['openExternal', 'printToPDF', 'execCommand', 'showSaveFilePicker', 'serviceWorker', 'eval'],
  ...['dlopen', '_linkedBinding', 'mainModule', 'createRequire', 'importScripts', 'registerProtocolHandler'],
])
/** Only as a member of these: the words are used for other things, too. */
const outwardOf = new Map([
  ['binding', new Set(['process'])],
  ['open', new Set(['window', 'globalThis', 'self'])],
  ['print', new Set(['window', 'globalThis', 'self', 'webContents'])],
])
const globalObjects = new Set(['globalThis', 'global', 'self', 'window', 'process', 'navigator', 'top', 'parent'])
const onlyGlobal = new Set(['globalThis', 'global'])

/** Modules that a node loads at run time: imports, re-exports, `import()`, `require`; types are none. */
function loads(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node)) {
    const clause = node.importClause
    if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return []
    const named = clause?.namedBindings
    const names = clause && !clause.name && named && ts.isNamedImports(named) ? named.elements : null
    return judge(textOf(node.moduleSpecifier), names?.filter(each => !each.isTypeOnly).map(originalName))
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) {
    const names = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : null
    return judge(textOf(node.moduleSpecifier), names?.filter(each => !each.isTypeOnly).map(originalName))
  }
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
    return judge(textOf(node.moduleReference.expression), null)
  if (!ts.isCallExpression(node)) return []
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  if (!isImport && !/(?:^|\W)(?:require|getBuiltinModule)$/.test(node.expression.getText())) return []
  return judge(textOf(node.arguments[0]), destructuredNames(node))
}

const originalName = (each: ts.ImportSpecifier | ts.ExportSpecifier): string => (each.propertyName ?? each.name).text

/** The names in `const { a, b } = await import('…')`, or null when it is kept whole. */
function destructuredNames(call: ts.CallExpression): string[] | null {
  const holder = ts.isAwaitExpression(call.parent) ? call.parent.parent : call.parent
  if (!ts.isVariableDeclaration(holder) || !ts.isObjectBindingPattern(holder.name)) return null
  const names = holder.name.elements.map(each => (each.dotDotDotToken ? null : (each.propertyName ?? each.name)))
  return names.every(name => name !== null && ts.isIdentifier(name)) ? names.map(name => name?.getText() ?? '') : null
}

const textOf = (node: ts.Node | undefined): string | null => (node && ts.isStringLiteralLike(node) ? node.text : null)

function judge(module: string | null, names: readonly string[] | null | undefined): string[] {
  if (module === null) return ['a module that is known only at run time']
  if (names?.length === 0) return []
  if (/^\.{1,2}\//.test(module)) return []
  if (fileSystem.test(module)) {
    const writing = names?.filter(name => !readers.has(name))
    return writing ? writing.map(name => `fs ${name}`) : ['fs']
  }
  return harmless.has(module) || harmlessFamilies.test(module) ? [] : [module]
}

/** Globals and members by name, also under another name (`send = fetch`), computed, and taken apart. */
function mentions(node: ts.Node): string[] {
  if (ts.isElementAccessExpression(node)) {
    const name = textOf(node.argumentExpression)
    if (name !== null) return outward.has(name) ? [name] : []
    return globalObjects.has(node.expression.getText()) && !onlyGlobal.has(node.expression.getText())
      ? [`${node.expression.getText()}[…]`]
      : []
  }
  if (ts.isStringLiteralLike(node) && ts.isComputedPropertyName(node.parent) && outward.has(node.text))
    return [node.text]
  if (!ts.isIdentifier(node) || !isUse(node)) return []
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    const holder = parent.expression.getText().split('.').at(-1) ?? ''
    return outward.has(node.text) || outwardOf.get(node.text)?.has(holder) ? [node.text] : []
  }
  // The whole global object in hand is every way out at once.
  if (onlyGlobal.has(node.text) && !(ts.isPropertyAccessExpression(parent) && parent.expression === node))
    return [node.text]
  // `Function('…')` runs a text; as a member it is a word like any other.
  return outward.has(node.text) || node.text === 'Function' ? [node.text] : []
}

/** A use, and not a declaration, key or type of that name. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node
  const declares =
    ts.isPropertyAssignment(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isParameter(parent) ||
    ts.isJsxAttribute(parent) ||
    ts.isEnumMember(parent)
  if (declares && parent.name === node) return false
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false
  for (let above: ts.Node = parent; above; above = above.parent) {
    if (ts.isTypeNode(above) || ts.isInterfaceDeclaration(above) || ts.isTypeAliasDeclaration(above))
      return ts.isExpressionWithTypeArguments(above)
    if (ts.isStatement(above)) break
  }
  return true
}

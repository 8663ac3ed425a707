/** Other spellings of the same thing, so that rules need to know one. */
const spellings: readonly (readonly [string, string])[] = [
  ['globalThis.', ''],
  ['window.', ''],
  ['self.', ''],
  ['top.', ''],
  ['url.URL', 'URL'],
  ['fs/promises', 'fs.promises'],
  ['fs-extra', 'fs'],
  ['graceful-fs', 'fs'],
  ['fs.default', 'fs'],
  ['child_process.default', 'child_process'],
  ['process.mainModule.constructor._load', 'require'],
  ['process.mainModule.require', 'require'],
  ['module.constructor._load', 'require'],
  ['module.require', 'require'],
  ['module._load', 'require'],
  ['module.Module._load', 'require'],
  ['module.default._load', 'require'],
  ['module.default.createRequire', 'module.createRequire'],
  ['module.Module.createRequire', 'module.createRequire'],
  ['process.getBuiltinModule', 'require'],
  ['module().require', 'require'],
  ['this.process.', 'process.'],
  ['this.Deno.', 'Deno.'],
  ['this.Bun.', 'Bun.'],
  // `Function('return this')()` is where everything global is.
  ['Function()().', ''],
  ['execa.', 'execa.'],
  ['req.app.', 'app.'],
  ['request.default', 'request'],
]

export function canonicalJavaScript(name: string): string {
  // `(await import('fs')).default` is `fs`.
  let known = name.includes('.default') ? name.replace(/^([\w@/-]+)\.default(?=\.|$)/, '$1') : name
  for (let again = true; again; ) {
    again = false
    for (const [prefix, plain] of spellings) {
      if (known.startsWith(prefix) && prefix !== plain && known !== 'window.name') {
        known = plain + known.slice(prefix.length)
        again = plain === ''
        break
      }
    }
  }
  // Any function's constructor makes functions from text: `(() => {}).constructor`, `[].map.constructor`.
  if (/(^|\.)constructor\.constructor$/.test(known)) return 'Function'
  if (known === 'module.constructor') return 'module'
  // Every module that was loaded can load more: `require.main.require`, `module.children[0].require`.
  if (/^(module|require)\.[\w.[\]]+\.require$/.test(known)) return 'require'
  if (known.endsWith('.constructor') && !/^(Object|Array|String|~)/.test(known)) return 'Function'
  if (/^(Object|Array|String)\.constructor$/.test(known)) return 'Function'
  return known.replace(/\.prototype\.(call|apply|bind)$/, '.$1')
}

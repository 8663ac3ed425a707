import type { Value } from '../../model.ts'
import { textOf, thing } from '../../values.ts'
import type { Fold } from '../library.ts'

export const imported: Fold = ({ args, named: given, imported: note }) => {
  const name = args[0] ?? given.get('name') ?? given.get('mod_name')
  const module = textOf(name)
  return module === null ? thing('?module', name?.origins ?? 0) : note(module)
}

/** `eval('os')` is the module: a text that is only a name is worth what the name is worth. */
export const named: Fold = ({ args, member }) => {
  const written = textOf(args[0])?.trim()
  if (written === undefined || !/^[A-Za-z_]\w*(\.\w+)*$/.test(written)) return null
  return written.split('.').reduce(member, thing('builtins') as Value)
}

/** `pkgutil.resolve_name('os:system')`. */
export const resolved: Fold = ({ args, member, imported: note }) => {
  const [module, ...rest] = textOf(args[0])?.split(/[.:]/) ?? []
  return module === undefined ? null : rest.reduce(member, note(module))
}

/** `vars(os).get('system')`, `sys.modules.get('os')`: what is in a module by its name. */
export const inModule: Fold = ({ args, receiver, member }) => {
  const name = textOf(args.at(-1))
  return name !== null && receiver?.kind === 'thing' && powerful.test(receiver.name) ? member(receiver, name) : null
}
/** Modules through which a program reaches beyond itself. */
export const powerful = /^(os|sys|sys\.modules|subprocess|shutil|builtins|socket|importlib|ctypes|pty)$/

/** The module that a named thing is in. */
export const moduleOf = (name: string): string =>
  name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : 'builtins'

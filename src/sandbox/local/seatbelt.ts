import type { Host } from './jail.ts'
import { outsideFolders } from './jail.ts'

/**
 * The confinement on macOS: deny by default; read the system and the interpreter; read and write the sandbox's own folder;
 * no network but the socket on which the supervisor reports; no other process. Not exercised by the tests, which run on
 * Linux: `probe` tries the profile on a trivial program before it claims a jail.
 */
export function seatbeltProfile(host: Host, folder: string): string {
  const readable = [
    '/usr',
    '/bin',
    '/sbin',
    '/System',
    '/Library/Developer/CommandLineTools',
    '/Library/Frameworks',
    '/private/var/db/dyld',
    '/private/etc/localtime',
    '/opt/homebrew',
    host.kernels,
    ...(host.deno ? [host.deno] : []),
    ...outsideFolders(host.python),
  ]
  const rules = (kind: string, paths: readonly string[]) => paths.map(at => `  (${kind} ${quoted(at)})`).join('\n')
  return `(version 1)
(deny default)
(allow process-fork)
(allow process-exec
${rules('subpath', readable)})
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read-metadata)
(allow file-read*
${rules('subpath', [...readable, folder])}
  (literal "/dev/null") (literal "/dev/random") (literal "/dev/urandom") (literal "/"))
(allow file-write*
  (subpath ${quoted(folder)}) (literal "/dev/null"))
(allow network-outbound (literal ${quoted(`${host.socketFolder}/link`)}))
`
}

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

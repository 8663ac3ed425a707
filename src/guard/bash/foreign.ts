import type { EffectKind } from '../effect.ts'

/**
 * What code in languages without a front end would do, found by the calls that they share. Perl, Ruby, PHP, Lua, Tcl,
 * awk, sed and the prompts of editors and database clients are seen here in one-liners only: a pattern is enough to
 * say that a shell is opened, a host contacted or a file removed, and where to look.
 */
export interface Deed {
  readonly kind: EffectKind | 'privilege'
  /** The command, path or host; null when it is not a constant. */
  readonly target: string | null
}

const quoted = String.raw`(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')`
const any = (...found: readonly (string | undefined)[]): string | null => found.find(each => each !== undefined) ?? null

const runs = new RegExp(
  String.raw`(?:\b(?:system|exec[lv]?[pe]{0,2}|popen\d?|pcntl_exec|shell_exec|passthru|proc_open|os\.execute|io\.popen|spawn\w*|callCommand|runCommand|run_command|launch|term|ansi-term|shell-command(?:-to-string)?|run-shell-command|run-program|shell_cmd|call-process|start-process|do shell script|createProcess|rawSystem|open3|popen2e|capture2e?|syscall|executeScript|Runtime\.getRuntime\(\)\.exec|Start-Process|Invoke-Expression|iex|IO\.popen|Kernel\.exec|Process\.(?:spawn|exec|run|Start)|os:cmd|System\.cmd|run\(\x60)\s*\(?\s*\[?\s*(?:qw)?)` +
    quoted +
    String.raw`((?:\s*,\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))*)`,
  'g',
)
const runsUnknown =
  /\b(?:system|shell_exec|passthru|os\.execute|io\.popen|popen|pcntl_exec|proc_open)\s*\(\s*[$\w@]|\bexec\s*\(\s*(?:getenv|\$)|\bexec\s+\$|\bshell\s*\(\s*\w|\bSys\.command\b|\bi(?:ex|wr|rm)\b\s*\(|\bqx\b|%x[{([]/
/** Perl and Ruby open a command like a file: `open(F, "cmd|")`, `open("|cmd")`. */
const opensCommand = /\bopen\s*\(?\s*(?:[\w$ ]+,\s*)?["'](?:\|\s*([^"']+)|([^"'|]+)\|)["']/g
/** Text that nobody can read before it runs, or a function whose name is put together. */
const runsHidden =
  /\beval\b[^;]*\b(?:un)?(?:pack|decode_base64|base64_decode|gzinflate|str_rot13|hex2bin|file_get_contents|get|URI\.open|unpack1)\b|\bload(?:string)?\s*\(\s*["']|["']\s*\.\s*["'][^()]*\)\s*\(|\.(?:public_)?send\s*\(\s*:?["']?(?:system|exec|spawn|eval)\b|\bsystem\s+[$@]/
/** Perl names the handle first: `open(F, ">file")`, `open(my $f, "<", "file")`. */
const opensFile = /\bopen\s*\(?\s*(?:my\s*)?[$\w]+\s*,\s*["']([<>+]*)(?:["']\s*,\s*["'])?\s*([^"'|]+)["']/g
const changes = /\b(?:truncate|rename|chmod\s+\d+\s*,)\s*\(?\s*["']([^"']+)["']/g
const tclCommand = /^\s*exec\s+([\w/.-]+(?:\s+[^\s;"']+)*)/gm
const storms = /\bfork\s+while\b|\bkill\s*\(?\s*['"]?\w+['"]?\s*,\s*-1\b/
/** A path that stands apart from the call, and the ways to say the home folder. */
const anyPath = /["'<\s]([~/][^"'<>\s;)]*|(?<=<)[\w./-]*[*?][^<>\s]*(?=>))/
const homeFolder = /\bDir\.home\b|\bENV\[["']HOME["']\]|\$ENV\{["']?HOME["']?\}|\bgetenv\(["']HOME["']\)|\bhomedir\(\)/
const pathIn = (code: string): string | null => anyPath.exec(code)?.[1] ?? (homeFolder.test(code) ? '~' : null)
/** Groovy runs a text by itself: `"id".execute()`. */
const runsText = /["']([^"'\n]+)["']\.(?:execute\(\)|!!?)/g
/** Code or libraries that are loaded from somewhere else while the one-liner runs. */
const loads =
  /\b(?:dlopen|loadlib|DynaLoader|dl_load_file|Fiddle|load-shared-object|load-extension|load-library)\b|\bload\s*\(\s*["'](?:https?|ftp|file):/i
const backticks = /`([^`\n]+)`/g
const connects =
  /\b(?:IO::Socket(?:::INET)?|TCPSocket|TCPServer|UDPSocket|Socket\.(?:tcp|new)|fsockopen|pfsockopen|stream_socket_client|socket_connect|socket_create|use Socket|require ['"]socket['"]|socket\.(?:tcp|connect)|Net::(?:HTTP|FTP)|LWP::|getstore|HTTP::Tiny|open-uri|URI\.open|net\.Socket|(?:^|\s)socket [\d$a-z]|\/inet\d?\/(?:tcp|udp)|New-Object (?:System\.)?Net|Invoke-WebRequest|DownloadString|DownloadFile|Net\.WebClient|connect\s*\(|WEBrick|httpd|openStream|openConnection|java\.net\.\w+)\b|\/dev\/(?:tcp|udp)\//
const host = /https?:\/\/[\w.-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\/inet\d?\/(?:tcp|udp)\/\d*\/([\w.-]+)/
const reads = new RegExp(
  String.raw`\b(?:File\.(?:read|open|readlines|binread)|IO\.(?:read|readlines)|file_get_contents|readfile|file|fopen|io\.open|io\.lines|open|slurp|read_file|Get-Content|load_file|pg_read_file|readFile)\s*\(?\s*` +
    quoted +
    String.raw`(?!\s*,\s*['"][wa>])`,
  'g',
)
const writes = new RegExp(
  String.raw`\b(?:File\.(?:write|open)|IO\.write|file_put_contents|fopen|io\.open|open|Set-Content|writeFile|INTO (?:OUT|DUMP)FILE)\s*\(?\s*` +
    quoted +
    String.raw`\s*,\s*['"]?[wa>+]`,
  'gi',
)
const deletes = new RegExp(
  String.raw`\b(?:unlink|File\.(?:delete|unlink)|FileUtils\.(?:rm\w*|remove\w*)|file\s+delete|rm(?=\()|rmtree|remove_tree|os\.remove|Remove-Item|rmdir)\s*\(?\s*(?:glob\s*\(?\s*)?(?:` +
    quoted +
    ')?',
  'g',
)
const privileges =
  /\b(?:POSIX::set[ug]id|Process::(?:Sys\.)?set\w*[ug]id|posix_set[ug]id|set[er]*[ug]id)\s*\(|\$[<>]\s*=\s*0/

/** One-liners in a general language. */
export function deedsOfScript(code: string): Deed[] {
  const deeds: Deed[] = []
  for (const found of code.matchAll(runs)) {
    const more = [...(found[3] ?? '').matchAll(new RegExp(quoted, 'g'))].map(each => any(each[1], each[2]) ?? '')
    deeds.push({
      kind: 'run',
      target: [any(found[1], found[2]) ?? '', ...(more.length > 1 ? more.slice(1) : more)].join(' ').trim(),
    })
  }
  for (const found of code.matchAll(runsText)) deeds.push({ kind: 'run', target: found[1] ?? null })
  for (const found of code.matchAll(backticks)) deeds.push({ kind: 'run', target: found[1] ?? null })
  for (const found of code.matchAll(opensCommand)) deeds.push({ kind: 'run', target: any(found[1], found[2]) })
  for (const found of code.matchAll(tclCommand)) deeds.push({ kind: 'run', target: found[1] ?? null })
  if (runsHidden.test(code) || storms.test(code) || loads.test(code)) deeds.push({ kind: 'run', target: null })
  for (const [, mode = '', file = ''] of code.matchAll(opensFile))
    deeds.push({ kind: /[>+]/.test(mode) ? 'write' : 'read', target: file })
  for (const found of code.matchAll(changes)) deeds.push({ kind: 'write', target: found[1] ?? null })
  if (runsUnknown.test(code)) deeds.push({ kind: 'run', target: null })
  if (connects.test(code)) deeds.push({ kind: 'connect', target: host.exec(code)?.[1] ?? host.exec(code)?.[0] ?? null })
  for (const found of code.matchAll(reads)) deeds.push({ kind: 'read', target: any(found[1], found[2]) })
  for (const found of code.matchAll(writes)) deeds.push({ kind: 'write', target: any(found[1], found[2]) })
  for (const found of code.matchAll(deletes))
    deeds.push({ kind: 'delete', target: any(found[1], found[2]) ?? pathIn(code) })
  if (privileges.test(code)) deeds.push({ kind: 'privilege', target: null })
  return deeds
}

export function deedsOfAwk(code: string): Deed[] {
  const deeds: Deed[] = []
  for (const found of code.matchAll(/\bsystem\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)/g))
    deeds.push({ kind: 'run', target: plain(found[1]) })
  if (/\bsystem\s*\(\s*[^"\s)]|\bsystem\s*\(\s*"(?:[^"\\]|\\.)*"\s*[^)\s]/.test(code))
    deeds.push({ kind: 'run', target: null })
  for (const found of code.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline|\|&?\s*"((?:[^"\\]|\\.)*)"/g)) {
    const command = plain(found[1] ?? found[2])
    deeds.push(/^\/inet/.test(command) ? { kind: 'connect', target: null } : { kind: 'run', target: command })
  }
  const inet = /\/inet\d?\/(?:tcp|udp)\/\d*\/?([\w.-]*)/.exec(code)
  if (inet) deeds.push({ kind: 'connect', target: inet[1] || null })
  for (const found of code.matchAll(/getline\s*(?:\w+\s*)?<\s*"([^"]+)"/g))
    deeds.push({ kind: 'read', target: found[1] ?? null })
  // Behind `print` a `>` leads into a file; elsewhere it compares, and only a path is no word to compare with.
  for (const found of code.matchAll(/\bprintf?\b[^;{}|()\n]*?>>?\s*(?:"([^"]+)"|[\w$(])/g))
    deeds.push({ kind: 'write', target: found[1] ?? null })
  for (const found of code.matchAll(/>>?\s*"(\/[^"]+|~[^"]+)"/g))
    deeds.push({ kind: 'write', target: found[1] ?? null })
  return deeds
}

export function deedsOfSed(code: string): Deed[] {
  const deeds: Deed[] = []
  // `e` alone runs the line itself, `e cmd` runs a command, and `s///e` runs what a substitution makes.
  const command = /(?:^|[;{\n])\s*(?:\d+|\$|\/(?:[^/\\]|\\.)*\/)?\s*e(?:\s+([^\n]+)|\s*(?=$|[;}]))/.exec(code)
  if (command) deeds.push({ kind: 'run', target: command[1] ?? null })
  if (/(?:^|[;{\n\d$/\s])s([|/#,:@!])(?:(?!\1)(?:[^\\]|\\.))*\1(?:(?!\1)(?:[^\\]|\\.))*\1[gpiImM\d]*e/.test(code))
    deeds.push({ kind: 'run', target: null })
  const written = /(?:^|[;{\n/|#\s\dgp])w\s*([/~][^\s;]+)/.exec(code)
  if (written) deeds.push({ kind: 'write', target: written[1] ?? null })
  const read = /(?:^|[;{\n\s\d$])r\s+([/~][^\s;]+)/.exec(code)
  if (read) deeds.push({ kind: 'read', target: read[1] ?? null })
  return deeds
}

/** A line of an editor that goes to a shell: behind lines it is for, a pattern that chooses them, and words before it. */
const escapes =
  /^[\s:%.$\d,;]*(?:[gvGV]!?\/(?:[^/\\]|\\.)*\/\s*)?(?:(?:sil(?:ent)?|exe(?:cute)?|norm(?:al)?|argdo|bufdo|windo|tabdo|cdo|ldo|keepalt|noautocmd|vertical|tab)!?\s+["':]*)*(?:[rweE]\s*!|!|\\!)\s*(.*)$/

/** Lines for an editor, a pager, a debugger or a database client. */
export function deedsOfPrompt(code: string): Deed[] {
  const deeds: Deed[] = []
  for (const line of code.split(/\n|(?<=[;"'])\s*(?=\\!)|\|(?=\s*:)/)) {
    const typed =
      escapes.exec(line) ??
      /^\s*:?au(?:tocmd)?\b.*?\s:?!(.*)$/.exec(line) ??
      /^\s*:?\s*(?:shell|\.shell|\.system|system|sh|term(?:inal)?|local|lcd!|make!)(?:\s+(.*)|\s*)$/.exec(line)
    if (typed) deeds.push({ kind: 'run', target: (typed[1] ?? '').replace(/^["'](.*)["'];?$/, '$1').trim() || 'sh' })
    // `r file` and `e file` of an editor show a file as `cat` does, and `w file` writes one.
    const file = /^[\s:%.$\d,]*(r|e|E|edit|read|w|W|write|saveas|rea?d?)!?\s+([/~]\S+)\s*$/.exec(line)
    if (file?.[1]) deeds.push({ kind: /^[wWs]/.test(file[1]) ? 'write' : 'read', target: file[2] ?? null })
    // `wq` alone writes what was opened.
    if (/^[\s:%.$\d,]*(?:w|wq|wqa|x|up(?:date)?|write)!?\s*$/.test(line)) deeds.push({ kind: 'write', target: null })
    const setting = /\bset?\s+shell=(\S+)/.exec(line)
    if (setting) deeds.push({ kind: 'run', target: setting[1] ?? null })
  }
  for (const found of code.matchAll(/\b(?:TO|FROM)\s+PROGRAM\s+'((?:[^']|'')*)'/gi))
    deeds.push({ kind: 'run', target: found[1] ?? null })
  // Functions by which a database runs programs and reads files of its machine.
  if (/\bsys_(?:exec|eval)\s*\(|\bxp_cmdshell\b|\bedit\s*\(|\bload_extension\s*\(/i.test(code))
    deeds.push({ kind: 'run', target: null })
  for (const found of code.matchAll(/\b(?:load_file|pg_read_file|readfile)\s*\(\s*'([^']+)'/gi))
    deeds.push({ kind: 'read', target: found[1] ?? null })
  if (
    /^[ \t:]*(?:py(?:thon)?3?x?|lua|perl|ruby|tcl|mz(?:scheme)?|call|echo|let|source|script)\b/m.test(code) ||
    /\bcall\b.*\bsystem\b|\\=.{0,2000}\bsystem\b|\$\(shell\b/.test(code)
  ) {
    deeds.push(...deedsOfScript(code))
    const shell = /\$\(shell\s+([^)]+)\)/.exec(code)
    if (shell) deeds.push({ kind: 'run', target: shell[1] ?? null })
  }
  return deeds
}

const plain = (content: string | undefined): string => (content ?? '').replace(/\\(["\\/])/g, '$1')

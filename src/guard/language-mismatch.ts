import type { Language } from '../contract/run.ts'
import type { Finding } from './engine.ts'
import type { Embedded, Program, Span } from './model.ts'

/** Words of which one stands in all that the pattern matches, as a look for them costs less; and the pattern. */
const signs = {
  python: [
    {
      words: /import |def |__name__|class /,
      shape:
        /^(from [\w.]+ import [\w*(]|import (os|sys|re|json|subprocess|socket|shutil|pandas|numpy|requests|base64|time|random|math)\b|(async )?def \w+\(.*\).*:\s*$|if __name__ == |class \w+(\(.*\))?:\s*$)/m,
    },
  ],
  javascript: [
    {
      words: /(?:const|let|var|import|export|function) /,
      shape:
        // `let a=b+1` is arithmetic of the shell, where no space may stand around the sign.
        /^((const|var) [\w{[].*=|let (\w+ =|[{[].*=)|import .* from ['"]|export (default|const|function) |(async )?function \w+\(.*\) \{\s*$.*\b(const|let|return)\b)/m,
    },
    { words: /require\(/, shape: /^.*\brequire\(['"][\w./@-]+['"]\)/m },
    { words: /=> \{/, shape: /^.*=> \{\s*$/m },
  ],
} as const

/** A shell takes any words for commands: what reads as another language is read as that too, and said to be odd. */
export function languageMismatches(program: Program): Embedded[] {
  if (program.language !== 'bash') return isCommands(program.source) ? [asShell(program.source)] : []
  if (program.embedded.length > 0) return []
  const found: Embedded[] = []
  for (const language of ['python', 'javascript'] as const) {
    let first: RegExpExecArray | null = null
    for (const { words, shape } of signs[language]) {
      const sign = words.test(program.source) ? shape.exec(program.source) : null
      if (sign !== null && (first === null || sign.index < first.index)) first = sign
    }
    if (first !== null)
      found.push({
        language,
        code: program.source,
        via: 'the shell',
        start: first.index,
        end: first.index + first[0].length,
      })
  }
  return found.slice(0, 1)
}

export const mislabelled = (at: Span, language: Language): Finding => ({
  rule: 'surface/language',
  type: 'unparseable',
  severity: 'medium',
  message:
    language === 'bash'
      ? 'The code is labelled as a shell script and reads like another language.'
      : 'The code reads like a command of a shell.',
  recommendation: 'Name the language that it is written in.',
  cwe: 'CWE-1120',
  ...at,
})

/** A word with options or paths behind it, as nobody writes a difference or a quotient: `rm -rf /srv/x`. */
const command =
  /^(?:sudo\s+)?[a-z][\w-]*(?=(?:\s+\S+)*?\s+(?:-{1,2}[a-z]|[/~]\w|\.{1,2}\/))(?:\s+(?:-{1,2}[a-z][\w-]*|[/~.]?[\w.*/~@:-]*\w[\w.*/~@:-]*|[/~*])){1,12}\s*(?:;\s*)?(?:(?:#|\/\/).*)?$/i
/** Commands that people know; of others an option and a path have to tell. */
const known =
  /^(sudo|su|doas|rm|rmdir|mv|cp|ln|cat|tac|dd|ls|chmod|chown|chgrp|chattr|kill|pkill|killall|curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|bash|sh|zsh|dash|ksh|python3?|node|deno|perl|ruby|php|find|grep|sed|awk|tar|zip|unzip|gzip|gunzip|mkfs\w*|mount|umount|shutdown|reboot|halt|poweroff|systemctl|service|crontab|useradd|userdel|usermod|passwd|iptables|nft|git|docker|podman|kubectl|apt|yum|dnf|apk|pip3?|npm|npx|tee|touch|mkdir|truncate|shred|wipefs|fdisk|parted|env|source|nohup|chroot|setsid|head|tail|less|more|xxd|base64|openssl|strace|gdb|insmod|modprobe|swapoff|losetup|cryptsetup)\s/
const options = /\s-{1,2}[a-z]/i
const paths = /\s[/~][\w.-]*\/|\s\/\w/
/** What begins a statement that a command could be taken for. */
const statement = /^(return|raise|yield|assert|del|await|not|import|from|throw|typeof|void|delete|case|print)\b/

/** Arithmetic to Python and JavaScript, a command to a shell: whoever wrote it meant the command. */
function isCommands(source: string): boolean {
  if (source.length > 4_000) return false
  let any = false
  // Line by line, since nearly every program shows with its first one that it is none.
  for (let from = 0; from < source.length; ) {
    const end = source.indexOf('\n', from)
    const plain = source.slice(from, end === -1 ? source.length : end).trim()
    from = end === -1 ? source.length : end + 1
    if (plain === '' || /^(#|\/\/)/.test(plain)) continue
    if (plain.length > 300 || statement.test(plain) || !command.test(plain)) return false
    if (!known.test(plain) && !(options.test(plain) && paths.test(plain))) return false
    any = true
  }
  return any
}

const asShell = (source: string): Embedded => ({
  language: 'bash',
  code: source,
  via: 'a shell',
  start: 0,
  end: source.length,
})

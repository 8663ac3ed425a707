// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell code spells its own variables this way.

import { disguises, type Role } from '../bash/disguises.ts'
import { execOptions } from '../bash/exec-options.ts'
import { inputOf, pathOf } from '../bash/facts.ts'
import { shellNames } from '../bash/interpreters.ts'
import { wrappers } from '../bash/wrappers.ts'
import { type Call, origin } from '../model.ts'
import type { Answer, Rule } from '../rule.ts'
import { comesFrom, isKnown, shown, sketch, startOf, textOf, wholeOf } from '../values.ts'
import { line, namesShell, shell, words } from './shell-ask.ts'

const says: Record<Role, { severity: 'medium' | 'high'; message: string }> = {
  read: { severity: 'medium', message: 'Shows a file through a tool that was not made for it.' },
  write: { severity: 'medium', message: 'Writes a file through a tool that was not made for it.' },
  run: { severity: 'high', message: 'Runs a command through a tool that was not made for it.' },
  library: { severity: 'high', message: 'Makes a tool load a library of somebody’s choice.' },
  send: { severity: 'high', message: 'Sends data through a tool that was not made for it.' },
}

function disguised(call: Call): Answer {
  const input = textOf(inputOf(call))
  const fed = input !== null && Object.hasOwn(execOptions, call.name) ? input : null
  const all = shown(fed === null ? line(call) : `${line(call)} ${fed.slice(0, 4000)}`)
  for (const { role, shape } of disguises.get(call.name) ?? []) if (shape.test(all)) return says[role]
  return false
}

/** Tools that talk about shells without starting one. */
const harmless = new Set(
  words(`echo printf ls ll which type command test [ [[ grep egrep fgrep rg cat head tail file stat readlink realpath basename dirname
    case hash whereis man sed awk cut tr wc sort uniq diff cmp md5sum sha256sum true : export declare local readonly read set unset alias
    cd mkdir tee logger cp ln mv rm chmod getent tput tar dpkg apt apt-get pacman chsh usermod useradd trap exit return source . eval
    hidden.name carried.variable`),
)
/** What they start is judged by itself. */
const isWrapped = new Set<string>([...shellNames, ...Object.keys(wrappers)])

/** Lines for a prompt, where a script has commands. */
const isTyped = (name: string): boolean =>
  (/^(:?!+|\\!|:r ?!|:w ?!)[^=\s]*/.test(name) && name.length > 1) ||
  /^:(sh|shell|set|py|py3|python|python3|lua|perl|ruby|e|r|w|term|terminal|call|q|q!|wq)$/.test(name) ||
  /^\.(shell|system|load|import|read)$/.test(name) ||
  /^(\^[A-Z]){1,3}|^(Ctrl|CTRL|C)-[a-z]/.test(name)

const decoder: Readonly<Record<string, RegExp>> = {
  base64: /^-\w*[dD]|--decode/,
  base32: /^-\w*d|--decode/,
  basenc: /-\w*d|--decode/,
  basez: /-\w*d|--decode/,
  xxd: /-\w*r/,
  uudecode: /^/,
  bzip2: /-\w*d/,
  gzip: /-\w*d/,
  xz: /-\w*d/,
  rev: /^$/,
  openssl: /-d( |$)/,
  '7z': /^e|^x/,
  funzip: /^/,
  tar: /^-?x\w*O|-O( |$)|--to-stdout/,
}
const encoder: Readonly<Record<string, string>> = { uudecode: 'uuencode', funzip: 'zip' }

const prompts =
  words(`vi vim view rvim rview vimdiff nvim nano pico emacs joe ed red ex ftp telnet gdb lldb irb pry ghci tasksh ginsh msfconsole
  scapy byebug cpan lftp smbclient minicom alpine mutt top htop tmux screen sqlmap tdbtool scanmem hping3 virsh debugfs jjs jrunscript rlogin
  octave julia R python pypy ipython node lua luajit tclsh wish php guile slsh pwsh powershell sqlite3 psql mysql mongo redis-cli gimp dosbox
  jtag ncdu crash ncftp tftp sftp psftp zathura ispell xpad xmore yelp facter jshell hx mc ranger bashbug vipw vigr
  ksh93 asterisk cmus`)

function waits(call: Call): boolean {
  if (inputOf(call) !== undefined) return false
  const all = line(call)
  if (/^(--version|-V|-v|--help|-h|-version)$/.test(all)) return false
  const operands = call.args.filter(arg => !startOf(arg).startsWith('-'))
  if (
    /^(python|pypy|ipython|node|lua|luajit|tclsh|wish|php|guile|slsh|pwsh|powershell|octave|julia|R|jjs|jrunscript)$/.test(
      call.name,
    )
  )
    return (
      (operands.length === 0 && !/(^| )(-c|-e|-m|-r|-p|-pe|--eval|--version|-S)/.test(all)) ||
      /(^| )-m ?(code|asyncio|IPython|bpython|ptpython)$/.test(all)
    )
  if (/^(sqlite3|psql|mysql|mongo|redis-cli)$/.test(call.name))
    return (
      operands.length <= 1 &&
      !/(^| )(-c|-e|-f|-l|--eval|--command|--execute|--list|-h|-u|-U|-d|-p)/.test(all) &&
      (call.name !== 'redis-cli' || operands.length === 0)
    )
  if (/^(vi|vim|view|rvim|rview|vimdiff|nvim|ex|emacs|ed|red)$/.test(call.name))
    return !/(^| )(-s|-es|-e|-E|--batch|-batch|--script|-c|\+\w)/.test(all)
  if (/^(top|htop)$/.test(call.name)) return !/(^| )-\w*b/.test(all)
  if (/^(tmux|screen)$/.test(call.name)) return !/(^| )(-dmS?|-d|ls|-ls|list|has-session|kill)/.test(all)
  if (/^(gdb|lldb)$/.test(call.name)) return !/batch|-ex/.test(all)
  if (/^(virsh|debugfs|smbclient|lftp|sftp)$/.test(call.name)) return !/(^| )(-c|-R|-b|-e|list|dominfo)/.test(all)
  if (call.name === 'gimp' || call.name === 'facter' || call.name === 'ispell' || call.name === 'cpan')
    return call.name === 'cpan' ? all === '' : false
  return true
}

export const shellEscapeRules: readonly Rule[] = [
  {
    id: 'shell/disguise',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-78',
    description:
      'Uses an ordinary tool for something it was not made for: reading, writing or running what rules would otherwise see.',
    recommendation: 'Use the tool that is made for it.',
    implies: ['run', 'read'],
    match: { on: 'call', names: [...disguises.keys()], when: disguised },
    examples: {
      bad: [
        'tar -cf /dev/null x --checkpoint=1 --checkpoint-action=exec=ls',
        'date -f notes',
        'ssh-keygen -D ./lib.so',
        "sed '' notes",
        'wget --use-askpass=./x 0',
        'ip -force -batch notes',
      ],
      good: [
        'tar czf a.tgz src',
        'date +%F',
        "sed 's/a/b/' notes",
        'sort -u a',
        'grep -c x a',
        'file a.png',
        'wc -l a',
      ],
    },
  },
  {
    id: 'shell/carried-command',
    languages: shell,
    type: 'command-injection',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Hands a script, or a command that is not known before the run, to a tool that starts it.',
    recommendation: 'Write the command into the script.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['carried.*'],
      when: call =>
        call.name !== 'carried.variable' &&
        // `git -c core.sshCommand='sh -c …'`: the tool wants a program and gets a script.
        (/^(ba|da|z)?sh -c /.test(startOf(call.args[0])) ||
          (call.args.some(arg => !isKnown(arg)) &&
            // `poetry run "$@"` hands on what the caller typed, as `exec "$@"` does.
            call.args.every(arg => !isKnown(arg) && !comesFrom(arg, origin.input)))),
    },
    examples: {
      bad: ['rsync -e "$CMD" a b', 'git -c core.sshCommand=\'sh -c "id > x"\' fetch'],
      good: ['rsync -e ssh a b', 'poetry run pytest', 'poetry run "$@"'],
    },
  },
  {
    id: 'shell/shell-handed',
    languages: shell,
    type: 'process',
    severity: 'high',
    cwe: 'CWE-78',
    description: 'Hands a shell to another program to start.',
    recommendation: 'Write the commands into the script.',
    implies: ['run'],
    match: {
      on: 'calls',
      about: name => !harmless.has(name) && !isWrapped.has(name) && !name.startsWith('~'),
      find: calls =>
        calls
          .filter(call => call.args.some(namesShell) || (isPrompt(call) && namesShell(inputOf(call))))
          .slice(0, 5)
          .map(call => ({ at: call })),
    },
    examples: {
      bad: ['mytool --run=/bin/sh', 'gdb -nx -ex "!/bin/sh"', 'System.Process.callCommand "/bin/bash"'],
      good: ['ls -l /bin/sh', 'echo "#!/bin/sh" > x', 'bash /bin/script.sh', '[ -x /bin/bash ]'],
    },
  },
  {
    id: 'shell/script-written',
    languages: shell,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Writes a file that opens a shell when something reads or runs it.',
    recommendation: 'Remove it.',
    implies: ['write', 'run'],
    match: {
      on: 'call',
      names: ['echo', 'printf', 'cat', 'tee'],
      when: (call, { program }) => {
        const goesOn =
          program.redirections.some(({ call: of, operator }) => of === call && operator.includes('>')) ||
          program.pipelines.some(({ calls }) => calls.includes(call)) ||
          call.name === 'tee'
        if (!goesOn) return false
        const said = `${line(call)}\n${sketch(inputOf(call)) ?? ''}`.slice(0, 8000)
        return (
          /(system|exec\w*|popen|spawn\w*|os\.execute|io\.popen|command|process|Kernel|setresuid|setuid)\b[^\n]{0,60}["'`( ](\/(usr\/)?bin\/)?(ba|da|z|k|c)?sh\b(?![.\w])/.test(
            said,
          ) ||
          /(^|[;&|\n]|exec |-c )\s*(\/(usr\/)?bin\/)?(ba|da|z)?sh( -\w+)?\s*(\d?[<>]&?\s*\S+\s*)+($|[;&|\n])/.test(
            said,
          ) ||
          /(^|\n)\s*(\/(usr\/)?bin\/(ba|da|z)?sh|exec (ba)?sh)\s*( -\w+)?\s*($|\n)/.test(said) ||
          /__attribute__.*constructor|\bExecStart=\S*|post_?install.*sh\b|"(scripts|preinstall)"/s.test(said)
        )
      },
    },
    examples: {
      bad: [
        'echo \'os.execute("/bin/sh")\' > x.nse',
        "echo 'exec /bin/sh <&2' > /tmp/x",
        'printf "sh 0<&2 1>&2\\n" > job',
      ],
      good: [
        "echo '#!/bin/sh' > run.sh",
        'echo "run it in a shell" > notes.txt',
        'cat > a.sh <<EOF\n#!/bin/bash\nls\nEOF',
      ],
    },
  },
  {
    id: 'shell/typed-escape',
    languages: shell,
    type: 'process',
    severity: 'high',
    cwe: 'CWE-78',
    description:
      'Contains a line that is meant to be typed into an editor, a pager or another prompt, to get a shell out of it.',
    recommendation: 'Remove it.',
    implies: ['run'],
    match: {
      on: 'calls',
      about: name => isTyped(name) || /^(!|\\!|config)$/.test(name),
      find: calls =>
        calls
          .filter(call =>
            call.name === 'config'
              ? /^set (dir|dbfilename)/.test(line(call))
              : isTyped(call.name) || call.args.length > 0,
          )
          .slice(0, 5)
          .map(call => ({ at: call })),
    },
    examples: {
      bad: ['less /etc/profile\n!/bin/sh', 'vim\n:!sh', 'vim\n:set shell=/bin/sh\n:shell', 'sqlite3\n.shell sh'],
      good: [': "${x:=1}"', '! grep x f', ':'],
    },
  },
  {
    id: 'shell/round-trip',
    languages: shell,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Encodes a file only to decode it again, which shows it to whoever may not read it plainly.',
    recommendation: 'Read the file plainly.',
    implies: ['read'],
    match: {
      on: 'pipeline',
      when: ({ calls }) =>
        calls.some((call, at) => {
          const next = calls[at + 1]
          if (next === undefined || !Object.hasOwn(decoder, next.name)) return false
          const shape = decoder[next.name]
          return (
            call.name === (encoder[next.name] ?? next.name) &&
            shape?.test(line(next)) === true &&
            (next.name === 'rev' ? call.args.length > 0 : !shape.test(line(call)) || shape.source === '^')
          )
        }),
    },
    examples: {
      bad: ['base64 notes | base64 --decode', 'xxd notes | xxd -r', 'rev notes | rev'],
      good: [
        'base64 notes | tr -d "\\n"',
        'gzip -c a | wc -c',
        'tar c a | tar x -C b 2>/dev/null; rev | cut -c1 | rev',
      ],
    },
  },
  {
    id: 'shell/local-copy',
    languages: shell,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-426',
    description:
      'Runs a copy of a system tool from a folder of its own: either it was given other rights, or it is not that tool.',
    recommendation: 'Use the tool of the system.',
    implies: ['run', 'privilege'],
    match: {
      on: 'program',
      find: ({ program }) =>
        program.calls
          .filter(call => {
            const path = pathOf(call)
            return (
              path !== null &&
              path !== call.name &&
              /^(\.{1,2}\/|\/tmp\/|\/dev\/shm\/|\/var\/tmp\/|~\/)/.test(path) &&
              // `"$here/gdb"` beside the script is a part of the same package.
              !/^"?\$[({]?(dirname|\w*(dir|path|here|root|prefix)\b)/i.test(
                program.source.slice(call.start, call.end),
              ) &&
              !/(^|\/)(node_modules\/\.bin|venv|\.venv|env|bin|scripts|vendor|tools|build|local)\//.test(path)
            )
          })
          .slice(0, 5)
          .map(call => ({ at: call })),
    },
    examples: {
      bad: ['./find . -exec ls \\;', './cat notes', '/tmp/bash -p'],
      good: ['./build.sh', './node_modules/.bin/tsc', './venv/bin/python run.py', '/usr/bin/find . -name x'],
    },
  },
  {
    id: 'shell/prompt',
    languages: shell,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Starts a program that waits for somebody to type, and that runs whatever is typed.',
    recommendation: 'Give the program what it should do on the command line.',
    implies: ['run'],
    match: { on: 'call', names: prompts, when: waits },
    examples: {
      bad: ['vim notes.txt', 'python3', 'coproc python3 -i', 'python3 -m code', 'gdb ./a.out', 'ftp'],
      good: [
        'python3 run.py',
        "python3 -c 'print(1)'",
        'echo "print(1)" | python3',
        'node --version',
        "sqlite3 a.db 'select 1'",
      ],
    },
  },
  {
    id: 'shell/shell-copied',
    languages: shell,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-426',
    description: 'Makes a copy of a shell or of a tool of the system, or a link to one, under another name.',
    recommendation: 'Call the tool by its own name.',
    implies: ['write', 'privilege'],
    match: {
      on: 'call',
      names: ['cp', 'ln', 'mv', 'install'],
      when: call =>
        (call.args.slice(0, -1).some(arg => namesShell(arg) || isWrapped.has(startOf(arg))) &&
          /(^| )((\/usr)?\/bin\/)?\w*sh /.test(line(call))) ||
        isRenamed(call),
    },
    examples: {
      bad: ['ln -s /bin/sh git-x', 'cp /bin/bash /tmp/b', 'cp $(which bash) .', 'cp /bin/ps /tmp/crond'],
      good: ['cp run.sh /tmp/', 'ln -s a b', 'cp /usr/bin/jq bin/', 'cp /usr/bin/jq /tmp/jq'],
    },
  },
  {
    id: 'shell/command-variable',
    languages: shell,
    type: 'command-injection',
    severity: 'low',
    cwe: 'CWE-78',
    description: 'Sets a variable that names a program which another program starts.',
    recommendation: 'Check what it names.',
    implies: ['run'],
    match: {
      on: 'call',
      names: ['carried.variable'],
      when: call =>
        /^(\.\/|\/tmp\/|\/var\/tmp\/|\/dev\/shm\/)/.test(startOf(call.args[1]))
          ? { severity: 'medium', message: 'Makes another program start a program of its own.' }
          : true,
    },
    examples: { bad: ['PAGER=./x man ls', 'AUTOM4TE=./x autoreconf', 'EDITOR=vim git commit'], good: ['LANG=C ls'] },
  },
]

/** `cp /bin/ps /tmp/crond`: what runs there is not what it says. */
function isRenamed(call: Call): boolean {
  if (call.name === 'ln') return false
  const [source, target] = call.args.filter(arg => !startOf(arg).startsWith('-')).map(arg => wholeOf(arg) ?? '')
  const tool = /^(?:\/usr)?(?:\/local)?\/s?bin\/([\w.+-]+)$/.exec(source ?? '')?.[1]
  const copy = /^(?:\/tmp|\/var\/tmp|\/dev\/shm|~)\/(?:.*\/)?([^/]+)$/.exec(target ?? '')?.[1]
  return tool !== undefined && copy !== undefined && tool !== copy && !copy.startsWith(tool)
}

const isPrompt = (call: Call): boolean => textOf(inputOf(call)) !== null && Object.hasOwn(execOptions, call.name)

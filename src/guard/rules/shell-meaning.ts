import type { Call } from '../model.ts'
import type { Rule } from '../rule.ts'
import { flagged, line, shell, words } from './shell-ask.ts'

/** PowerShell that runs a file, or only commands that show something. */
function isPlainPowerShell(call: Call): boolean {
  const all = line(call)
  if (all === '' || /^--?(v|version|h|help|\?)$/i.test(all)) return true
  const [, named, rest = ''] =
    /^(?:-(?!c|f|e|co|fi|en)\w+ (?:Bypass |RemoteSigned |Hidden )?)*(?:-(c\w*|f\w*) )?(.*)$/i.exec(all) ?? []
  if (named !== undefined && /^f/i.test(named)) return true
  if (named === undefined && /^\S+\.ps1\b/.test(rest)) return true
  return rest.split(/[|;]/).every(part => shows.test(part.trim()))
}

const shows =
  /^(?:(?:Get|Select|Where|Sort|Format|Measure|Group|ConvertTo|ConvertFrom|Test)-\w+|Write-(?:Host|Output))(?: [^&$`{}()[\]<>]*)?$/i

/** Rules about commands that are not what their names say, or that no reader can know. */
export const shellMeaningRules: readonly Rule[] = [
  {
    id: 'shell/other-dialect',
    languages: shell,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-1120',
    description: 'Gives code to a shell of another dialect, which cannot be read reliably before it runs.',
    recommendation: 'Write it for `sh` or `bash`.',
    implies: ['run'],
    match: {
      on: 'call',
      names: words('csh tcsh fish rc es elvish xonsh nu sash posh yash pwsh powershell'),
      when: call => (/^p(wsh|owershell)$/.test(call.name) ? !isPlainPowerShell(call) : call.args.length > 0),
    },
    examples: {
      bad: ["csh -c 'echo x > y'", "elvish -c 'print 1'", "pwsh -c 'rm -r x'", 'powershell Start-Process tool'],
      good: [
        "bash -c 'echo x'",
        'dash run.sh',
        "pwsh -NoProfile -Command 'Get-ChildItem | Sort-Object Length'",
        'pwsh -File build.ps1',
        'pwsh --version',
      ],
    },
  },
  {
    id: 'shell/exported-function',
    languages: shell,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-426',
    description:
      'Hands a function to a shell through its environment, where the name of a command comes to mean another.',
    recommendation: 'Define the function in the script that uses it.',
    implies: ['run'],
    match: { on: 'call', names: ['carried.function'] },
    examples: {
      bad: ["env 'BASH_FUNC_ls%%=() { id; }' bash -c ls", "x='() { :;}; id' bash -c :"],
      good: ['f() { echo hi; }; export -f f; bash -c f', "env NAME='(a) {b}' bash run.sh"],
    },
  },
  {
    id: 'shell/history-run',
    languages: shell,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-78',
    description: 'Runs a command from the shell history, which does not appear in the script.',
    recommendation: 'Write the command into the script.',
    implies: ['run'],
    match: { on: 'call', names: ['fc'], when: call => !flagged(call, 'l') },
    examples: { bad: ['fc -s', 'fc -s ls=rm', "fc -e 'sed -i s/a/b/' -1"], good: ['fc -l', 'fc -ln -1'] },
  },
  {
    id: 'shell/hidden-name',
    languages: shell,
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Writes the name of a command so that a reader does not recognise it.',
    recommendation: 'Write commands by their plain names.',
    implies: ['run'],
    match: { on: 'call', names: ['hidden.name'] },
    examples: {
      bad: ['r""m -rf x', "$'\\x72\\x6d' file", '/bin/c?t notes.txt', 'w\\ho\\am\\i', '{cat,notes.txt}'],
      good: ['\\rm file', '"$cmd" x', '[ -f x ]', '"ls" -l', 'cp a.{txt,bak}'],
    },
  },
  {
    id: 'shell/name-redirected',
    languages: shell,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-426',
    description: 'Makes the name of a command mean another program.',
    recommendation: 'Call the other program by its own name.',
    implies: ['run'],
    match: { on: 'call', names: ['hash'], when: call => /^-p /.test(line(call)) },
    examples: { bad: ['hash -p /tmp/tool ls'], good: ['hash -r', 'hash git'] },
  },
  {
    id: 'shell/borrowed-name',
    languages: shell,
    type: 'obfuscation',
    severity: 'high',
    cwe: 'CWE-451',
    description: 'Runs a program under the name of another, so that the list of processes does not show it.',
    recommendation: 'Run it under its own name.',
    implies: ['run'],
    match: { on: 'call', names: ['exec'], when: call => /^-a \S+ \S/.test(line(call)) },
    examples: { bad: ["exec -a '[kworker/0:1]' ./agent"], good: ['exec ./agent', 'exec > run.log 2>&1'] },
  },
  {
    id: 'shell/detached',
    languages: shell,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-400',
    description: 'Takes a program out of its session, so that it goes on when the run has ended.',
    recommendation: 'Start it in the background and wait for it.',
    implies: ['run', 'persistence'],
    match: {
      on: 'call',
      names: ['setsid', 'daemonize', 'daemon'],
      when: call => call.name !== 'setsid' || !/(^| )(-w|--wait)/.test(line(call)),
    },
    examples: { bad: ['setsid ./agent &', 'daemonize /opt/agent'], good: ['nohup ./long.sh &', 'setsid -w ./step.sh'] },
  },
]

import type { Effect } from '../effect.ts'
import type { Answer, Rule, Scene } from '../rule.ts'
import { sketch, textOf } from '../values.ts'
import { code, isFixed, lower, names, option, python, says } from './ask.ts'

const removesAll =
  /^\s*(drop\s+(table|database|schema|view|collection|user)\b|truncate\b|delete\s+from\s+[\w"'`.[\]]+\s*;?\s*$|grant\b|revoke\b)|^(delete_?many|delete_?by_?query)\((\{\})?\)|^(drop_?(collection|database|all|table|schema)\w*|drop|flush_?(all|db)|truncate)\(/i
const removesSome =
  /^\s*(with\b[\s\S]*\)\s*)?(delete|alter|update\s+[\w"'`.]+\s+set\b(?![\s\S]*\bwhere\b))\b|^(find_?one_?and_?)?delete/i
const connects =
  /(^|\.)(connect|create_engine|createConnection|Database|DatabaseSync|MongoClient|Pool)$|^better-sqlite3$/

/** Dropping a table that the program made, or one in memory, is cleaning up. */
function removed(effect: Effect, { program, effects }: Scene): Answer {
  const statement = sketch(effect.target) ?? ''
  const all = removesAll.test(statement)
  if (!all && !removesSome.test(statement)) return true
  const stores = program.calls.filter(call => connects.test(call.name))
  if (stores.length > 0 && stores.every(call => says(call.args[0], /^(:memory:|sqlite(\+\w+)?:\/\/(\/:memory:)?)$/)))
    return true
  const [, table] =
    /\b(?:table|view|from|truncate|update)\s+(?:(?:only|if|exists)\s+)*["'`[]?(\w+)/i.exec(statement) ?? []
  const made = effects.find(
    other =>
      other.kind === 'modify' &&
      table !== undefined &&
      new RegExp(`\\bcreate\\s[^(]*(?<!exists\\s+)["'\`[]?\\b${table}\\b`, 'i').test(sketch(other.target) ?? ''),
  )
  if (made !== undefined && made.start < effect.start) return true
  if (made !== undefined || !all) return { severity: 'medium' }
  return { severity: 'high', message: 'Removes data or rights from a database.' }
}

/** Variables by which other programs, or this one's libraries, find their code and the way out. */
export const loading =
  /^(PATH|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|NODE_OPTIONS|BASH_ENV|PROMPT_COMMAND|IFS|DYLD_INSERT_LIBRARIES|GIT_SSH_COMMAND|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|https?_proxy|HTTPS?_PROXY|BASH_FUNC_.+)$/

/** Of those, the ones that no honest call sets for a single program. */
const loadingFirst =
  /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT|BASH_FUNC_.+)$/

/** Rules about what a program leaves behind or changes in passing. */
export const traceRules: readonly Rule[] = [
  {
    id: 'system/environment-change',
    languages: code,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-426',
    description: 'Changes a variable that decides which code other programs load.',
    recommendation: 'Name the program by its full path instead.',
    implies: ['privilege'],
    match: {
      on: 'assignment',
      about: target => /^(os\.environb?|process\.env)\./.test(target) && loading.test(target.replace(/^.*\./, '')),
      when: ({ how }) => how === 'assign',
    },
    examples: {
      bad: ["import os\nos.environ['LD_PRELOAD'] = '/tmp/x.so'"],
      good: ["import os\nos.environ['OMP_NUM_THREADS'] = '4'"],
    },
  },
  {
    id: 'system/environment-call',
    languages: code,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-426',
    description: 'Changes, by a call, a variable that decides which code other programs load.',
    recommendation: 'Name the program by its full path instead.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: [
        'os.putenv',
        'os.environ.update',
        'os.environ.setdefault',
        'os.environ.__setitem__',
        'os.environ.__ior__',
        'os.environb.update',
        'os.environb.__setitem__',
        'Deno.env.set',
        'Object.assign',
        'Object.defineProperty',
        'Reflect.set',
      ],
      when: call => {
        if (/^(Object|Reflect)\./.test(call.name) && !names(call.args[0], /^process\.env$/)) return false
        const [first, second] = /^(Object|Reflect)\./.test(call.name) ? call.args.slice(1) : call.args
        const told = [first, second].flatMap(value =>
          value?.kind === 'map' ? [...value.entries.keys()] : [textOf(value) ?? ''],
        )
        return [...told, ...call.named.keys()].some(name => loading.test(name))
      },
    },
    examples: {
      bad: [
        "import os\nos.putenv('LD_PRELOAD', '/tmp/x.so')",
        "import os\nos.environ.update(PYTHONSTARTUP='/tmp/x.py')",
        "import os\nos.environ.update({'PATH': '/tmp'})",
        { language: 'typescript', code: "Deno.env.set('LD_PRELOAD', '/tmp/x.so')" },
      ],
      good: [
        "import os\nos.environ.setdefault('OMP_NUM_THREADS', '4')",
        { language: 'javascript', code: 'Object.assign(options, given)' },
      ],
    },
  },
  {
    id: 'system/environment-given',
    languages: code,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-426',
    description: 'Starts a program with a variable that loads other code before it.',
    recommendation: 'Start the program that is meant.',
    implies: ['run', 'privilege'],
    match: {
      on: 'call',
      names: [
        'subprocess.*',
        'child_process.*',
        'os.execve',
        'os.execvpe',
        'os.spawnve',
        'os.posix_spawn',
        'Deno.Command',
      ],
      when: call =>
        [option(call, 'env'), ...call.args].some(
          value => value?.kind === 'map' && [...value.entries.keys()].some(name => loadingFirst.test(name)),
        ),
    },
    examples: {
      bad: [
        "import subprocess\nsubprocess.run(['ls'], env={'LD_PRELOAD': './x.so'})",
        "import subprocess\nsubprocess.run(['bash', '-c', 'ls'], env={'BASH_FUNC_ls%%': '() { id; }'})",
        { language: 'javascript', code: "require('child_process').spawn('ls', [], { env: { LD_PRELOAD: './x.so' } })" },
      ],
      good: ["import subprocess\nsubprocess.run(['ls'], env={'LANG': 'C', 'PYTHONPATH': '.'})"],
    },
  },
  {
    id: 'system/temporary-name',
    languages: python,
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-377',
    description: 'Takes a temporary name that somebody else can take first.',
    recommendation: 'Use `tempfile.NamedTemporaryFile` or `mkstemp`.',
    implies: ['write'],
    match: { on: 'call', names: ['tempfile.mktemp', 'os.tempnam', 'os.tmpnam'] },
    examples: { bad: ['import tempfile\ntempfile.mktemp()'], good: ['import tempfile\ntempfile.mkstemp()'] },
  },
  {
    id: 'system/shared-temporary',
    languages: code,
    type: 'unsafe-file',
    severity: 'low',
    cwe: 'CWE-377',
    description: 'Writes to a fixed name in the shared temporary folder.',
    recommendation: 'Let the library choose the name.',
    implies: ['write'],
    match: { on: 'effect', kinds: ['write'], when: effect => says(effect.target, /^\/(var\/)?tmp\/\w/) },
    examples: { bad: ["open('/tmp/a.txt', 'w')"], good: ["open('a.txt', 'w')"] },
  },
  {
    id: 'system/assert',
    languages: python,
    type: 'unsafe-file',
    severity: 'low',
    cwe: 'CWE-703',
    description: 'An assertion is not checked when Python runs optimised.',
    recommendation: 'Raise an exception where the check matters.',
    implies: [],
    match: { on: 'mark', kinds: ['assert'] },
    examples: { bad: ['assert x > 0'], good: ['if x <= 0:\n    raise ValueError'] },
  },
  {
    id: 'system/silent-failure',
    languages: code,
    type: 'unsafe-file',
    severity: 'low',
    cwe: 'CWE-390',
    description: 'Catches an error and ignores it.',
    recommendation: 'Handle the failures that are expected, and report the others.',
    implies: [],
    match: { on: 'mark', kinds: ['silent-catch'] },
    examples: {
      bad: ['try:\n    f()\nexcept Exception:\n    pass'],
      good: ['try:\n    f()\nexcept ValueError as e:\n    print(e)'],
    },
  },
  {
    id: 'system/registry',
    languages: python,
    type: 'persistence',
    severity: 'high',
    cwe: 'CWE-506',
    description: 'Writes to the registry, where programs are started from.',
    recommendation: 'Leave it to an installer.',
    implies: ['persistence'],
    match: {
      on: 'call',
      names: [
        'winreg.SetValueEx',
        'winreg.CreateKey',
        'winreg.CreateKeyEx',
        '_winreg.SetValueEx',
        'winreg.DeleteKey',
        'winreg.SetValue',
        'winreg.OpenKey',
      ],
      when: call => (call.name.endsWith('OpenKey') ? { severity: 'medium' } : true),
    },
    examples: { bad: ["import winreg\nwinreg.SetValueEx(k, 'a', 0, 1, 'x')"], good: ['registry.set("a")'] },
  },
  {
    id: 'system/mail',
    languages: code,
    type: 'exfiltration',
    severity: 'medium',
    cwe: 'CWE-201',
    description: 'Sends mail or files out.',
    recommendation: 'Let the person send the result.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'smtplib.SMTP().sendmail',
        'smtplib.SMTP_SSL().sendmail',
        'smtplib.SMTP().send_message',
        'smtplib.SMTP_SSL().send_message',
        'ftplib.FTP().storbinary',
        'ftplib.FTP().storlines',
        'ftplib.FTP',
        'ftplib.FTP_TLS',
        'telnetlib.Telnet',
        'paramiko.SFTPClient.from_transport',
        'paramiko.SSHClient().open_sftp',
        'nodemailer.createTransport',
        'boto3.client().upload_file',
        'paramiko.SSHClient().connect',
        'smtplib.SMTP',
        'pysftp.Connection',
        'smtplib.SMTP_SSL',
      ],
    },
    examples: { bad: ["import smtplib\nsmtplib.SMTP('mail').sendmail(a, b, c)"], good: ['mail.compose(x)'] },
  },
  {
    id: 'system/data-loss',
    languages: code,
    type: 'database',
    severity: 'low',
    cwe: 'CWE-89',
    description: 'Changes data in a database.',
    recommendation: 'Work on a copy.',
    implies: ['modify'],
    match: {
      on: 'effect',
      kinds: ['modify'],
      when: removed,
    },
    examples: {
      bad: [
        "cur.execute('DROP TABLE users')",
        "cur.execute('INSERT INTO t VALUES (1)')",
        { language: 'javascript', code: "await knex.schema.dropTable('users')" },
        { language: 'javascript', code: 'await prisma.user.deleteMany()' },
        'db.users.delete_many({})',
        { language: 'javascript', code: "pool.query('TRUNCATE TABLE users')" },
      ],
      good: [
        "cur.execute('SELECT 1')",
        "df.drop(columns=['a'])",
        { language: 'javascript', code: 'console.log(_.drop(rows, 2))' },
        { language: 'javascript', code: "frame.drop({ columns: ['a'] })" },
      ],
    },
  },
  {
    id: 'system/moved-file',
    languages: python,
    type: 'unsafe-file',
    severity: 'low',
    cwe: 'CWE-73',
    description: 'Moves, renames or links files.',
    recommendation: 'Copy instead, and keep the original.',
    implies: ['write', 'delete'],
    match: {
      on: 'call',
      names: ['os.rename', 'os.renames', 'os.replace', 'shutil.move', 'os.symlink', 'os.link'],
      when: call =>
        call.args.some(value => says(value, /^(\/(?!tmp\/)|~)/))
          ? { severity: 'medium' }
          : call.args.every(isFixed) || call.inLoop || lower(call.args[0]) !== ''
            ? true
            : { severity: 'low' },
    },
    examples: { bad: ["import os\nos.rename('/etc/a', '/etc/b')"], good: ["df.rename(columns={'a': 'b'})"] },
  },
  {
    id: 'system/own-source',
    languages: python,
    type: 'obfuscation',
    severity: 'medium',
    cwe: 'CWE-506',
    description: 'Reads or copies its own source, as programs do that spread.',
    recommendation: 'Remove it.',
    implies: ['read', 'write'],
    match: {
      on: 'call',
      names: ['open', 'shutil.copy', 'shutil.copyfile', 'shutil.copy2', 'os.remove', 'os.unlink'],
      when: call =>
        names(call.args[0], /^(__file__|sys\.argv\[\])$/) &&
        !(call.name === 'open' && names(call.args[0], /argv/)) &&
        !(call.name.startsWith('os.') && names(call.args[0], /argv/)),
    },
    examples: {
      bad: ["import shutil\nshutil.copy(__file__, '/tmp/x')"],
      good: ['import os\nos.path.dirname(__file__)'],
    },
  },
]

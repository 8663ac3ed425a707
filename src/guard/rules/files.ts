import type { Effect } from '../effect.ts'
import { isDataFile, isTable, placeOf } from '../paths.ts'
import type { Rule } from '../rule.ts'
import { sketch, startOf, textOf, wholeOf } from '../values.ts'
import { everywhere } from './ask.ts'
import { known, place } from './where.ts'

/** What browsers and messengers keep: passwords, cookies, sessions. */
const browserStore =
  /[\\/](Local Storage[\\/]leveldb|Login Data|Local State|Cookies|Web Data|logins\.json|key4\.db|cookies\.sqlite|tdata|wallet\.dat)([\\/]|$)/i

/** One file of the working folder that the program wrote before it removes it: whatever was there is gone already. */
function isOwn(effect: Effect, effects: readonly Effect[]): boolean {
  const path = wholeOf(effect.target)
  return (
    path !== null &&
    !effect.many &&
    /^(workspace|temporary)$/.test(placeOf(path)) &&
    effects.some(
      other =>
        other.kind === 'write' &&
        other.harmless !== true &&
        other.start < effect.start &&
        wholeOf(other.target) === path &&
        // A new name for a file is no new file.
        !/rename|replace|move|mv|link|chmod|chown/.test(other.call?.name ?? ''),
    )
  )
}

/** Rules about files that belong to people. */
export const fileRules: readonly Rule[] = [
  {
    id: 'files/secret-read',
    languages: everywhere,
    type: 'secret',
    severity: 'high',
    cwe: 'CWE-522',
    description:
      'Reads a place where credentials are kept: keys, tokens, password stores, browser profiles or shell histories.',
    recommendation: 'Let the person hand over the one secret that is needed, through the key store.',
    implies: ['read', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['read'],
      // The public half of a key is there to be shown.
      when: effect =>
        (place(effect) === 'secret' && !/\.ssh\/[\w.-]+\.pub$/.test(known(effect))) ||
        // Of the path only the end is known, and that end says enough.
        (place(effect) === null && browserStore.test(sketch(effect.target) ?? '')),
    },
    examples: {
      bad: [
        "import os\nprint(open(os.path.expanduser('~/.ssh/id_rsa')).read())",
        "from pathlib import Path\n(Path.home() / '.aws' / 'credentials').read_text()",
        "import os\ndef all(profile):\n    return os.listdir(profile + '/Local Storage/leveldb')",
        { language: 'javascript', code: "require('fs').readFileSync(require('os').homedir() + '/.npmrc')" },
      ],
      good: ["open('data.csv').read()", "import pandas as pd\npd.read_csv('key_figures.csv')"],
    },
  },
  {
    id: 'files/telling-name',
    languages: everywhere,
    type: 'secret',
    severity: 'medium',
    cwe: 'CWE-200',
    description: 'Reads or copies a file whose name says that it is confidential.',
    recommendation: 'Check that this program is meant to see the file.',
    implies: ['read', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['read', 'write'],
      when: effect =>
        place(effect) !== 'secret' &&
        /(secret|sensitive|confidential|passw(or)?d|credential|private[-_.]?key|api[-_]?key)/i.test(known(effect)) &&
        !/\.(py|js|ts|html|md)$/.test(known(effect)),
    },
    examples: { bad: ["open('/mnt/sensitive_records.txt').read()"], good: ["open('records.txt').read()"] },
  },
  {
    id: 'files/secret-change',
    languages: everywhere,
    type: 'unsafe-file',
    severity: 'high',
    cwe: 'CWE-732',
    description: 'Writes to a place where credentials are kept.',
    recommendation: 'Leave credential files to the tools that own them.',
    implies: ['write', 'secrets'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: effect =>
        place(effect) === 'secret' &&
        !/(^|\/)\.env(\.|$)/.test(known(effect)) &&
        // `openssl req -keyout key.pem` makes a key where there was none.
        !(effect.harmless === true && effect.call?.name === 'openssl'),
    },
    examples: { bad: ["open('/etc/shadow', 'a').write(line)"], good: ["open('report.txt', 'w').write(line)"] },
  },
  {
    id: 'files/home-access',
    languages: everywhere,
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-552',
    description:
      'Reaches into the home folder or another place outside the working folder, for something that is no data file.',
    recommendation: 'Drop the file into the notebook, so that it lies in the working folder.',
    implies: ['read', 'write'],
    match: {
      on: 'effect',
      kinds: ['read', 'write'],
      when: effect => {
        const where = place(effect)
        if (where !== 'home' && where !== 'outside') return false
        const path = known(effect)
        if (path.startsWith('..') ? isDataFile(path) : isTable(path)) return false
        // A disk or a share that somebody put there for data.
        if (/^\/(mnt|media|Volumes)\/./.test(path)) return false
        // Only a start is known, or only a folder above: `../data/` + name is how people keep their data.
        const relative = path.startsWith('..')
        if (relative) return effect.kind === 'write' && textOf(effect.target) !== null && /\.\w+$/.test(path)
        return true
      },
    },
    examples: {
      bad: ["import os\nos.listdir(os.path.expanduser('~/Documents'))", "open('/home/bob/notes').read()"],
      good: [
        "import pandas as pd\npd.read_csv('~/data.csv')",
        "open('../data/input.csv')",
        { language: 'javascript', code: "$('#main').load('/home/index')" },
      ],
    },
  },
  {
    id: 'files/deletion',
    languages: everywhere,
    type: 'deletion',
    severity: 'medium',
    cwe: 'CWE-73',
    description: 'Deletes files.',
    recommendation: 'Keep what is not needed, or delete it by hand after looking.',
    implies: ['delete'],
    match: {
      on: 'effect',
      kinds: ['delete'],
      when: (effect, { program, effects }) => {
        if (effect.harmless) {
          if (!effects.some(other => other.kind === 'write' && other.call !== null && other.call === effect.call))
            return { severity: 'low', message: 'Removes temporary or generated files.' }
          return effect.many && !/^(workspace|temporary)$/.test(place(effect) ?? 'workspace')
            ? { message: 'Deletes files outside the working folder that the source does not have.' }
            : false
        }
        if (isOwn(effect, effects)) return { severity: 'low', message: 'Removes a file that it wrote itself.' }
        // `rm -f "$out"` is how scripts begin and end; a folder or many files would be another matter.
        if (program.language === 'bash' && !effect.many && startOf(effect.target) === '')
          return { severity: 'low', message: 'Removes one file whose name is known only when it runs.' }
        switch (place(effect)) {
          case 'root':
          case 'system':
          case 'startup':
          case 'identity':
          case 'secret':
            return { severity: 'critical', message: 'Deletes files of the system or of the person.' }
          case 'home':
          case 'outside':
            return { severity: 'high', message: 'Deletes files outside the working folder.' }
          default:
            return effect.many ? { severity: 'high', message: 'Deletes many files.' } : true
        }
      },
    },
    examples: {
      bad: [
        "import os\nos.remove('out.csv')",
        "import os\nos.remove('out.csv')\nopen('out.csv', 'w')",
        "import shutil\nshutil.rmtree('/home')",
        "import os, shutil\nos.makedirs('out', exist_ok=True)\nshutil.rmtree('out')",
        { language: 'javascript', code: "import fs from 'node:fs'\nfs.rmSync('dir', { recursive: true })" },
        { language: 'bash', code: 'rsync -a --delete empty/ /mnt/ledger/' },
      ],
      good: [
        { language: 'bash', code: 'rsync -a --delete src/ out/' },
        'items = [1, 2]\nitems.remove(1)',
        'import shutil, tempfile\nfrom pathlib import Path\nwork = Path(tempfile.mkdtemp())\nshutil.rmtree(work)',
        "import pandas as pd\ndf = pd.DataFrame()\ndf.drop(columns=['a'])",
        "import os\nimport pandas as pd\npd.DataFrame().to_csv('a.csv')\nos.remove('a.csv')",
      ],
    },
  },
  {
    id: 'files/hidden-temporary',
    languages: everywhere,
    type: 'unsafe-file',
    severity: 'medium',
    cwe: 'CWE-552',
    description: 'Puts a hidden file into a folder that everybody shares, where it is not looked for.',
    recommendation: 'Use a file of the working folder with a plain name.',
    implies: ['write'],
    match: {
      on: 'effect',
      kinds: ['write'],
      when: effect => /^\/(tmp|var\/tmp|dev\/shm)\/(.*\/)?\.(?!X11-unix|ICE-unix|lock|cache)[\w-]/.test(known(effect)),
    },
    examples: {
      bad: ["open('/tmp/.x', 'w').write('a')", { language: 'bash', code: 'cp tool /dev/shm/.tool' }],
      good: ["open('/tmp/x', 'w').write('a')"],
    },
  },
]

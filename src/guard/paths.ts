import { remembered } from './names.ts'

/**
 * What a path means to a person, whatever language it was written in. The home folder is written `~`; front ends fold
 * `os.path.expanduser`, `$HOME`, `os.homedir()` and the like to it. The current folder is the workspace.
 */
export type Place =
  /** Keys, tokens, password files, browser stores, shell histories. */
  | 'secret'
  /** Read at every login, boot or shell: writing here outlives the program. */
  | 'startup'
  /** Accounts and name resolution: `/etc/passwd`, `/etc/hosts`. */
  | 'identity'
  /** Disks, kernel memory, kernel switches. */
  | 'device'
  /** A whole root, home or drive. */
  | 'root'
  | 'system'
  | 'home'
  /** Above the workspace, or an absolute folder that is none of the others. */
  | 'outside'
  | 'temporary'
  | 'workspace'

const tests: readonly (readonly [Place, RegExp])[] = [
  [
    'temporary',
    /^(\/tmp|\/var\/tmp|\/dev\/shm|\/private\/tmp|\/dev\/(null|zero|u?random|full|std(in|out|err)|tty|fd\/\d+)$)(\/(?!.*\.\.)|$)/i,
  ],
  [
    'startup',
    /(^|\/)(authorized_keys2?|\.(bash(rc|_profile|_login|_logout|_aliases)|profile|zsh(rc|env)|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|xsession(rc)?|pam_environment|vimrc|pythonrc)|rc\.local|crontab|config\.fish)$/i,
  ],
  [
    'startup',
    /^\/etc\/(cron|profile|bash\.bashrc|bashrc|zsh|environment$|rc\d?\.d|rc\.|init(\.d|tab)|systemd\/|ld\.so|pam\.|sudoers|ssh\/sshd?_config|xdg\/autostart|update-motd|modules|udev\/|apt\/apt\.conf\.d|at\.)|^\/var\/spool\/(cron|at)|\/systemd\/(system|user)\/|^\/(usr\/)?lib\/systemd|\.config\/(autostart|systemd)|\/Library\/Launch(Agents|Daemons)|Start Menu\/Programs\/Startup|\.git\/hooks\/|site-packages\/.*\.pth$|(site|user)customize\.py$|\/CurrentVersion\/Run/i,
  ],
  [
    'secret',
    /^\/etc\/(shadow|gshadow|sudoers|master\.passwd|krb5\.keytab|ssl\/private|ssh\/ssh_host|security\/opasswd)|\/proc\/(self|\d+|\*|[^/]*)\/(environ|mem|maps|cmdline)|\/run\/secrets\/|secrets\/kubernetes\.io|\/var\/lib\/(docker|kubelet)|\/(SAM|SECURITY|NTDS\.dit)$|^\/root\/\.[a-z]/i,
  ],
  [
    'secret',
    /(^|\/)\.(ssh|aws|azure|gnupg|gpg|kube|docker|password-store|mozilla|thunderbird|oci|electrum|bitcoin|ethereum|config\/(gcloud|google-chrome|chromium|BraveSoftware|op|gh|rclone))(\/|$)/i,
  ],
  [
    'secret',
    /(^|\/)(id_(rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.vault-token|\.(bash|zsh|sh|python|mysql|psql|node_repl|sqlite|lesshst|rediscli)_?(history|hist)|\.history|wallet\.dat|key[34]\.db|logins\.json|cookies\.sqlite|login data|web data|local state|cookies|keychain[^/]*|credentials(\.(json|xml|ya?ml|ini|csv|txt|db))?|client_secrets?\.json|service[-_]account[^/]*\.json|secrets?(\.(json|ya?ml|toml|ini|txt|env|py))?|passwords?\.(txt|csv|json|db|xlsx?)|shadow(\.bak)?|\.env(\.[\w.-]+)?|[^/]*\.(pem|p12|pfx|kdbx|keystore|jks|ppk|ovpn|keytab))$/i,
  ],
  [
    'secret',
    /(^|\/)(private|secret)[-_.]?key|\/Keychains\/|User Data\/|\/Firefox\/Profiles|telegram desktop\/tdata|discord\/Local Storage/i,
  ],
  [
    'identity',
    /^\/etc\/(passwd|group|hosts|resolv\.conf|nsswitch\.conf|hostname|fstab|exports|issue|machine-id)(-|$|\.)|drivers\/etc\/hosts$/i,
  ],
  [
    'device',
    /^\/dev\/(sd|hd|nvme|vd|xvd|mmcblk|disk|mem|kmem|port|loop|md|dm-|mapper|input|video|snd|tcp|udp|kvm)|^\/proc\/(sys|sysrq-trigger|kcore|kmsg|kallsyms)|^\/sys\/|physicaldrive\d|^\\\\\.\\/i,
  ],
  // Where notebooks of others keep their data; before the folders of the system, some of which hold them.
  [
    'workspace',
    /^\/(workspace|work|data|content|dbfs|lakehouse|scratch|gpfs|lustre|opt\/ml|kaggle|datasets?|app\/data|mnt\/data)(\/(?!.*\.\.)|$)/i,
  ],
  [
    'root',
    /^(\/+\*{0,2}|~\/?\*{0,2}|\/(home|root|etc|usr|var|bin|sbin|lib|lib64|boot|dev|opt|Users|System|proc|sys)\/?\*?|[a-z]:[\\/]*\*?|\/(home|Users)\/[^/]+\/?\*?)$/i,
  ],
  [
    'system',
    /^\/(etc|usr|bin|sbin|lib|lib64|boot|var|opt|root|proc|srv|run|System|Library|Applications|lost\+found)(\/|$)|^[a-z]:\/(windows|program files|programdata|system32)|^%?(systemroot|windir|programfiles)/i,
  ],
  // What instructions write where the reader is to put a folder of their own.
  ['workspace', /^\/(some|your|my|foo|bar|(source|src|target|dest\w*|dir\w*|folder\w*)(_\w+)?)(\/(?!.*\.\.)|$)/i],
  ['home', /^(~|\/home\/|\/Users\/|[a-z]:\/users\/|%userprofile%|%appdata%|%localappdata%|\$home)/i],
  ['outside', /^(\/|[a-z]:\/|\\\\)/i],
]

/** Every rule about files asks this of every path. */
const places = new Map<string, Place>()

export function placeOf(path: string): Place {
  const known = places.get(path)
  if (known !== undefined) return known
  const clean = normalise(path)
  const found = tests.find(([, test]) => test.test(clean))?.[0] ?? (/^\.\.(\/|$)/.test(clean) ? 'outside' : 'workspace')
  if (places.size >= 1_000) places.clear()
  if (path.length <= 300) places.set(path, found)
  return found
}

const normalised = new Map<string, string>()

/** Forward slashes, `.` and `..` resolved as far as they can be, `file://` and doubled slashes gone. */
export function normalise(path: string): string {
  const known = normalised.get(path)
  if (known !== undefined) return known
  const clean = resolved(path)
  if (normalised.size >= 1_000) normalised.clear()
  if (path.length <= 300) normalised.set(path, clean)
  return clean
}

function resolved(path: string): string {
  const plain = path
    .trim()
    .replace(/^file:\/\/(localhost)?(?=\/)/i, '')
    .replace(/\\/g, '/')
  const absolute = plain.startsWith('/')
  const kept: string[] = []
  for (const part of plain.split('/')) {
    if (part === '' || part === '.') continue
    const before = kept.at(-1)
    if (part === '..') {
      if (before !== undefined && before !== '..' && before !== '~') kept.pop()
      else if (!absolute) kept.push('..')
    } else kept.push(part)
  }
  const joined = kept.join('/')
  if (absolute) return `/${joined}`
  return joined === '' ? '.' : joined
}

/** What tools make and make again: losing it costs time, not work. `out` is not among them: analysts keep results there. */
const generated =
  /(^|\/)(build|dist|target|bin\/obj|node_modules|__pycache__|coverage|htmlcov|\.(cache|pytest_cache|mypy_cache|ruff_cache|tox|nox|next|nuxt|turbo|parcel-cache|gradle|eggs)|cache|cachedir|[^/]+\.egg-info|tmp|temp|\.coverage|\.DS_Store|a\.out|core|[^/]*(\.(o|obj|lo|la|a|py[co]|py\[co\]|class|te?mp|sw[op]|orig|rej|pid|lock|sock|aux|toc|blg|bbl|fls|gcda|gcno|tsbuildinfo)|~))\/?\*?$/
/** What an image of a system is built without. */
const imageCache = /^\/var\/(lib\/apt\/lists|cache\/(apt|apk|yum|dnf|pacman|man))(\/|$)|^~\/\.cache(\/|$)/

/** Made by tools, and where the script works or builds. */
export const isMadeAgain = (path: string): boolean =>
  imageCache.test(path) || (generated.test(path) && /^(workspace|temporary)$/.test(placeOf(path)))

/** Files that analysts read and write from anywhere: data, pictures, documents. */
export const isDataFile = (path: string): boolean =>
  /\.(csv|tsv|txt|json|jsonl|ndjson|parquet|feather|arrow|xlsx?|ods|h5|hdf5|nc|npy|npz|mat|dta|sav|sas7bdat|orc|avro|geojson|shp|gpkg|tif+|png|jpe?g|gif|svg|bmp|webp|pdf|html?|md|xml|ya?ml|toml|zip|gz|bz2|xz|tar|joblib|pkl|pickle|pt|pth|onnx|wav|mp3|mp4|avi|mov|ipynb|log|dat|db|sqlite3?)(\.(gz|bz2|xz|zip))?$/i.test(
    path,
  )

/** Data that is certainly only data: tables, arrays, pictures. A text file may be anything. */
export const isTable = (path: string): boolean =>
  /\.(csv|tsv|json|jsonl|geojson|parquet|feather|arrow|xlsx?|ods|h5|hdf5|nc|npy|npz|mat|dta|sav|sas7bdat|orc|avro|shp|gpkg|tif+|png|jpe?g|gif|svg|webp|ipynb|zip)(\.(gz|bz2|xz|zip))?$/i.test(
    path,
  )

/** The host in a URL or an address; null when there is none. */
export function hostOf(target: string): string | null {
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@?#]*@)?(\[[^\]]+\]|[^/:?#]+)/i.exec(target)
  if (url?.[1]) return url[1].toLowerCase()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/i.test(target) ? (target.split(':')[0] ?? target).toLowerCase() : null
}

/** Addresses where a cloud machine hands out its own credentials. */
export const isMetadataHost = (host: string): boolean =>
  /^(169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|metadata\.google\.internal|metadata\.goog|\[fd00:ec2::254\]|instance-data)$/i.test(
    oneSpelling(host),
  )

/** An address has many spellings (`2852039166`, `0xa9.254.43518`, `[::ffff:169.254.169.254]`): the one that all mean. */
function oneSpelling(host: string): string {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const parsed = URL.parse(`http://${bracketed}`)?.hostname ?? host
  const plain = parsed.replace(/\.$/, '')
  const [, high, low] = /^\[::(?:ffff:)?([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(plain) ?? []
  if (high === undefined || low === undefined) return plain
  return [high, low].flatMap(half => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join('.')
}

/** Places where data is dropped by those who do not want to be found. */
export const isDropHost = (host: string): boolean =>
  /(^|\.)(pastebin\.com|paste\.ee|hastebin\.com|transfer\.sh|file\.io|0x0\.st|anonfiles\.com|webhook\.site|requestbin\.\w+|pipedream\.net|ngrok\.(io|app)|ngrok-free\.app|burpcollaborator\.net|oastify\.com|interact\.sh|oast\.\w+|discord(app)?\.com|api\.telegram\.org|termbin\.com|ix\.io|sprunge\.us|bashupload\.com|gofile\.io|dnslog\.cn|serveo\.net|trycloudflare\.com|onion)$/i.test(
    host,
  ) || /(^|[.-])(evil|attacker|malicious|malware|exfil|hacker|c2|badguy)[\w-]*\./i.test(host)

/** Names of variables and fields that hold secrets. */
export const isSecretName = remembered((name: string): boolean =>
  /(passw(or)?d|passwd|pwd|secret|token|api_?key|apikey|access_?key|private_?key|credential|auth_?key|encryption_?key|client_?secret|conn(ection)?_?str|(^|_)(aws|gcp|azure)_.*key|session_?key|signing_?key|passphrase|pass_?code|access_?code)/i.test(
    name.replace(/([a-z])([A-Z])/g, '$1_$2'),
  ),
)

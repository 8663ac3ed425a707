import type { Language } from '../../contract/run.ts'
import { remembered } from '../names.ts'

/**
 * Of the libraries that the tables know, and of what a runtime brings along, those whose business is programs, hosts, code or whole
 * machines: a function of theirs that no table names is unknown too, but for those that only look or prepare. Without
 * this a reviewer would read "nothing, can be undone" beside `pytest.main()` or `Deno.kill(1)`.
 */
const reaching: Readonly<Record<'python' | 'scripts', ReadonlyMap<string, RegExp>>> = {
  python: new Map([
    [
      'IPython',
      /^(display|core\.display|lib\.(display|pretty)|version_info|get_ipython|paths|core\.magic)\b(?!\(\)\.)/,
    ],
    [
      'boto3',
      /^(Session|client|resource|setup_default_session|set_stream_logger)(\(\)\.(client|resource|Table|Bucket|Object))*$/,
    ],
    ['botocore', /^(config\.Config|exceptions|session\.get_session$|UNSIGNED)/],
    [
      'dash',
      /^(Dash|html|dcc|Input|Output|State|callback|dash_table|Patch)$|^(html|dcc|dash_table|dependencies)\.|^Dash\(\)\.(callback|layout)/,
    ],
    ['doctest', /^(testmod|DocTest|ELLIPSIS)/],
    ['ensurepip', /^version$/],
    ['fabric', /^(Config|Connection)$/],
    ['flask', /^(?!Flask\(\)\.run$)/],
    ['gradio', /^(?!\w+\(\)\.launch$)/],
    ['idlelib', /(?!)/],
    [
      'importlib',
      /^(import_module|reload|invalidate_caches|metadata\b|resources\b|abc|util\.(find_spec|spec_from_file_location|module_from_spec|cache_from_source)|machinery\.\w+$)/,
    ],
    ['invoke', /^(Context|Config|Collection|task)$/],
    ['logging.config', /^dictConfig$/],
    ['multiprocessing.util', /^(get_logger|log_to_stderr|Finalize)$/],
    [
      'paramiko',
      /^(SSHClient|AutoAddPolicy|RejectPolicy|WarningPolicy|\w+Key(\.\w+)?)$|^SSHClient\(\)\.(set_missing_host_key_policy|load_system_host_keys|close)$/,
    ],
    ['pexpect', /^(EOF|TIMEOUT|exceptions)/],
    ['pip', /(?!)/],
    [
      'pkg_resources',
      /^(get_distribution|parse_version|parse_requirements|working_set|resource_\w+|require|DistributionNotFound)/,
    ],
    ['pytest', /^(?!main$)/],
    ['runpy', /(?!)/],
    ['setuptools', /^(find_\w*packages|Extension|Command)$/],
    ['streamlit.web', /(?!)/],
    ['uvicorn', /^(Config)$/],
    ['gunicorn', /(?!)/],
    ['venv', /(?!)/],
    ['webbrowser', /^(register|get)$/],
  ]),
  scripts: new Map([
    [
      'Deno',
      /^(args|build|version|pid|ppid|mainModule|noColor|errors|cwd|exit|exitCode|inspect|memoryUsage|systemMemoryInfo|hostname|osRelease|osUptime|loadavg|uid|gid|consoleSize|execPath|jupyter|isatty|test|bench|env|stdin|stdout|stderr|stat|lstat|fstat|FsFile|(add|remove)SignalListener|(un)?refTimer|(read|write)\w*\(\)|permissions\.query|open\w*\(\)\.|Command\(\))/,
    ],
    [
      'Bun',
      /^(version|revision|main|argv|env|sleep|nanoseconds|inspect|deepEquals|hash|password|escapeHTML|stringWidth|gc|file|color|semver|CryptoHasher|which)/,
    ],
    ['Worker', /(?!)/],
    ['SharedWorker', /(?!)/],
    ['WebTransport', /^(?!$)/],
    ['RTCPeerConnection', /^(?!$)/],
    ['BroadcastChannel', /^(?!\(\)\.postMessage)/],
    ['caches', /^(open|keys|has|match|delete)$/],
    ['cluster', /^(isMaster|isPrimary|isWorker|on)\b/],
    ['inspector', /^(url|console)$/],
    ['repl', /(?!)/],
    ['vm', /^(createContext|isContext|measureMemory)$/],
    ['wasi', /(?!)/],
    ['worker_threads', /^(isMainThread|parentPort|workerData|threadId|MessageChannel)\b/],
    ['process.report', /^(compact|directory|filename)/],
    ['http.createServer().listen', /^(?!$)/],
    ['https.createServer().listen', /^(?!$)/],
    ['http2.createServer().listen', /^(?!$)/],
    ['net.createServer().listen', /^(?!$)/],
    ['express().listen', /^(?!$)/],
    ['dgram', /(?!)/],
    ['ejs', /(?!)/],
    ['pug', /(?!)/],
    ['lodash.template', /(?!)/],
    ['handlebars', /^(registerHelper|registerPartial|escapeExpression|SafeString)$/],
  ]),
}

const ofPython = remembered(name => isReaching(name, reaching.python))
const ofScripts = remembered(name => isReaching(name, reaching.scripts))

/** Whether a name belongs to one of those, and is none of the functions that only look or prepare. */
export const reaches = (language: Language): ((name: string) => boolean) =>
  language === 'python' ? ofPython : ofScripts

function isReaching(name: string, roots: ReadonlyMap<string, RegExp>): boolean {
  // By the name itself and by each of its beginnings that ends before a dot or a bracket.
  for (
    let end = name.length;
    end > 0;
    end = Math.max(name.lastIndexOf('.', end - 1), name.lastIndexOf('(', end - 1), name.lastIndexOf('[', end - 1))
  ) {
    const calm = roots.get(name.slice(0, end))
    if (calm !== undefined) return !calm.test(name.slice(end).replace(/^\./, ''))
  }
  return false
}

/** Other spellings of the same thing, so that rules need to know one. */
export function canonicalPython(name: string): string {
  let known = name
  for (const [prefix, plain] of spellings) {
    if (known.startsWith(prefix)) {
      known = plain + known.slice(prefix.length)
      break
    }
  }
  // `pandas.io.parsers.readers.read_csv` is `pandas.read_csv`.
  if (known.startsWith('pandas.io.')) known = known.replace(/^pandas\.io\.(?:\w+\.)*(?=(?:read|to)_\w+)/, 'pandas.')
  // `sys.modules['os']`, `os.__dict__['system']`, `builtins.__dict__`: the way round is the same place.
  if (known.startsWith('sys.modules.')) known = known.slice(12)
  if (known.includes('__dict__')) known = known.replace(/^__dict__\.|\.__dict__(?=\.|$)/g, '')
  if (known.includes('.__globals__.')) known = known.replace(/^.*\.__globals__\./, '')
  if (known.includes('__builtins__.')) known = known.replace(/^.*__builtins__\./, '')
  if (known.startsWith('builtins.')) known = known.slice(9)
  if (known.includes('.f_')) known = known.replace(/^.*\.f_(builtins|globals|locals)\./, '')
  if (known.includes('.__self__.')) known = known.replace(/^\w+\.__self__\./, '')
  if (known.includes('.loader.load_module()')) known = known.replace('.loader.load_module()', '')
  // Modules carry the modules that they import: `pathlib.os` is `os`.
  const carried = carriedModule.exec(known)
  if (carried !== null) known = canonicalPython(known.slice((carried[1] ?? '').length).replace(/^_/, ''))
  if (known.endsWith('.__call__')) known = known.slice(0, -9)
  return known
}

const carriedModule =
  /^((?!self\.|asyncio\.subprocess\b|socket\.socket\b)[\w.]+?\.)_?(?:os|sys|subprocess|shutil|builtins|importlib|socket|posix|ctypes|pty|runpy)(?=\.|$)/

const spellings: readonly (readonly [string, string])[] = [
  ['asyncio.subprocess.', 'asyncio.'],
  ['__builtin__.', ''],
  ['__builtins__.', ''],
  ['posix.', 'os.'],
  ['nt.', 'os.'],
  ['posixpath.', 'os.path.'],
  ['ntpath.', 'os.path.'],
  ['cPickle.', 'pickle.'],
  ['_pickle.', 'pickle.'],
  ['commands.', 'subprocess.'],
  ['subprocess32.', 'subprocess.'],
  ['urllib3.request.', 'urllib3.'],
  ['urllib3.poolmanager.', 'urllib3.'],
  ['requests.sessions.', 'requests.'],
  ['requests.api.', 'requests.'],
  ['httpx._client.', 'httpx.'],
  ['httpx._api.', 'httpx.'],
  ['aiohttp.client.', 'aiohttp.'],
  ['torch.serialization.', 'torch.'],
  ['numpy.lib.npyio.', 'numpy.'],
  ['numpy.lib._npyio_impl.', 'numpy.'],
  ['joblib.numpy_pickle.', 'joblib.'],
  ['setuptools._distutils.', 'distutils.'],
  ['anyio.Path', 'pathlib.Path'],
  ['trio.Path', 'pathlib.Path'],
  ['aiopath.AsyncPath', 'pathlib.Path'],
  ['upath.UPath', 'pathlib.Path'],
  ['get_ipython()', 'IPython.get_ipython()'],
  ['IPython.core.getipython.', 'IPython.'],
  ['IPython.core.interactiveshell.InteractiveShell.instance()', 'IPython.get_ipython()'],
  ['IPython.utils.process.', 'IPython.get_ipython().'],
  ['six.moves.urllib.', 'urllib.'],
  ['six.moves.cPickle.', 'pickle.'],
  ['aiofiles.open', 'open'],
  ['io.open', 'open'],
  ['codecs.open', 'open'],
  ['importlib.__import__', '__import__'],
  ['multiprocessing.connection.Client', 'socket.create_connection'],
]

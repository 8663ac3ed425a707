import type { Language } from '../../contract/run.ts'
import type { Call, Import } from '../model.ts'
import { reaches } from './reaching-libraries.ts'

/**
 * Libraries that somebody has gone through: what their functions do to files, hosts and programs is in the tables, and
 * those that are not there do nothing of the kind. Of every other library nothing is known, and the impact says so.
 */
const python = new Set(
  `
  abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect
  builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
  concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm
  decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp
  fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
  hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
  lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
  multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib
  pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
  py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy
  sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd
  sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau
  symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
  tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
  unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
  zipfile zipimport zlib zoneinfo __future__
  pandas numpy scipy sklearn matplotlib seaborn statsmodels plotly bokeh altair vega_datasets polars pyarrow
  duckdb dask xarray numba
  sympy networkx torch torchvision torchaudio tensorflow keras jax flax optax xgboost lightgbm catboost shap
  lime optuna hyperopt
  nltk spacy gensim transformers datasets tokenizers sentence_transformers PIL cv2 skimage imageio wordcloud
  requests httpx aiohttp urllib3 bs4 lxml html5lib feedparser websockets websocket
  openpyxl xlsxwriter xlrd xlwt docx pptx pypdf PyPDF2 fpdf reportlab jinja2 markdown yaml toml tomli simplejson
  orjson ujson
  dateutil pytz tzdata pendulum arrow holidays tqdm rich tabulate colorama click typer pydantic attr attrs
  cattrs marshmallow
  IPython ipywidgets notebook jupyter geopandas shapely fiona rasterio pyproj folium h5py netCDF4 tables zarr
  joblib cloudpickle dill
  pymc arviz emcee lifelines prophet pmdarima arch QuantLib quantlib riskfolio cvxpy pulp ortools mip pyomo
  gurobipy
  patsy linearmodels empyrical pyfolio ta talib yfinance pandas_datareader fredapi
  sqlalchemy psycopg psycopg2 pymysql pymongo redis sqlite_utils
  flask django fastapi starlette uvicorn gunicorn werkzeug pytest hypothesis mock faker freezegun psutil
  more_itertools toolz cytoolz
  sortedcontainers boltons attrdict regex unidecode chardet charset_normalizer cryptography Crypto nacl jwt
  passlib bcrypt
  boto3 botocore paramiko fabric invoke pexpect s3fs gcsfs adlfs fsspec sh plumbum send2trash watchdog dotenv
  smart_open
  six typing_extensions setuptools pip pkg_resources distutils dns scapy ldap websocket markdownify humanize
  babel phonenumbers
  kaleido mpl_toolkits cycler mplfinance graphviz pydot pyvis umap hdbscan imblearn category_encoders
  feature_engine mlxtend yellowbrick
  pandera great_expectations missingno sweetviz ydata_profiling tabpfn gym gymnasium stable_baselines3 deap
  pyswarm
  dash streamlit gradio panel hvplot holoviews datashader colorcet
  `
    .trim()
    .split(/\s+/),
)

const scripts = new Set(
  `
  assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
  events fs http http2
  https inspector module net os path perf_hooks process punycode querystring readline repl sqlite stream
  string_decoder sys test timers
  tls trace_events tty url util v8 vm wasi worker_threads zlib fs.promises
  lodash lodash-es underscore ramda d3 mathjs simple-statistics ml-matrix danfojs arquero moment dayjs date-fns
  luxon zod yup joi ajv uuid
  nanoid chalk kleur picocolors commander yargs minimist react react-dom vue svelte preact express koa fastify
  hapi body-parser cors helmet
  axios got node-fetch ky undici superagent needle cheerio jsdom csv-parse csv-stringify papaparse xlsx exceljs
  mongoose mongodb pg mysql
  mysql2 sequelize knex prisma redis ioredis better-sqlite3 sqlite3 jsonwebtoken bcrypt bcryptjs dotenv winston
  pino debug rxjs immutable immer
  jest vitest mocha chai sinon fast-check typescript plotly.js chart.js echarts vega vega-lite three
  bignumber.js decimal.js big.js
  fs-extra glob fast-glob globby rimraf del execa cross-spawn shelljs zx ws socket.io socket.io-client shelljs
  chokidar graceful-fs dax
  std/path std/fs std/csv std/assert semver ms classnames clsx qs form-data multer passport nodemailer
  handlebars ejs pug mustache marked
  highlight.js prismjs sharp jimp electron vscode bun
  `
    .trim()
    .split(/\s+/),
)

/** Modules that a program imports and of which no table knows anything, as they are written. */
function strangers(imports: readonly Import[], language: Language): string[] {
  const found = new Set<string>()
  for (const { module } of imports) {
    const root = rootOf(module, language)
    if (root !== '' && !(language === 'python' ? python : scripts).has(root)) found.add(root)
  }
  return [...found]
}

/** Of `os.path` it is `os`; of `npm:@scope/lib@2/part` it is `@scope/lib`. */
function rootOf(module: string, language: Language): string {
  if (language === 'python') return module.replace(/^\.+/, '').split('.')[0] ?? ''
  const plain = module.replace(/^(?:node|npm|jsr):/, '')
  if (/^(\.{0,2}\/|https?:)/.test(plain)) return plain
  return plain
    .split('/')
    .slice(0, plain.startsWith('@') ? 2 : 1)
    .join('/')
    .replace(/(?<=.)@.*$/, '')
    .replace(/^fs\.promises$/, 'fs')
}

/** The calls into libraries of which nothing is known; each name once. */
export function callsIntoUnknown(
  calls: readonly Call[],
  imports: readonly Import[],
  language: Language,
  isKnown: (call: Call) => boolean,
): Call[] {
  if (language === 'bash') return []
  const modules = strangers(imports, language)
  const isReaching = reaches(language)
  const found = new Map<string, Call>()
  for (const call of calls) {
    if (found.has(call.name) || isKnown(call)) continue
    if (isReaching(call.name) || modules.some(module => belongs(call.name, module))) found.set(call.name, call)
  }
  return [...found.values()]
}

const belongs = (name: string, module: string): boolean =>
  name.startsWith(module) && (name.length === module.length || /[.([/]/.test(name[module.length] ?? ''))

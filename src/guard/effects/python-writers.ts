import type { EffectOf } from '../effect.ts'
import type { Value } from '../model.ts'
import { text, textOf } from '../values.ts'
import { arg, does, effect, type Pick, readsFileOrUrl, table } from './make.ts'
import { isElsewhere, opensByMode, writesTo } from './modes.ts'
import { executesOnFiles } from './sql.ts'

/** Calls that write the file that one argument names. */
const writers = (target: Pick, names: string): Record<string, EffectOf> =>
  table(names.trim().split(/\s+/), writesTo(target))

const opened = (target: Pick, mode: Pick, usual: string, names: string): Record<string, EffectOf> =>
  table(names.trim().split(/\s+/), opensByMode(target, mode, usual))

const isArchive = /^(tarfile|zipfile|py7zr|rarfile|pyzipper|libarchive)\b/

/** What is unpacked is written over whatever is there. */
const unpacks =
  (target: Pick): EffectOf =>
  call => {
    const folder = target(call)
    if (!isArchive.test(call.name) && !isElsewhere(folder)) return []
    return [effect('write', call, folder ?? text('.'), { many: true })]
  }

/** A file of `tempfile` in a folder that the program names; elsewhere nobody minds it. */
const temporary =
  (position: number): EffectOf =>
  call => {
    const folder = arg(position, 'dir')(call)
    return folder === undefined || folder.kind === 'nothing' ? [] : [effect('write', call, folder, { harmless: true })]
  }

/** `df.write.mode('overwrite').save(path)`: a writer of Spark, after the settings that it was given. */
const sparkWriters = (...methods: readonly string[]): string[] =>
  ['write', 'mode()', 'format()', 'option()', 'options()', 'partitionBy()', 'bucketBy()', 'sortBy()'].flatMap(before =>
    methods.map(method => `*.${before}.${method}`),
  )
/** `spark.read.option(…).csv(path)` ends as a writer does. */
const isSparkWriter = /\.write\./

/** What Python and its libraries write, and what they open in a mode that decides it. */
export const writerEffects: Readonly<Record<string, EffectOf>> = {
  ...opened(
    arg(0, 'name', 'file', 'filename'),
    arg(1, 'mode'),
    'r',
    `tarfile.open tarfile.TarFile tarfile.TarFile.open tarfile.TarFile.gzopen tarfile.TarFile.bz2open
     tarfile.TarFile.xzopen zipfile.ZipFile zipfile.PyZipFile pyzipper.AESZipFile py7zr.SevenZipFile gzip.open
     gzip.GzipFile bz2.open bz2.BZ2File lzma.open lzma.LZMAFile compression.zstd.open compression.gzip.open
     compression.bz2.open compression.lzma.open zstandard.open lz4.frame.open h5py.File netCDF4.Dataset
     tables.open_file rasterio.open fiona.open wave.open aifc.open sunau.open soundfile.SoundFile zarr.open
     smart_open.open fsspec.open anyio.open_file trio.open_file pyarrow.OSFile pyarrow.memory_map xarray.open_zarr
     laspy.open pysam.AlignmentFile`,
  ),
  ...opened(
    arg(0, 'filename', 'file', 'path'),
    arg(1, 'flag', 'mode'),
    'r',
    'dbm.open dbm.gnu.open dbm.ndbm.open dbm.dumb.open dbm.sqlite3.open',
  ),
  'shelve.open': opensByMode(arg(0, 'filename'), arg(1, 'flag'), 'rc'),
  ...opened(arg(0, 'path', 'store'), arg(1, 'mode'), 'a', 'pandas.HDFStore'),
  ...opened(arg(0, 'filename'), arg(2, 'mode'), 'r+', 'numpy.memmap'),
  'numpy.lib.format.open_memmap': opensByMode(arg(0, 'filename'), arg(1, 'mode'), 'r+'),
  ...writers(
    arg(0, 'fname', 'filename', 'file', 'path', 'file_name', 'fp', 'filepath'),
    `numpy.savez numpy.savez_compressed matplotlib.pyplot.imsave matplotlib.image.imsave
     skimage.io.imsave scipy.io.savemat scipy.io.wavfile.write scipy.io.mmwrite scipy.sparse.save_npz soundfile.write
     pyarrow.parquet.ParquetWriter fastparquet.write imageio.imsave imageio.mimsave imageio.mimwrite imageio.get_writer
     imageio.v2.imwrite imageio.v3.imwrite imageio.v2.mimsave imageio.v2.get_writer cv2.VideoWriter
     bokeh.plotting.output_file bokeh.io.output_file reportlab.pdfgen.canvas.Canvas fpdf.FPDF().output
     pypdf.PdfWriter().write xml.etree.ElementTree.ElementTree().write xml.etree.ElementTree.parse().write
     lxml.etree.ElementTree().write lxml.etree.parse().write logging.handlers.RotatingFileHandler
     logging.handlers.TimedRotatingFileHandler logging.handlers.WatchedFileHandler readline.write_history_file
     xlsxwriter.Workbook os.setxattr os.removexattr os.lchmod os.chflags os.lchflags venv.create
     venv.EnvBuilder().create distutils.dir_util.mkpath distutils.file_util.write_file
     tracemalloc.take_snapshot().dump cProfile.Profile().dump_stats pstats.Stats().dump_stats
     sklearn.datasets.dump_svmlight_file shapefile.Writer laspy.LasData().write`,
  ),
  ...table(
    ['*.save_model', '*.save_weights', '*.save_pretrained', '*.to_netcdf', '*.to_zarr', '*.write_json', '*.write_ipc'],
    call => (call.args[0]?.kind === 'text' || call.args[0]?.kind === 'joined' ? writesTo(arg(0))(call) : []),
  ),
  ...table(['*.write_ndjson', '*.write_excel', '*.write_avro', '*.write_delta'], writesTo(arg(0, 'file', 'target'))),
  ...table(['*.sink_parquet', '*.sink_csv', '*.sink_ipc', '*.sink_ndjson'], writesTo(arg(0, 'path'))),
  ...writers(
    arg(
      1,
      'where',
      'output_file',
      'dest',
      'root_path',
      'base_dir',
      'path',
      'f',
      'filename',
      'file',
      'filepath',
      'target',
    ),
    `pyarrow.parquet.write_table pyarrow.csv.write_csv pyarrow.feather.write_feather pyarrow.orc.write_table
     pyarrow.parquet.write_to_dataset pyarrow.dataset.write_dataset pandas.to_pickle torch.jit.save onnx.save
     onnx.save_model safetensors.torch.save_file safetensors.numpy.save_file tensorflow.keras.models.save_model
     keras.models.save_model plotly.io.write_html plotly.io.write_image plotly.io.write_json networkx.write_gml
     networkx.write_graphml networkx.write_edgelist networkx.write_gpickle networkx.write_adjlist networkx.write_gexf
     networkx.write_weighted_edgelist networkx.write_pajek zipapp.create_archive py_compile.compile
     shutil.copymode shutil.copystat skops.io.dump fastavro.writer cProfile.run profile.run`,
  ),
  ...table(
    ['distutils.file_util.copy_file', 'distutils.dir_util.copy_tree', 'setuptools._distutils.dir_util.copy_tree'],
    call => [effect('read', call, call.args[0]), effect('write', call, call.args[1])],
  ),
  ...table(
    ['duckdb', 'duckdb.connect()'].flatMap(on =>
      ['sql', 'query', 'execute', 'from_query'].map(name => `${on}.${name}`),
    ),
    executesOnFiles,
  ),
  ...table(
    ['duckdb', 'duckdb.connect()'].flatMap(on =>
      ['read_csv', 'read_parquet', 'read_json', 'from_csv_auto', 'from_parquet'].map(name => `${on}.${name}`),
    ),
    readsFileOrUrl(arg(0, 'path_or_buffer', 'file_glob')),
  ),
  'duckdb.connect': call => (isFile(call.args[0]) ? [effect('write', call, call.args[0], { harmless: true })] : []),
  'plotly.offline.plot': writesTo(arg(99, 'filename')),
  ...table(sparkWriters('save', 'parquet', 'csv', 'json', 'orc', 'text'), call =>
    isSparkWriter.test(call.name) ? [effect('write', call, arg(0, 'path')(call), { many: true })] : [],
  ),
  ...table(sparkWriters('saveAsTable', 'insertInto'), does('modify', arg(0, 'name', 'tableName'))),
  ...table(['*.extractall'], unpacks(arg(0, 'path'))),
  ...table(['*.extract'], unpacks(arg(1, 'path'))),
  'shutil.unpack_archive': call => [
    effect('read', call, arg(0, 'filename')(call)),
    effect('write', call, arg(1, 'extract_dir')(call) ?? text('.'), { many: true }),
  ],
  'patoolib.extract_archive': call => [
    effect('read', call, arg(0, 'archive')(call)),
    effect('write', call, arg(99, 'outdir')(call) ?? text('.'), { many: true }),
  ],
  ...table(['tempfile.NamedTemporaryFile', 'tempfile.TemporaryFile'], temporary(6)),
  'tempfile.SpooledTemporaryFile': temporary(7),
  ...table(['tempfile.mkstemp', 'tempfile.mkdtemp', 'tempfile.TemporaryDirectory', 'tempfile.mktemp'], temporary(2)),
  // What is fetched is put where the program says; without a name it stays below the folder of the program.
  ...table(['urllib.request.urlretrieve', 'urllib.urlretrieve', 'urllib.request.URLopener().retrieve'], call => [
    effect('connect', call, arg(0, 'url')(call)),
    ...writesTo(arg(1, 'filename'))(call),
  ]),
  ...table(['wget.download', 'gdown.download', 'gdown.cached_download'], call => [
    effect('connect', call, arg(0, 'url')(call)),
    ...writesTo(arg(1, 'out', 'output', 'path'))(call),
  ]),
  '*.download_file': call => [
    effect('connect', call, undefined),
    ...writesTo(arg(call.args.length > 2 ? 2 : 1, 'Filename', 'filename'))(call),
  ],
  '*.download_to_filename': call => [effect('connect', call, undefined), ...writesTo(arg(0, 'filename'))(call)],
  ...table(['paramiko.SSHClient().open_sftp().get', 'paramiko.SFTPClient.from_transport().get'], call => [
    effect('connect', call, undefined),
    effect('write', call, arg(1, 'localpath')(call)),
  ]),
  ...table(['huggingface_hub.hf_hub_download', 'huggingface_hub.snapshot_download'], call => [
    effect('connect', call, text('huggingface.co')),
    ...writesTo(arg(99, 'local_dir'))(call),
  ]),
}

/** A database in memory is no file. */
const isFile = (value: Value | undefined): boolean =>
  value !== undefined && value.kind !== 'nothing' && !/^(:memory:.*)?$/.test(textOf(value) ?? '-')

import type { Effect } from '../effect.ts'
import { type Call, origin, type Program } from '../model.ts'
import { isCallInWaiting } from '../names.ts'
import { normalise, placeOf } from '../paths.ts'
import type { Rule, Scene } from '../rule.ts'
import { comesFrom, startOf, textOf } from '../values.ts'
import { given, isFalse, isFixed, isForeign, isTrue, names, option, python, scripts } from './ask.ts'

const registers = /\b(copyreg|dispatch_table|ForkingPickler|__reduce(_ex)?__)\b/

const outside = origin.request | origin.download | origin.input

const fetches = /\b(wget|curl|aria2c|gdown|scp|rsync|gsutil|aws s3)\b/

/** Whether a file that is loaded is one that the program itself fetched. */
function wasFetched(call: Call, { program, effects }: Scene): boolean {
  const fetched = fetchedFiles(program, effects)
  if (fetched.size === 0 && program.embedded.length === 0 && !fetches.test(program.source)) return false
  const given = textOf(call.args[0])
  // `pickle.load(open('m.pkl', 'rb'))`: any file that is read may be the one.
  const files =
    given === null ? effects.filter(({ kind }) => kind === 'read').map(({ target }) => textOf(target)) : [given]
  const commands = [
    ...program.embedded.map(({ code }) => code),
    ...program.texts.map(each => each.text),
    // `subprocess.run(['curl', '-o', 'm.pkl', …])`: a command in words.
    ...effects.flatMap(({ kind, target }) => (kind === 'run' ? (textOf(target) ?? []) : [])),
  ]
  return files.some(
    file =>
      file !== null &&
      (fetched.has(normalise(file)) ||
        commands.some(line => fetches.test(line) && line.includes(file.replace(/^.*\//, '')))),
  )
}

function fetchedFiles({ calls }: Program, effects: readonly Effect[]): Set<string> {
  const connecting = new Set(effects.filter(({ kind }) => kind === 'connect').map(({ call }) => call))
  // `open('m.pkl', 'wb').write(reply.content)`: which of the open files it is cannot be told.
  const writesReply = calls.some(
    ({ name, args }) =>
      /(^|\.)(write\w*|copyfileobj)$/.test(name) && args.some(value => comesFrom(value, origin.download)),
  )
  const fetched = new Set<string>()
  for (const { kind, target, call } of effects) {
    const path = kind === 'write' && (writesReply || connecting.has(call)) ? textOf(target) : null
    if (path !== null) fetched.add(normalise(path))
  }
  return fetched
}

export const deserialisationRules: readonly Rule[] = [
  {
    id: 'deserialisation/pickle',
    languages: python,
    type: 'deserialisation',
    severity: 'medium',
    cwe: 'CWE-502',
    description: 'Loads a pickle, which runs whatever code its author put into it.',
    recommendation: 'Use JSON, CSV or Parquet for data from elsewhere.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'pickle.load',
        'pickle.loads',
        'pickle.Unpickler',
        'dill.load',
        'dill.loads',
        'cloudpickle.load',
        'cloudpickle.loads',
        'shelve.open',
        'jsonpickle.decode',
        'joblib.load',
        'pandas.read_pickle',
        'torch.load',
        'numpy.load',
        'klepto.archives.dir_archive',
        'statsmodels.api.load',
        'statsmodels.iolib.smpickle.load_pickle',
        'keras.models.load_model',
        'keras.saving.load_model',
        'tensorflow.keras.models.load_model',
        'tensorflow.keras.saving.load_model',
        'gensim.models.*',
        'gensim.utils.unpickle',
        'skops.io.load',
        'fastai.learner.load_learner',
        'hickle.load',
        'compress_pickle.load',
        'mlflow.pyfunc.load_model',
        'mlflow.sklearn.load_model',
      ],
      when: (call, scene) => {
        const { program } = scene
        const [value] = call.args
        if (wasFetched(call, scene))
          return {
            severity: 'high',
            message: 'Loads a pickle that it fetched from the network a moment ago; whoever made it runs code here.',
          }
        if (comesFrom(value, outside) || /^(https?|ftp|s3):/.test(startOf(value)))
          return {
            severity: 'high',
            message: 'Loads a pickle that comes from outside; whoever made it runs code here.',
          }
        if (call.name === 'torch.load' && isTrue(call.named.get('weights_only'))) return false
        if (call.name === 'torch.load' && isFalse(call.named.get('weights_only'))) return true
        if (call.name === 'numpy.load') return isTrue(call.named.get('allow_pickle')) ? { severity: 'medium' } : false
        if (isFalse(call.named.get('safe_mode'))) return true
        if (call.name.startsWith('gensim.') && !/\.(load|unpickle)$/.test(call.name)) return false
        if (
          /^(joblib|pandas|torch|shelve|statsmodels|keras|tensorflow|gensim|skops|fastai|hickle|compress|mlflow)/.test(
            call.name,
          )
        )
          return { severity: 'low' }
        // What the program itself pickled a line before is its own.
        if (call.name.endsWith('loads') && value?.kind === 'thing' && /dumps\(\)$/.test(value.name))
          return { severity: 'low' }
        if (call.name === 'pickle.load' && program.calls.some(({ name }) => name === 'pickle.dump'))
          return { severity: 'low' }
        return true
      },
    },
    examples: {
      bad: [
        'import pickle\npickle.loads(data)',
        'from flask import request\nimport pickle\npickle.loads(request.data)',
        "import torch\ntorch.load('m.pt', weights_only=False)",
        "import keras\nkeras.models.load_model('m.keras', safe_mode=False)",
        "import urllib.request, joblib\nurllib.request.urlretrieve('https://example.org/m', 'm.pkl')\njoblib.load('m.pkl')",
        "import requests, joblib\nopen('m.pkl', 'wb').write(requests.get(url).content)\njoblib.load('m.pkl')",
        "!wget -q https://example.org/m.pkl\nimport joblib\njoblib.load('m.pkl')",
      ],
      good: [
        'import json\njson.loads(data)',
        'import pickle\npickle.dumps(x)',
        "import pickle\npickle.dump(x, open('a', 'wb'))\npickle.load(open('a', 'rb'))",
      ],
    },
  },
  {
    id: 'deserialisation/reduce',
    languages: python,
    type: 'deserialisation',
    severity: 'high',
    cwe: 'CWE-502',
    description: 'Makes an object that runs a command when it is unpickled.',
    recommendation: 'Remove it.',
    implies: ['run'],
    match: {
      on: 'program',
      find: ({ program }) =>
        program.assignments
          .filter(
            ({ target, value }) =>
              (target === '__reduce__' &&
                value.kind === 'list' &&
                value.items.some(item => names(item, /^(os\.|subprocess\.|eval$|exec$|pty\.|builtins)/))) ||
              // A function that is registered for a class does what a method of the class would.
              ((target === '__reduce__' || (target === 'return' && registers.test(program.source))) &&
                isCallInWaiting(value)),
          )
          .map(({ start, end }) => ({ at: { start, end } })),
    },
    examples: {
      bad: [
        "import os\nclass E:\n    def __reduce__(self):\n        return (os.system, ('id',))",
        "import os\nclass E:\n    __reduce__ = lambda self: (os.system, ('id',))",
        "import shutil\nclass E:\n    def __reduce__(self):\n        return shutil.rmtree, ('/srv',)",
        "import copyreg, os\ncopyreg.pickle(Rate, lambda rate: (os.system, ('id',)))",
        "import copyreg, os\ncopyreg.dispatch_table[Rate] = lambda rate: (os.system, ('id',))",
        "import os, pickle\nclass P(pickle.Pickler):\n    def reducer_override(self, it):\n        return os.system, ('id',)",
      ],
      good: [
        'class P:\n    def __reduce__(self):\n        return (P, (1,))',
        'import copyreg\ncopyreg.pickle(Rate, lambda rate: (Rate, (rate.value,)))',
      ],
    },
  },
  {
    id: 'deserialisation/yaml',
    languages: python,
    type: 'deserialisation',
    severity: 'medium',
    cwe: 'CWE-502',
    description: 'Loads YAML in a way that can make any object.',
    recommendation: 'Use `yaml.safe_load`.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'yaml.load',
        'yaml.load_all',
        'yaml.unsafe_load',
        'yaml.unsafe_load_all',
        'yaml.full_load',
        'ruamel.yaml.load',
        'yaml.UnsafeLoader',
      ],
      when: call => {
        if (/unsafe/i.test(call.name)) return { severity: 'high' }
        const loader = given(call, 1, 'Loader')
        if (loader === undefined || names(loader, /Unsafe|(^|\.)C?Loader$|FullLoader/))
          return comesFrom(call.args[0], outside) ? { severity: 'high' } : true
        return false
      },
    },
    examples: {
      bad: ['import yaml\nyaml.load(f)', 'import yaml\nyaml.load(f, Loader=yaml.Loader)'],
      good: ['import yaml\nyaml.safe_load(f)', 'import yaml\nyaml.load(f, Loader=yaml.SafeLoader)'],
    },
  },
  {
    id: 'deserialisation/xml',
    languages: python,
    type: 'deserialisation',
    severity: 'low',
    cwe: 'CWE-611',
    description: 'Parses XML with a parser that may follow entities.',
    recommendation: 'Use `defusedxml` for XML from elsewhere.',
    implies: ['read'],
    match: {
      on: 'call',
      names: [
        'xml.etree.ElementTree.parse',
        'xml.etree.ElementTree.fromstring',
        'xml.etree.ElementTree.iterparse',
        'xml.etree.ElementTree.XMLParser',
        'xml.etree.cElementTree.parse',
        'xml.etree.cElementTree.fromstring',
        'xml.dom.minidom.parse',
        'xml.dom.minidom.parseString',
        'xml.dom.pulldom.parse',
        'xml.dom.pulldom.parseString',
        'xml.sax.parse',
        'xml.sax.parseString',
        'xml.sax.make_parser',
        'xml.dom.expatbuilder.parse',
        'xml.dom.expatbuilder.parseString',
        'xml.sax.expatreader.create_parser',
        'lxml.etree.parse',
        'lxml.etree.fromstring',
        'lxml.etree.XML',
        'lxml.etree.XMLParser',
        'xmlrpc.server.SimpleXMLRPCServer',
        'xmlrpclib.ServerProxy',
        'lxml.etree.iterparse',
        'ET.parse',
        'ET.fromstring',
        'etree.parse',
        'etree.fromstring',
        'etree.XMLParser',
        'xmltodict.parse',
        'lxml.objectify.parse',
        'xml.parsers.expat.ParserCreate',
      ],
      when: call => {
        if (call.name.endsWith('XMLParser') && call.name !== 'xml.etree.ElementTree.XMLParser')
          return isTrue(call.named.get('resolve_entities')) ||
            isFalse(call.named.get('no_network')) ||
            isTrue(call.named.get('load_dtd'))
            ? { severity: 'medium' }
            : { severity: 'low' }
        const parser =
          call.named.get('parser') ??
          (call.name.startsWith('lxml') || call.name.startsWith('etree') ? call.args[1] : undefined)
        if (isForeign(call.args[0]) || comesFrom(call.args[0], origin.download)) return { severity: 'medium' }
        return /minidom|sax|pulldom|expat|xmlrpc|lxml/.test(call.name) && parser === undefined && !isFixed(call.args[0])
          ? { severity: 'medium' }
          : true
      },
    },
    examples: {
      bad: [
        'import xml.etree.ElementTree as ET\nfrom flask import request\nET.fromstring(request.data)',
        'import xml.sax\nxml.sax.parse(f, h)',
      ],
      good: ['import defusedxml.ElementTree as ET\nET.parse(f)'],
    },
  },
  {
    id: 'deserialisation/script-xml',
    languages: scripts,
    type: 'deserialisation',
    severity: 'medium',
    cwe: 'CWE-611',
    description: 'Parses XML and follows its entities.',
    recommendation: 'Leave entities off.',
    implies: ['read'],
    match: {
      on: 'call',
      names: [
        'libxmljs.parseXml',
        'libxmljs.parseXmlString',
        'libxmljs2.parseXml',
        'libxml.parseXml',
        'xmldom.DOMParser().parseFromString',
        '*.parseXmlString',
        'xml2json.toJson',
        'xml2js.parseString',
        'expat.Parser().write',
        'node-expat.Parser().write',
      ],
      when: call => isTrue(option(call, 'noent')) || isForeign(call.args[0]),
    },
    examples: {
      bad: ["const x = require('libxmljs'); x.parseXml(body, { noent: true })"],
      good: ["const x = require('libxmljs'); x.parseXml('<a/>')"],
    },
  },
  {
    id: 'deserialisation/script-object',
    languages: scripts,
    type: 'deserialisation',
    severity: 'high',
    cwe: 'CWE-502',
    description: 'Makes objects, and with them functions, from text.',
    recommendation: 'Use `JSON.parse`.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'node-serialize.unserialize',
        'serialize.unserialize',
        'serialize-javascript.deserialize',
        'serialize-to-js.deserialize',
        'funcster.deepDeserialize',
        'cryo.parse',
        'js-yaml.load',
        'yaml.load',
        'v8.deserialize',
        'jsyaml.load',
      ],
      when: call =>
        /yaml/.test(call.name)
          ? isForeign(call.args[0])
            ? { severity: 'medium' }
            : { severity: 'low' }
          : call.name === 'v8.deserialize'
            ? { severity: 'medium' }
            : true,
    },
    examples: { bad: ["require('node-serialize').unserialize(x)"], good: ['JSON.parse(x)'] },
  },
  {
    id: 'deserialisation/archive',
    languages: python,
    type: 'path-traversal',
    severity: 'low',
    cwe: 'CWE-22',
    description: 'Unpacks an archive, whose entries may point outside the folder.',
    recommendation: "Unpack with `filter='data'`.",
    implies: ['write'],
    match: {
      on: 'call',
      names: [
        'tarfile.open().extractall',
        'tarfile.open().extract',
        'tarfile.TarFile().extractall',
        'zipfile.ZipFile().extractall',
        'shutil.unpack_archive',
        '*.extractall',
      ],
      when: (call, { program }) => {
        if (call.named.has('filter')) return false
        const [target] = call.args
        if (target !== undefined && !['workspace', 'temporary'].includes(placeOf(startOf(target))))
          return { severity: 'medium' }
        // The zip module takes `..` and roots out of the names itself; what a visitor sends may still be a bomb.
        const zip = call.name.startsWith('zipfile.')
        const data = program.imports.some(({ module }) =>
          /^(sklearn|pandas|tensorflow|torch|keras|urllib)/.test(module),
        )
        // Those who work with data fetch it and unpack it; what a visitor sends is another matter.
        const suspect = zip || data ? origin.request | origin.input : outside | origin.parameter
        const foreign = comesFrom(call.receiver ?? undefined, suspect) || (!data && call.args.some(isForeign))
        const tar = /tar/i.test(call.name) || (call.receiver?.kind === 'thing' && /tar/i.test(call.receiver.name))
        return foreign || (tar && !data) ? { severity: 'medium' } : true
      },
    },
    examples: {
      bad: ['import tarfile, sys\ntarfile.open(sys.argv[1]).extractall()'],
      good: ["import tarfile\ntarfile.open('a.tar').extractall(filter='data')"],
    },
  },
]

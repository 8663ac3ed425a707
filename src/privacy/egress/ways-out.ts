/**
 * Every file that could send something out of this process, start another one or write a file, with what it does that
 * by, reviewed. A file that is not here and opens a way out fails a test, and so does one here that opens another; to
 * add one, say why nothing private leaves through it.
 */
export interface WayOut {
  /**
   * - `passed`: what it sends went through the egress guard; its types take `Passed<…>`;
   * - `log`: its lines go through the log redactor;
   * - `figures`: it sends ids, kinds and figures from closed lists, never text that a person or program wrote;
   * - `own files`: it writes where the application keeps its data, readable by this user alone;
   * - `own machine`: the other end is a process or thread of this user on this machine, or the user's own screen;
   * - `granted`: what code in a sandbox sends to a host that a person granted it, by a signed decision;
   * - `by hand`: the user takes something from the own screen to where it is wanted: the clipboard, a saved file.
   */
  readonly kind: 'passed' | 'log' | 'figures' | 'own files' | 'own machine' | 'granted' | 'by hand'
  readonly means: readonly string[]
  readonly why: string
}

const way = (kind: WayOut['kind'], means: string, why: string): WayOut => ({ kind, means: means.split(', '), why })

const threads = 'node:worker_threads'
const processes = 'node:child_process'

export const waysOut: Record<string, WayOut> = {
  // What leaves the machine.
  'src/telemetry/alerts.ts': way('passed', 'fetch', 'posts alerts to the webhook; only a passed message can be posted'),
  'src/telemetry/sdk.ts': way(
    'figures',
    '@opentelemetry/exporter-metrics-otlp-http, @opentelemetry/exporter-trace-otlp-http, @opentelemetry/sdk-metrics, @opentelemetry/sdk-trace-node',
    'sends spans and metrics; names and attributes are closed lists',
  ),
  'src/log.ts': way('log', 'pino', 'writes the log file; every line passes the redactor that it is given'),

  'src/network/dial.ts': way(
    'granted',
    'node:dns/promises, node:net',
    'the one way out of a sandbox: resolves and dials what a signed grant names, nothing else',
  ),
  'src/network/gate.ts': way(
    'own machine',
    `${processes}, node:net`,
    'starts the process with the proxy and connects sandboxes to it, by a socket in a private folder',
  ),
  'src/network/program.ts': way('own machine', 'node:net', 'listens on that socket, in the process with the proxy'),
  'src/network/address.ts': way('figures', 'ipaddr.js, node:net', 'reads addresses; nothing is sent'),
  'src/network/host.ts': way('figures', 'node:net', 'reads host names; nothing is sent'),
  'src/chat/wire.ts': way(
    'passed',
    'fetch',
    'asks models, at the address that was set up and no other; only a body that the guard has looked at is sent',
  ),
  'src/chat/protocols.ts': way(
    'passed',
    '@ai-sdk/anthropic, @ai-sdk/openai, @ai-sdk/openai-compatible',
    'the protocols of models; they are handed the one way to send that `wire.ts` makes',
  ),

  'src/network/fetch.ts': way(
    'granted',
    'node:http, node:tls',
    'fetches official data for a person who asked, from a closed list of addresses and by the same proxy; sends no text',
  ),
  'src/doors/rpc/runs.ts': way('figures', 'fetch', 'the name of the request for official data; nothing is sent here'),
  'src/doors/cli/commands/feeds.ts': way('figures', 'fetch', 'the same request, from the terminal'),

  'src/sandbox/e2b/service.ts': way(
    'passed',
    '@e2b/code-interpreter',
    'machines of a cloud sandbox; programs, questions and files that it is handed have passed, the rest is fixed text',
  ),

  // What is exported.
  'src/audit/bundle.ts': way('passed', 'fs createWriteStream', 'writes the audit bundle; texts pass the guard'),
  'src/audit/report/print.ts': way(
    'passed',
    `fs writeFileSync, ${processes}`,
    'has a browser of this machine print the report, whose texts have passed, from a folder of its own',
  ),
  'src/doors/cli/commands/report.ts': way('passed', 'fs writeFileSync', 'writes the report, whose texts have passed'),
  'src/doors/cli/commands/run-notebook.ts': way(
    'passed',
    'fs writeFile',
    'writes the export of the notebook that ran, whose texts have passed',
  ),
  'src/doors/rpc/downloads.ts': way(
    'passed',
    'fs open, fs writeFile',
    'holds exports ready for the window, whose texts have passed',
  ),
  'electron/print.ts': way('passed', 'electron, fs writeFileSync, printToPDF', 'prints the report, whose texts passed'),
  'src/doors/cli/commands/redact-map.ts': way('own files', 'fs open', 'writes the map of a redaction, sealed'),

  'src/doors/mcp/server.ts': way(
    'passed',
    '@modelcontextprotocol/server',
    'answers other assistants: results, lists and refusals have passed as for a model',
  ),
  'src/doors/mcp/asking.ts': way('passed', '@modelcontextprotocol/server', "fixed words for the client's person"),
  'src/doors/mcp/resources.ts': way('passed', '@modelcontextprotocol/server', 'what they read has passed likewise'),
  'src/doors/mcp/http.ts': way(
    'passed',
    '@modelcontextprotocol/node, @modelcontextprotocol/server, node:http',
    'carries those answers over loopback; its own words are fixed sentences',
  ),
  'src/doors/cli/commands/mcp.ts': way(
    'passed',
    '@modelcontextprotocol/server/stdio',
    'carries those answers to the client that started it',
  ),

  'src/mcp/connection.ts': way(
    'passed',
    '@modelcontextprotocol/client',
    "calls tools of the user's own servers; the arguments have passed",
  ),
  'src/mcp/process-transport.ts': way(
    'passed',
    `@modelcontextprotocol/client, ${processes}`,
    'starts those servers with an environment of their own, and carries the same calls',
  ),

  'src/mcp/bounded-fetch.ts': way('passed', 'fetch', 'the same for servers over HTTP, with a bound on what comes back'),
  'src/mcp/oauth/safe-fetch.ts': way(
    'figures',
    'fetch',
    'asks authorization servers during a log-in: names of this client, codes and tokens of that server, no text of the user',
  ),
  'src/mcp/oauth/callback.ts': way('own machine', 'node:http', 'listens on loopback for the answer to one log-in'),
  'src/mcp/oauth/login.ts': way('figures', '@modelcontextprotocol/client', 'the steps of a log-in, by that fetch'),
  'src/mcp/oauth/problems.ts': way('figures', '@modelcontextprotocol/client', 'reads its errors; nothing is sent'),
  'src/mcp/transports.ts': way('passed', '@modelcontextprotocol/client', 'how those servers are reached'),
  'src/mcp/arguments.ts': way(
    'figures',
    '@modelcontextprotocol/client/validators/cf-worker, node:vm',
    'holds arguments against a schema, and breaks off what takes too long; nothing is sent',
  ),

  // Where the application keeps its data.
  'src/mcp/config.ts': way('own files', 'fs writeFileSync', "the list of the user's servers, without its secrets"),
  'src/mcp/search/vectors.ts': way(
    'own files',
    'fs appendFileSync, fs truncateSync',
    'vectors of tool descriptions, by their hash',
  ),
  'src/conversations/copying.ts': way('own files', 'fs writeFile', "the user's own templates of conversations"),
  'src/doors/mcp/token.ts': way('own files', 'fs linkSync, fs writeFileSync', 'the token of the HTTP door'),
  'src/audit/checkpoints.ts': way('own files', 'fs openSync, fs writeSync', 'checkpoints: hashes and signatures'),
  'src/audit/sessions.ts': way('own files', 'fs writeFileSync', 'says which process writes the record'),
  'src/keystore.ts': way(
    'own files',
    'fs linkSync, fs openSync, fs writeFileSync',
    'keys, sealed where the system can; a link puts one in its place within the same folder',
  ),
  'src/doors/server/door-file.ts': way('own files', 'fs writeFileSync', 'says which door is open: port and secret'),
  'src/settings/settings.ts': way('own files', 'fs openSync, fs writeSync', 'the settings file'),
  'src/small-file.ts': way('own machine', 'fs open', 'opens small files of others for reading'),
  'src/files/blobs.ts': way('own files', 'fs open', 'files of paths, by content hash'),
  'src/storage/sqlite.ts': way('own files', 'better-sqlite3', 'the database'),
  'src/sandbox/kernel/outputs.ts': way('own files', 'fs open', 'opens recorded outputs for reading'),
  'src/sandbox/kernel/recorder.ts': way('own files', 'fs createWriteStream', 'outputs of a run while it goes on'),
  'src/sandbox/docker/endpoint.ts': way(
    'own machine',
    'createRequire',
    'dockerode, loaded where an engine is: the container engine of this machine, or the one that the person named in DOCKER_HOST',
  ),
  'src/sandbox/docker/images.ts': way('own machine', 'fs writeFile', 'the recipe of an image, in a folder of its own'),
  'src/sandbox/docker/docker.ts': way('own machine', 'fs writeFileSync', 'the rules for system calls, for an engine'),
  'src/sandbox/docker/ssh.ts': way(
    'own machine',
    `${processes}, node:http`,
    'the same engine behind ssh, where the person named one in DOCKER_HOST',
  ),
  'src/sandbox/docker/system.ts': way(
    'own machine',
    `fs writeFile, ${processes}`,
    'makes the lower layer of an image: names of packages',
  ),
  'src/sandbox/microvm/host.ts': way('own machine', processes, 'asks QEMU for its version'),
  'src/sandbox/microvm/images.ts': way(
    'own machine',
    `fs copyFile, fs writeFile, ${processes}`,
    'makes the disk of virtual machines from Debian packages',
  ),
  'src/sandbox/microvm/machine.ts': way(
    'own machine',
    `fs createWriteStream, fs open, ${processes}, node:net`,
    'starts QEMU in a jail without network, and moves the state of machines between files of this user',
  ),
  'src/sandbox/microvm/probe.ts': way('own files', 'fs writeFile', 'what a trial of virtual machines found'),
  'src/sandbox/microvm/sleeping.ts': way(
    'own files',
    'fs open, fs writeFile',
    'the machine that others are copied from',
  ),
  'src/sandbox/image/recipe.ts': way('own machine', 'createRequire', 'looks for Deno, which goes into the image'),
  'src/sandbox/image/rootfs.ts': way(
    'own machine',
    `fs cpSync, fs writeFileSync, ${processes}`,
    'makes the image of the sandbox from Debian packages',
  ),
  'src/sandbox/local/cgroup.ts': way('own machine', 'fs writeFileSync', 'limits of control groups: figures'),

  // Other processes of this machine.
  'src/doctor.ts': way('own machine', processes, 'asks installed programs for their version'),
  'src/format.ts': way('own machine', `createRequire, ${processes}`, 'Deno formats code, without rights'),
  'src/sandbox/local/box.ts': way('own machine', processes, 'mounts of a local sandbox'),
  'src/sandbox/local/local-host.ts': way('own machine', `createRequire, ${processes}`, 'looks for what sandboxes need'),
  'src/sandbox/local/link-listener.ts': way('own machine', 'node:net', 'socket to the kernel of a local sandbox'),
  'src/sandbox/local/python.ts': way('own machine', processes, 'asks Python for its version'),
  'src/sandbox/local/zygote.ts': way('own machine', processes, 'starts the jail of local sandboxes'),
  'src/doors/cli/commands/validate.ts': way(
    'own machine',
    'fs open',
    'opens the programs that it is to read; writes none',
  ),
  'src/doors/cli/commands/link.ts': way('own machine', 'fetch', 'asks an open door of this machine for a link'),
  'src/doors/cli/open-browser.ts': way(
    'own machine',
    `fs writeFileSync, ${processes}`,
    "opens the user's own browser at loopback, by a file that only this user can read",
  ),
  'src/doors/cli/editor.ts': way(
    'own machine',
    `fs writeFileSync, ${processes}`,
    "code in the user's own editor, from a folder of its own",
  ),
  'src/doors/cli/secret.ts': way('own machine', 'node:readline/promises', 'asks for a passphrase at the terminal'),
  'src/doors/server/server.ts': way('own machine', 'node:http, ws', "the user's own browser over loopback"),

  'src/doors/cli/confirm.ts': way('own machine', 'node:readline/promises', 'asks a person at the terminal, yes or no'),
  'src/mcp/confinement.ts': way('own machine', processes, 'tries whether a jail can be made'),

  // Threads and code that is loaded by name.
  'src/mcp/search/embedder.ts': way('own machine', processes, 'starts the process with the model for tool search'),
  'src/mcp/search/program.ts': way(
    'own machine',
    '@huggingface/transformers',
    'that process; its models lie on this disk, remote ones are switched off',
  ),
  'src/mcp/search/use-lite.ts': way('own machine', 'createRequire, fs openSync', 'reads the sentence model we ship'),
  'src/charts/charts.ts': way('own machine', threads, 'the thread that draws charts for reports'),
  'src/charts/worker.ts': way('own machine', threads, 'that thread'),
  'src/charts/draw.ts': way('own machine', 'vega', 'draws charts; its loader refuses everything'),
  'src/audit/check-bodies.ts': way('own machine', threads, 'a thread that checks hashes'),
  'src/audit/worker.ts': way('own machine', threads, 'that thread'),
  'src/conversations/thread.ts': way('own machine', threads, 'threads that read notebooks and write exports'),
  'src/conversations/exporting/worker.ts': way('own machine', threads, 'that thread; what it is handed has passed'),
  'src/conversations/notebooks/worker.ts': way('own machine', threads, 'that thread'),
  'src/guard/guard.ts': way('own machine', threads, 'the thread that reads programs'),
  'src/guard/worker.ts': way('own machine', threads, 'that thread'),
  'src/guard/compiler.ts': way(
    'own machine',
    `${processes}, node:vm`,
    'asks the interpreter whether a text is code; nothing is run',
  ),
  'src/guard/here.ts': way('own machine', 'node:vm', 'a time limit around the guard itself; no foreign code runs'),
  'src/guard/tree/reader.ts': way('own machine', 'createRequire', 'finds the grammars that ship with us'),
  'src/privacy/scanning.ts': way('own machine', threads, 'the thread that scans texts before they leave'),
  'src/privacy/worker.ts': way('own machine', threads, 'that thread'),
  'src/privacy/names/running.ts': way('own machine', processes, 'starts the process with the names model'),
  'src/privacy/names/program.ts': way(
    'own machine',
    '@huggingface/transformers',
    'that process; remote models are switched off',
  ),
  'src/privacy/validators/phone.ts': way('own machine', 'createRequire', 'loads a table of phone numbers'),

  // The desktop.
  'electron/dialogs.ts': way('own machine', 'electron', 'asks the person for a folder'),
  'electron/keystore.ts': way('own machine', 'electron', "keys by the system's own key store"),
  'electron/main.ts': way('own machine', 'electron', 'starts and ends the application'),
  'electron/menu.ts': way('own machine', 'electron', 'the menu'),
  'electron/notify.ts': way('own machine', 'electron, Notification', "alerts on the user's own screen"),
  'electron/pages.ts': way(
    'own machine',
    'electron, openExternal',
    "opens the page of a log-in in the person's browser; its address holds no text of the user",
  ),
  'electron/preload.ts': way('own machine', 'electron', 'hands the message port to the page'),
  'electron/protocol.ts': way('own machine', 'electron, fetch', 'serves the page; fetches it from Vite in development'),
  'electron/rpc.ts': way('own machine', 'electron', 'the message port of the window'),
  'electron/security.ts': way('own machine', 'electron', 'refuses permissions, foreign pages and windows'),
  'electron/window.ts': way('own machine', 'electron', 'the window'),

  // The page.
  'renderer/shell/door.tsx': way('by hand', 'clipboard', 'copies a one-time link for another window'),
  'renderer/state/entry.ts': way(
    'own machine',
    'BroadcastChannel',
    'hands a one-time link to another window of the application in the same browser',
  ),
  'renderer/state/connection.ts': way(
    'own machine',
    '@orpc/client, @orpc/client/message-port, @orpc/client/websocket, WebSocket',
    'the line to the engine, at the origin of the page',
  ),
  'renderer/output/chart/draw.ts': way('own machine', 'vega', 'draws charts; its loader refuses everything'),
  'renderer/audit/actions.ts': way('by hand', 'clipboard', 'copies a link that was clicked'),
  'renderer/audit/copy.tsx': way('by hand', 'clipboard', 'copies a hash or an id'),
  'renderer/home/upload.ts': way('by hand', 'createObjectURL', 'saves a file that was asked for'),
  'renderer/notebook/output-actions.ts': way('by hand', 'clipboard', 'copies a link that was clicked'),
  'renderer/analyses/field.tsx': way('by hand', 'clipboardData', 'takes in rows that a person pastes'),
  'renderer/output/display.tsx': way('by hand', 'clipboard', 'copies an output'),
  'renderer/inspector/files.tsx': way('by hand', 'clipboard', 'copies the path of a file'),
  'renderer/inspector/variables.tsx': way('by hand', 'clipboard', 'copies the name of a variable'),
  'renderer/mcp/copied.tsx': way('by hand', 'clipboard', 'copies lines for the configuration of a client'),
  'renderer/notebook/paste-table.tsx': way('by hand', 'clipboardData', 'takes in a range that a person pastes'),
  'renderer/sandboxes/images.tsx': way('by hand', 'clipboard', 'copies the digest of an image'),
  'renderer/workflow/graph.tsx': way(
    'own machine',
    '@xyflow/react, @xyflow/react/dist/style.css',
    'draws the graph of a workflow on the own screen',
  ),
  'renderer/table/table.tsx': way('by hand', 'clipboard, clipboardData', 'copies cells of a table'),
}

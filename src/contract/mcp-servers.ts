import { z } from 'zod'
import { Problem } from './problem.ts'

/** The MCP servers that the user added, and their tools. Names, texts and schemas of tools are the servers' word. */

export const ServerName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'small letters, digits, - and _; at most 32')

const folder = z.string().min(1).max(4096).startsWith('/', 'must be a whole path')

/** What a process sees of this machine beside the system's programs and a folder of its own. */
export const Confinement = z.strictObject({
  read: z.array(folder).max(32).default([]),
  write: z.array(folder).max(32).default([]),
  network: z.boolean().default(true),
})
export type Confinement = z.infer<typeof Confinement>

export const ProcessConfig = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1).max(1000),
  args: z.array(z.string().max(10_000)).max(100).default([]),
  /** All that it sees of the environment beside PATH, HOME and LANG. */
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/), z.string().max(10_000)).default({}),
  /** `false`: outside any jail. Left out: in a jail that shows the folders and files its arguments name. */
  confined: z.union([z.literal(false), Confinement]).optional(),
})

/** How this application is known where a server's people log in. Left out: it introduces itself there. */
export const OAuthClient = z.strictObject({
  clientId: z.string().min(1).max(2000).optional(),
  clientSecret: z.string().max(10_000).optional(),
  /** A page that describes this client, whose address is its id where that is supported. */
  clientMetadataUrl: z
    .url({ protocol: /^https$/ })
    .max(2000)
    .optional(),
  /** The one authorization server that a pre-registered client may be shown to. Left out: the first one. */
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** Where a pre-registered client must be called back. Left out: any free port. */
  redirectPort: z.number().int().min(1024).max(65_535).optional(),
  scope: z.string().max(2000).optional(),
})
export type OAuthClient = z.infer<typeof OAuthClient>

export const HttpConfig = z.strictObject({
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(10_000)).default({}),
  oauth: OAuthClient.optional(),
})

/** A server as it stands in the configuration of the usual clients. */
export const ServerConfig = z.union([ProcessConfig, HttpConfig])
export type ProcessConfig = z.infer<typeof ProcessConfig>
export type HttpConfig = z.infer<typeof HttpConfig>
export type ServerConfig = z.infer<typeof ServerConfig>

export const ServersFile = z.object({ mcpServers: z.record(ServerName, ServerConfig) })
export type ServersFile = z.infer<typeof ServersFile>

/** Hints of a server about one of its tools. Whatever is no hint counts as none. */
const Annotations = z
  .object({ readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional() })
  .catch({})

/** A tool as its server lists it. */
export const RemoteTool = z.object({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'letters, digits, _, . and -; at most 64'),
  description: z.string().max(20_000).default(''),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: z.looseObject({ type: z.literal('object') }).optional(),
  annotations: Annotations.default({}),
})
export type RemoteTool = z.infer<typeof RemoteTool>

/** What a tool does by its server's own word. One that says nothing may destroy, as the protocol has it. */
export const toolEffects = ['reads', 'writes', 'destroys'] as const
export const ToolEffect = z.enum(toolEffects)
export type ToolEffect = z.infer<typeof ToolEffect>

export const effectOf = ({ annotations }: Pick<RemoteTool, 'annotations'>): ToolEffect =>
  annotations.readOnlyHint === true ? 'reads' : annotations.destructiveHint === false ? 'writes' : 'destroys'

const schema = z.record(z.string(), z.unknown())

/** `changed`: not what was accepted. It is asked about again. */
export const toolStandings = ['accepted', 'new', 'changed'] as const

export const ServerTool = z.object({
  server: ServerName,
  name: z.string(),
  description: z.string(),
  inputSchema: schema,
  outputSchema: schema.optional(),
  effect: ToolEffect,
  /** Of name, description, schemas and hints: what was accepted must still be the same. */
  hash: z.string(),
  standing: z.enum(toolStandings),
})
export type ServerTool = z.infer<typeof ServerTool>

/** What was accepted, where the tool has changed since. */
export const ListedTool = ServerTool.extend({
  before: ServerTool.pick({ description: true, inputSchema: true, outputSchema: true, effect: true }).optional(),
})
export type ListedTool = z.infer<typeof ListedTool>

/** A tool that cannot be used, by the name that it claims. */
export const BadTool = z.object({ name: z.string(), why: z.string() })
export type BadTool = z.infer<typeof BadTool>

export const ListedTools = z.object({ tools: z.array(ListedTool), bad: z.array(BadTool) })
export type ListedTools = z.infer<typeof ListedTools>

/** `waiting`: it failed and is started again after a pause. `sign-in`: its owner wants the person to log in first. */
export const serverStates = ['stopped', 'starting', 'up', 'waiting', 'sign-in'] as const

export const ServerHealth = z.object({
  state: z.enum(serverStates),
  /** Since when, in milliseconds. */
  since: z.number(),
  /** Not started again before this, while it waits. */
  retryAt: z.number().nullable(),
  failures: z.number().int(),
  problem: Problem.nullable(),
  /** How it introduced itself when it last answered. */
  introduced: z.string().nullable(),
})
export type ServerHealth = z.infer<typeof ServerHealth>

/** How a server is kept from the rest of the machine, and why not where it is not. */
export const ServerConfinement = z.object({
  kind: z.enum(['jail', 'none', 'elsewhere']),
  detail: z.string(),
})
export type ServerConfinement = z.infer<typeof ServerConfinement>

/** `finding`: asking where to log in. `waiting`: for the person, at `url`. */
export const loginStates = ['out', 'finding', 'waiting', 'in'] as const

/** Whether the person is logged in at a server. Tokens stay in the key store. */
export const ServerLogin = z.object({
  state: z.enum(loginStates),
  /** The authorization server, while logged in or waiting. */
  issuer: z.string().nullable(),
  /** The page to log in at, while it waits for the person. */
  url: z.string().nullable(),
  /** Why the last log-in failed. */
  problem: Problem.nullable(),
})
export type ServerLogin = z.infer<typeof ServerLogin>

/** A server without its secrets: of environment and headers only the names. */
export const ServerView = z.object({
  name: ServerName,
  transport: z.enum(['process', 'http']),
  /** The command with its arguments, or the address. */
  address: z.string(),
  secrets: z.array(z.string()),
  confinement: ServerConfinement,
  health: ServerHealth,
  /** Null for a program of this machine, which nobody logs in at. */
  login: ServerLogin.nullable(),
  accepted: z.number().int(),
})
export type ServerView = z.infer<typeof ServerView>

export const maxArgumentChars = 1_000_000

export const CallTool = z.object({
  server: ServerName,
  tool: z.string().min(1).max(64),
  arguments: z.record(z.string(), z.json()),
  /** The tool as it was granted. Left out: as it was accepted. */
  hash: z.string().optional(),
})
export type CallTool = z.infer<typeof CallTool>

export const ToolAnswer = z.object({
  content: z.array(z.unknown()),
  structuredContent: schema.optional(),
  isError: z.boolean(),
})
export type ToolAnswer = z.infer<typeof ToolAnswer>

export const FoundTool = ServerTool.pick({
  server: true,
  name: true,
  description: true,
  effect: true,
  hash: true,
}).extend({
  score: z.number(),
  /** Place by words and by meaning, from 1; null where it had none. */
  words: z.number().int().nullable(),
  meaning: z.number().int().nullable(),
})
export type FoundTool = z.infer<typeof FoundTool>

/** Tools found for an intent, with all that is needed to find the same again. */
export const ToolSearch = z.object({
  found: z.array(FoundTool),
  searched: z.number().int(),
  /** Hash over the tools that were searched. */
  corpus: z.string(),
  ranking: z.string(),
  /** The sentence model; null where words alone decided. */
  model: z.string().nullable(),
  note: z.string().nullable(),
  durationMs: z.number(),
})
export type ToolSearch = z.infer<typeof ToolSearch>

export const Intent = z.string().trim().min(1).max(2000)

import { z } from 'zod'
import { PathId } from './ids.ts'
import type { HttpMethod } from './network.ts'

/** Official sources of figures, as ready grants. The hosts were not checked by a request; nothing is fetched by itself. */
export interface Feed {
  readonly name: string
  readonly serves: string
  /** Reached by https on the usual port, and no other name of the source. */
  readonly hosts: readonly [string, ...string[]]
  /** The application makes these requests itself, so that methods hold here also under encryption. */
  readonly methods: readonly HttpMethod[]
  /** An address of the source, to begin with. */
  readonly example: string
}

export const feeds: readonly Feed[] = [
  {
    name: 'European Central Bank, daily reference rates',
    serves: 'euro reference rates of the day and their history (XML, CSV)',
    hosts: ['www.ecb.europa.eu'],
    methods: ['GET'],
    example: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
  },
  {
    name: 'European Central Bank, data portal',
    serves: 'exchange reference rates, interest rates, monetary statistics (SDMX, CSV)',
    hosts: ['data-api.ecb.europa.eu'],
    methods: ['GET'],
    example: 'https://data-api.ecb.europa.eu/service/data/EXR/D.USD.EUR.SP00.A?format=csvdata&lastNObservations=30',
  },
  {
    name: 'Eurostat',
    serves: 'official statistics of the European Union (JSON, SDMX, CSV)',
    hosts: ['ec.europa.eu'],
    methods: ['GET'],
    example:
      'https://ec.europa.eu/eurostat/api/dissemination/statistics/1.0/data/prc_hicp_manr?geo=IE&lastTimePeriod=12',
  },
  {
    name: 'Federal Reserve Bank of St. Louis, FRED',
    serves: 'interest rates and economic series (CSV), no key needed',
    hosts: ['fred.stlouisfed.org'],
    methods: ['GET'],
    example: 'https://fred.stlouisfed.org/graph/fredgraph.csv?id=DGS10',
  },
  {
    name: 'Bank for International Settlements',
    serves: 'banking and exchange-rate statistics (SDMX, CSV)',
    hosts: ['stats.bis.org'],
    methods: ['GET'],
    example: 'https://stats.bis.org/api/v1/data/WS_CBPOL/D.XM?format=csv&lastNObservations=30',
  },
  {
    name: 'World Bank',
    serves: 'development indicators (JSON, XML)',
    hosts: ['api.worldbank.org'],
    methods: ['GET'],
    example: 'https://api.worldbank.org/v2/country/IE/indicator/FP.CPI.TOTL.ZG?format=json',
  },
]

/** The right to reach a source: what the proxy is given, and the methods to which whoever asks for it is held. */
export interface FeedGrant {
  readonly rules: readonly string[]
  readonly methods: readonly HttpMethod[]
}

export const grantOf = ({ hosts, methods }: Feed): FeedGrant => ({
  rules: hosts.map(host => `https://${host}:443`),
  methods,
})

/** Made from what is granted, so that the words cannot promise less. */
export const feedWords = ({ hosts, methods }: Feed): string => `${methods.join(', ')} from ${hosts.join(', ')}`

/** The source that an address belongs to: its host, encrypted, on the usual port. */
export function feedOf(address: string): Feed | null {
  if (!URL.canParse(address)) return null
  const { protocol, hostname, port, username, password } = new URL(address)
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '') return null
  return feeds.find(({ hosts }) => hosts.includes(hostname)) ?? null
}

/** A name for what is fetched: the last word of the address, or what that program is asked for. */
export function fileNameOf(address: string): string {
  const { pathname, searchParams, hostname } = new URL(address)
  const word = pathname.split('/').filter(Boolean).at(-1) ?? hostname
  const id = searchParams.get('id')
  // Every series of such a source would otherwise be the same file, and the next one take the place of the last.
  const last = id ? `${id}${/\.\w+$/.exec(word)?.[0] ?? ''}` : word
  const plain = last.replace(/[^\w.-]+/g, '-').slice(0, 80)
  const format = searchParams.get('format') ?? searchParams.get('file_type') ?? ''
  return /\.(csv|json|xml|txt|tsv|zip|xlsx)$/i.test(plain) || !/^(csv|json|xml)/i.test(format)
    ? plain
    : `${plain}.${format.slice(0, format.startsWith('csv') ? 3 : 4).toLowerCase()}`
}

export const FetchFeed = z.object({
  path: PathId,
  url: z.string().min(1).max(2000),
  /** In the working folder; left out: made from the address. */
  file: z.string().min(1).max(200).optional(),
})
export type FetchFeed = z.infer<typeof FetchFeed>

/** What was fetched, as the record has it. */
export const Fetched = z.object({
  source: z.string(),
  url: z.string(),
  file: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
  at: z.number(),
})
export type Fetched = z.infer<typeof Fetched>

/** Official sources of figures, as ready grants. The hosts were not checked by a request; nothing is fetched by itself. */
export interface Feed {
  readonly name: string
  readonly serves: string
  readonly grant: string
}

export const feeds: readonly Feed[] = [
  {
    name: 'European Central Bank, data portal',
    serves: 'exchange reference rates, interest rates, monetary statistics (SDMX, CSV)',
    grant: 'https://data-api.ecb.europa.eu:443',
  },
  {
    name: 'European Central Bank, daily reference rates',
    serves: 'euro reference rates of the day and their history (XML, CSV)',
    grant: 'https://www.ecb.europa.eu:443',
  },
  {
    name: 'Eurostat',
    serves: 'official statistics of the European Union (JSON, SDMX, CSV)',
    grant: 'https://ec.europa.eu:443',
  },
  {
    name: 'Federal Reserve Bank of St. Louis, FRED',
    serves: 'interest rates and economic series (JSON, CSV)',
    grant: 'https://api.stlouisfed.org:443',
  },
  {
    name: 'Bank for International Settlements',
    serves: 'banking and exchange-rate statistics (SDMX, CSV)',
    grant: 'https://stats.bis.org:443',
  },
  { name: 'World Bank', serves: 'development indicators (JSON, XML)', grant: 'https://api.worldbank.org:443' },
]

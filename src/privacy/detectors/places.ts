import { type Detector, finder, grouped, shapes } from './detector.ts'

const routingKeys = new Set(
  `A41 A42 A45 A63 A67 A75 A81 A82 A83 A84 A85 A86 A91 A92 A94 A96 A98 C15 D01 D02 D03 D04 D05 D06 D6W D07 D08 D09 D10 D11 D12
   D13 D14 D15 D16 D17 D18 D20 D22 D24 E21 E25 E32 E34 E41 E45 E53 E91 F12 F23 F26 F28 F31 F35 F42 F45 F52 F56 F91 F92 F93 F94
   H12 H14 H16 H18 H23 H53 H54 H62 H65 H71 H91 K32 K34 K36 K45 K56 K67 K78 N37 N39 N41 N91 P12 P14 P17 P24 P25 P31 P32 P36 P43
   P47 P51 P56 P61 P67 P72 P75 P81 P85 R14 R21 R32 R35 R42 R45 R51 R56 R93 R95 T12 T23 T34 T45 T56 V14 V15 V23 V31 V35 V42 V92
   V93 V94 V95 W12 W23 W34 W91 X35 X42 X91 Y14 Y21 Y25 Y34 Y35`.split(/\s+/),
)

/** Where somebody is or lives: coordinates and postal codes. */
export const places: readonly Detector[] = [
  {
    rule: 'gps',
    type: 'GPS_COORDINATES',
    title: 'Geographic coordinates',
    find: finder,
    score: 0.2,
    near: 0.8,
    alone: 0.6,
    context: [
      'gps',
      'lat',
      'latitude',
      'lon',
      'lng',
      'longitude',
      'coordinates',
      'coords',
      'geo',
      'location',
      'position',
      'latlng',
      'latlon',
    ],
    examples: {
      found: [
        'lat/lon 53.349805, -6.26031',
        'GPS: 40.712776,-74.005974',
        '53°20\'59.3"N 6°15\'37.1"W',
        '48°31\'20" N',
        'location (48.8584, 2.2945)',
      ],
      ignored: ['weights 0.712776, 0.005974', 'lat 99.712776,-74.005974', 'x = 40.7, y = 3.2'],
    },
  },
  {
    rule: 'uk-postcode',
    type: 'UK_POSTCODE',
    title: 'UK postcode',
    find: shapes(
      'A9 9AA',
      'A99 9AA',
      'AA9 9AA',
      'AA99 9AA',
      'A9A 9AA',
      'AA9A 9AA',
      'A99AA',
      'A999AA',
      'AA99AA',
      'AA999AA',
      'A9A9AA',
      'AA9A9AA',
    ),
    score: 0.4,
    near: 0.75,
    alone: 0.6,
    context: ['postcode', 'post code', 'address', 'postal', 'street', 'road', 'london', 'live at', 'zip'],
    valid: text => !/\d[KMGT]B$/.test(text) && /^(?!Q|V|X)[A-Z][A-HK-Y]?\d[A-Z0-9]?\d[ABD-HJLNP-UW-Z]{2}$/.test(text),
    examples: {
      found: ['postcode SW1A 1AA', 'address: 10 High Road, LS1 4AP'],
      ignored: ['the M1 5GB disk', 'QX1 1AA', 'part AA9A 9AA'],
    },
  },
  {
    rule: 'uk-postcode-full',
    type: 'UK_POSTCODE',
    title: 'UK postcode in its two halves, of an area that exists',
    find: shapes('A9 9AA', 'A99 9AA', 'AA9 9AA', 'AA99 9AA', 'A9A 9AA', 'AA9A 9AA'),
    score: 0.55,
    near: 0.8,
    context: ['postcode', 'post code', 'address', 'postal', 'street', 'road', 'london', 'live at'],
    valid: text =>
      /^(?:A[BL]|B[ABDHLNRST]|C[ABFHMORTVW]|D[ADEGHLNTY]|E[CHNX]|F[KY]|G[LU]|H[ADGPRSUX]|I[GMPV]|JE|K[ATWY]|L[ADELNSU]|M[EKL]|N[EGNPRW]|O[LX]|P[AEHLOR]|R[GHM]|S[AEGKLMNOPRSTWY]|T[ADFNQRSW]|UB|W[ACDFNRSV]|YO|ZE|[BEGLMNSW](?=\d[A-Z0-9]))\d[A-Z0-9]?\d[ABD-HJLNP-UW-Z]{2}$/.test(
        text,
      ) && !/\d[KMGT]B$/.test(text),
    examples: { found: ['from SW1A 1AA to EC1A 1BB'], ignored: ['part AA9A 9AA', 'QX12 1AA', 'SE25 5GB'] },
  },
  {
    rule: 'ca-postal-code',
    type: 'CA_POSTAL_CODE',
    title: 'Canadian postal code',
    find: shapes('A9A 9A9', 'A9A9A9'),
    score: 0.4,
    near: 0.75,
    alone: 0.6,
    context: [
      'postal',
      'postal code',
      'code postal',
      'postcode',
      'zip',
      'address',
      'adresse',
      'street',
      'rue',
      'canada',
    ],
    valid: text => /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z]\d[ABCEGHJ-NPRSTV-Z]\d$/.test(text),
    examples: {
      found: ['K1A 0B1', 'Mon code postal est H2X 1Y4', 'M5V2T6'],
      ignored: ['D1A 0B1', 'K1A 0O1', 'part K1A 0B1', 'K1A-0B1'],
    },
  },
  {
    rule: 'ie-eircode',
    type: 'IE_EIRCODE',
    title: 'Irish Eircode',
    find: {
      by: 'words',
      starts: 'ACDEFHKNPRTVWXY',
      shortest: 3,
      longest: 7,
      looks: 'A9**',
      pattern:
        /[ACDEFHKNPRTVWXY](?:\d{2}|6W)[ ]?(?=[0-9ACDEFHKNPRTVWXY]{0,3}\d)[0-9ACDEFHKNPRTVWXY]{4}(?![0-9A-Za-z_])/y,
    },
    score: 0.35,
    near: 0.8,
    alone: 0.6,
    // Routing keys that exist: about as many as there are post towns.
    valid: text => routingKeys.has(text.slice(0, 3)),
    context: ['eircode', 'postcode', 'address', 'dublin', 'cork', 'galway', 'limerick', 'co.', 'ireland'],
    examples: { found: ['Eircode D02 X285', 'Dublin 6, D6W XY00'], ignored: ['code D02 X285', 'B02 X285', 'C12 X285'] },
  },
  {
    rule: 'us-zip-plus-four',
    type: 'US_ZIP_CODE',
    title: 'US ZIP code with extension',
    find: shapes(...grouped([5, 4], ['-'])),
    score: 0.3,
    near: 0.7,
    alone: 0.55,
    context: ['zip', 'zipcode', 'zip code', 'postal', 'address', 'street', 'avenue', 'ave', 'blvd'],
    valid: digits => !/^0{3}/.test(digits),
    examples: { found: ['ZIP 94105-1234', '94105-1234'], ignored: ['part 94105-1234', '00000-1234'] },
  },
]

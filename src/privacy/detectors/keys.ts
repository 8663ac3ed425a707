import { isPlaceholderKey } from '../scanner/plausible.ts'
import { type Detector, finder } from './detector.ts'
import { alphanumeric, base64, base64url, hex, sample } from './sample.ts'
import { services } from './services.ts'

const pem = (kind: string): string =>
  `-----BEGIN ${kind}-----\n${sample(64, base64)}\n${sample(60, base64)}\n-----END ${kind}-----`
const jwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = `${jwtPart({ alg: 'HS256', typ: 'JWT' })}.${jwtPart({ sub: '42', name: 'x' })}.${sample(43, base64url)}`

/** Three parts, of which the first says how the last was made. */
function isJwt(text: string): boolean {
  const [head = '', payload = ''] = text.split('.')
  try {
    const parsed: unknown = JSON.parse(Buffer.from(head, 'base64url').toString('latin1'))
    return typeof parsed === 'object' && parsed !== null && payload.length > 0
  } catch {
    return false
  }
}

export const keys: readonly Detector[] = [
  {
    rule: 'private-key',
    type: 'PRIVATE_KEY',
    title: 'Private key (PEM, SSH, PGP)',
    find: finder,
    score: 1,
    examples: {
      found: [
        pem('RSA PRIVATE KEY'),
        pem('OPENSSH PRIVATE KEY'),
        pem('RSA PRIVATE KEY').slice(5),
        pem('SSH2 ENCRYPTED PRIVATE KEY').replaceAll(/^-----|-----$/gm, hyphens => (hyphens ? '----' : '')),
        `{"kty":"EC","crv":"P-256","d":"${sample(43, base64url)}","x":"AQAB"}`,
        pem('PGP PRIVATE KEY BLOCK'),
        JSON.stringify({ private_key: pem('PRIVATE KEY') }),
      ],
      ignored: [
        pem('PUBLIC KEY'),
        pem('CERTIFICATE'),
        pem('PUBLIC KEY').slice(5),
        `{"kty":"EC","crv":"P-256","x":"${sample(43, base64url)}"}`,
        '-----BEGIN PRIVATE KEY----- … -----END PRIVATE KEY-----',
      ],
    },
  },
  {
    rule: 'jwt',
    type: 'JWT',
    title: 'JSON web token',
    find: {
      by: 'prefixes',
      prefixes: ['ey'],
      pattern:
        /(?<!-)ey[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_/-]{2,65536}(?:\.[A-Za-z0-9_/-]{0,8192}={0,2})?(?![A-Za-z0-9_-])/y,
    },
    score: 0.95,
    valid: isJwt,
    examples: {
      found: [jwt, `Authorization: Bearer ${jwt}`],
      ignored: ['eyJhello.world.again', `eyJ${'a'.repeat(30)}.${'b'.repeat(30)}`],
    },
  },
  {
    rule: 'telegram-bot-token',
    type: 'TELEGRAM_TOKEN',
    title: 'Telegram bot token',
    find: finder,
    score: 0.9,
    examples: { found: [`7203948571:AA${sample(33, base64url)}`], ignored: ['7203948571:ABC', '12:34:56'] },
  },
  {
    rule: 'slack-webhook',
    type: 'WEBHOOK_URL',
    title: 'Address of an incoming webhook',
    find: {
      by: 'prefixes',
      prefixes: [
        'https://hooks.slack.com/',
        'http://hooks.slack.com/',
        'https://discord.com/api/webhooks/',
        'https://discordapp.com/api/webhooks/',
        'https://canary.discord.com/api/webhooks/',
        'hooks.slack.com/',
        'https://outlook.office.com/webhook',
        'https://hooks.zapier.com/hooks/catch/',
        'https://api.hubapi.com/webhooks/',
        'https://chat.twilio.com/v2/Services/',
        'https://chat.googleapis.com/v1/spaces/',
        'https://maker.ifttt.com/trigger/',
        'https://open.feishu.cn/open-apis/bot/',
        'https://oapi.dingtalk.com/robot/send?access_token=',
        'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=',
      ],
      pattern:
        /(?:https?:\/\/)?(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20,80}|(?:canary\.)?discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[\w-]{12,72}|outlook\.office\.com\/webhook(?:b2)?\/[\w@/-]{20,250}|hooks\.zapier\.com\/hooks\/catch\/\d{4,10}\/\w{5,30}|api\.hubapi\.com\/webhooks\/v\d\/\w{4,40}\/[\w-]{8,80}|chat\.twilio\.com\/v2\/Services\/\w{20,40}\/[\w-]{8,80}|chat\.googleapis\.com\/v1\/spaces\/[\w-]{8,20}\/messages\?key=[\w&=%-]{30,200}|maker\.ifttt\.com\/trigger\/\w{1,60}\/(?:json\/)?with\/key\/[\w-]{20,60}|open\.feishu\.cn\/open-apis\/bot\/(?:v\d\/)?hook\/[\w-]{20,60}|oapi\.dingtalk\.com\/robot\/send\?access_token=[0-9a-f]{40,80}|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=[\w-]{20,60})/y,
    },
    score: 0.9,
    examples: {
      found: [
        `https://hooks.slack.com/services/T0${sample(8, alphanumeric).toUpperCase()}/B0${sample(8, alphanumeric).toUpperCase()}/${sample(24)}`,
        `https://contoso.webhook.office.com/webhookb2/${sample(36, hex)}@${sample(36, hex)}/IncomingWebhook/${sample(32, hex)}/${sample(36, hex)}`,
        `https://hooks.zapier.com/hooks/catch/1234567/${sample(7)}/`,
        `https://maker.ifttt.com/trigger/door/with/key/${sample(43)}`,
      ],
      ignored: [
        'https://hooks.slack.com/',
        'https://discord.com/api/webhooks/1',
        'https://hooks.zapier.com/hooks/catch/',
        'https://chat.twilio.com/v2/Services/{id}/',
      ],
    },
  },
  {
    rule: 'aws-secret-key',
    type: 'AWS_SECRET_KEY',
    title: 'AWS secret access key',
    find: finder,
    score: 0.9,
    examples: {
      found: [`aws_secret_access_key = ${sample(40, base64)}`, `secret_key = "${sample(30, base64)}EXAMPLEKEY"`],
      ignored: [`aws_secret_access_key = ${'x'.repeat(40)}`, `checksum = ${sample(40, hex)}`],
    },
  },
  {
    rule: 'azure-storage-key',
    type: 'AZURE_STORAGE_KEY',
    title: 'Azure storage or service-bus key',
    find: finder,
    score: 0.9,
    examples: {
      found: [`AccountKey=${sample(86, base64)}==`, `SharedAccessKey=${sample(43, base64)}=`],
      ignored: ['AccountKey=;', 'AccountKey=<key>'],
    },
  },
  {
    rule: 'azure-client-secret',
    type: 'AZURE_SECRET',
    title: 'Azure client secret',
    find: finder,
    score: 0.9,
    valid: value => !isPlaceholderKey(value),
    examples: {
      found: [`${sample(3)}8Q~${sample(34, base64url)}`, `<value>~Gg8Q~${sample(34, base64url)}</value>`],
      ignored: [`bP88Q~${'x'.repeat(34)}`, `abc8Q~${sample(20)}`],
    },
  },
  {
    rule: 'password-hash',
    type: 'PASSWORD_HASH',
    title: 'Hash of a password (crypt, bcrypt, Argon2, PBKDF2)',
    find: {
      by: 'prefixes',
      prefixes:
        '1$ 5$ 6$ 8$ 9$ 2a$ 2b$ 2x$ 2y$ y$ P$ H$ apr1$ argon2 pbkdf2_sha pbkdf2:sha scrypt: sha1$ sha256$ sha512$'.split(
          ' ',
        ),
      pattern:
        /(?:(?<=\$)(?:(?:1|apr1)\$[./0-9A-Za-z]{1,8}\$[./0-9A-Za-z]{22}|2[abxy]\$\d\d\$[./0-9A-Za-z]{53}|[56]\$(?:rounds=\d{1,9}\$)?[./0-9A-Za-z]{1,16}\$(?:[./0-9A-Za-z]{86}|[./0-9A-Za-z]{43})|[89]\$[./0-9A-Za-z]{14}\$[./0-9A-Za-z]{43}|y\$[./0-9A-Za-z]{2,4}\$[./0-9A-Za-z]{8,86}\$[./0-9A-Za-z]{43}|[PH]\$[./0-9A-Za-z]{31}|argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,4},p=\d{1,4}\$[0-9A-Za-z+/]{8,64}\$[0-9A-Za-z+/]{16,128})|scrypt:\d{1,9}:\d{1,4}:\d{1,4}\$[0-9A-Za-z]{4,64}\$[0-9a-f]{64,256}|pbkdf2:sha\d{1,3}(?::\d{1,8})?\$[0-9A-Za-z]{4,64}\$[0-9a-f]{40,256}|sha(?:1|256|512)\$[0-9A-Za-z]{4,64}\$[0-9a-f]{40,128}|pbkdf2_sha\d{1,3}\$\d{1,8}\$[0-9A-Za-z]{4,64}\$[0-9A-Za-z+/]{20,128}={0,2})(?![0-9A-Za-z_])/y,
    },
    score: 0.9,
    valid: value => !isPlaceholderKey(value),
    examples: {
      found: [
        `$1$${sample(8)}$${sample(22)}`,
        `root:$6$${sample(16)}$${sample(86)}:19000:0:99999:7:::`,
        `$5$rounds=5000$${sample(12)}$${sample(43)}`,
        `"$2b$12$${sample(53)}"`,
        `$argon2id$v=19$m=65536,t=3,p=4$${sample(22)}$${sample(43)}`,
        `pbkdf2_sha256$600000$${sample(22)}$${sample(43)}=`,
        `$y$j9T$${sample(22)}$${sample(43)}`,
        `$P$B${sample(30)}`,
        `scrypt:32768:8:1$${sample(16)}$${sample(128, hex)}`,
        `pbkdf2:sha256:260000$${sample(16)}$${sample(64, hex)}`,
        `sha1$${sample(8)}$${sample(40, hex)}`,
        `ali:{SHA}${sample(27, base64)}=`,
        `ali:${['aB3', 'xQ7', 'c5S', 'T2v', '9'].join('')}\n`,
      ],
      ignored: [
        'ali:HelloWorld123\n',
        'costs 1$ and 5$',
        'scrypt:32768:8:1',
        'digest:{SHA256}',
        `$2a$12$${'x'.repeat(53)}`,
        '$6$short$hash',
      ],
    },
  },
  {
    rule: 'service-key',
    type: 'SERVICE_KEY',
    title: 'Random text near the name of a service that issues keys',
    find: finder,
    score: 0.3,
    near: 0.7,
    context: services,
    examples: {
      found: [
        `algolia = '${sample(32, hex)}'`,
        `<id>{airship ${sample(40)}}</id>`,
        `You can find a flickr account ${sample(32)} within`,
        `zendesk ${sample(40)}`,
        `ai21 = '${sample(32)}'`,
        'cloudmersive 1b4e28ba-2fa1-41d2-883f-0016d3cca427',
      ],
      ignored: [
        `chunk = '${sample(32, hex)}'`,
        `https://algolia.net/assets/${sample(40, hex)}.js`,
        `algolia@sha256:${sample(64, hex)}/x`,
        `"algoliasearch": { "integrity": "sha512-${sample(86, base64)}==" }`,
        'algolia search_with_facets_and_filters_2024',
        'twilio version 4.19.0-beta.20240101',
      ],
    },
  },
  {
    rule: 'sensitive-field',
    type: 'SENSITIVE_FIELD',
    title: 'Value of a field whose name is personal',
    find: finder,
    score: 0.7,
    examples: {
      found: [
        '"firstName": "Aoife"',
        "last_name='Ó Súilleabháin'",
        '{"dob": "1980-03-12"}',
        'cvv: "123"',
        '"accountNumber": "12345678"',
        "df['pin'] = [4821, 7733]",
        "pd.DataFrame({'first_name': ['Zyx']})",
        "{name: 'pin', value: 4821}",
        "df[df['first_name'].eq('Zyx')]",
      ],
      ignored: [
        'first_name = request.name',
        '"firstName": ""',
        'name: "build"',
        '"address": null',
        'dob: Date',
        'pin = [17, 27, 22]',
        '{"first_name": ["This field may not be blank."]}',
        "{name: 'region', value: 'eu-1'}",
      ],
    },
  },
]

import { isPlaceholderKey } from '../scanner/plausible.ts'
import type { Detector } from './detector.ts'
import { alphanumeric, sample } from './sample.ts'
import { an, bu, hx, key, lo, nu, up } from './secret.ts'

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const uuidExample = `${hx(8)}-${hx(4)}-${hx(4)}-${hx(4)}-${hx(12)}`
const encodedHeader = Buffer.from('-----BEGIN RSA PRIVATE KEY-----\n').toString('base64').replace(/=/g, '')
const hexLines = `${hx(80)}\n${hx(80)}\n`

/** Keys of services that few use, and secrets that fill a part of a file. */
export const furtherSecrets: readonly Detector[] = [
  key('adafruit-key', 'ADAFRUIT_KEY', 'Adafruit IO key', 'aio_', '[0-9A-Za-z]{28}', an(28)),
  key('akamai-token', 'AKAMAI_TOKEN', 'Akamai access token', 'akab-', '[\\w-]{16}-[\\w-]{16}', `${an(16)}-${an(16)}`),
  key('amazon-mws', 'AMAZON_MWS_TOKEN', 'Amazon MWS token', 'amzn.mws.', '[0-9A-Za-z-]{32,40}', uuidExample),
  key('heartland-key', 'HEARTLAND_KEY', 'Heartland key', 'skapi_cert_ skapi_prod_', '[\\w-]{30,60}', an(42)),
  key('ionic-token', 'IONIC_TOKEN', 'Ionic token', 'ion_', '(?=[A-Za-z]{0,30}\\d)[0-9A-Za-z]{42}', `a1${an(40)}`),
  key('intercom-token', 'INTERCOM_TOKEN', 'Intercom token', 'dG9rO', '[0-9A-Za-z+/]{50,60}={0,2}', an(55)),
  key('intra42-secret', 'INTRA42_SECRET', '42 Intra secret', 's-s4t2ud- s-s4t2af- u-s4t2ud-', '[0-9a-f]{64}', hx(64)),
  key('firebase-messaging', 'FIREBASE_TOKEN', 'Firebase messaging token', 'APA91b', '[\\w-]{100,200}', an(134)),
  key('wakatime-key', 'WAKATIME_KEY', 'WakaTime key', 'waka_', uuid, uuidExample),
  key('clickup-token', 'CLICKUP_TOKEN', 'ClickUp token', 'pk_', '\\d{5,9}_[A-Z0-9]{32}', `${nu(8)}_${up(32)}`),
  key('trello-token', 'TRELLO_TOKEN', 'Trello token', 'ATTA', '[0-9A-Za-z]{72}', hx(72)),
  key(
    'swarm-token',
    'DOCKER_TOKEN',
    'Docker swarm token or key',
    'SWMTKN-1- SWMKEY-1-',
    '[0-9a-z]{40,60}-[0-9a-z]{20,30}|[0-9A-Za-z+/]{40,50}',
    `${lo(50)}-${lo(25)}`,
  ),
  key('dependency-track', 'DEPENDENCY_TRACK_KEY', 'Dependency-Track key', 'odt_', '[0-9A-Za-z]{32,60}', an(32)),
  key('appsync-key', 'AWS_APPSYNC_KEY', 'AWS AppSync key', 'da2-', '[0-9a-z]{26}', lo(26)),
  key('pyx-token', 'PYX_TOKEN', 'pyx token', 'sk-pyx- tp-pyx-', '[0-9A-Za-z]{45,64}', an(64)),
  key(
    'configcat-key',
    'CONFIGCAT_KEY',
    'ConfigCat key',
    'configcat-sdk-1/',
    '[\\w-]{22}/[\\w-]{22}',
    `${bu(22)}/${bu(22)}`,
  ),
  key(
    'ntlm-hashes',
    'PASSWORD_HASH',
    'Windows password hashes',
    'aad3b435b51404eeaad3b435b51404ee:',
    '[0-9a-f]{32}',
    hx(32),
  ),
  {
    rule: 'key-in-path',
    type: 'WEBHOOK_URL',
    title: 'Key in the address of a service',
    find: {
      by: 'words',
      starts: alphanumeric,
      shortest: 20,
      longest: 64,
      pattern:
        /(?<=\/hooks\/)[0-9a-z]{26}(?!\w)|(?<=thingsboard\.cloud\/api\/v1\/)[0-9a-z]{20}(?!\w)|(?<=softlayer\.com\/(?:soap|rest)\/v\d(?:\.\d)?\/)[0-9a-z]{64}(?!\w)|(?<=tines\.(?:com|io)\/webhook\/)[0-9a-f]{32}\/[0-9a-f]{32}(?!\w)|(?<=azurewebsites\.net\/api\/[\w-]{1,60}\?code=)[\w/+=-]{20,100}/y,
    },
    score: 0.8,
    valid: value => !isPlaceholderKey(value) && /\d/.test(value),
    examples: {
      found: [
        `https://chat.host.com/hooks/a1${lo(24)}`,
        `coap://coap.thingsboard.cloud/api/v1/a1${lo(18)}/telemetry`,
        `https://api.softlayer.com/soap/v3/a1${lo(62)}`,
        `https://quiet-river.tines.com/webhook/${hx(32)}/${hx(32)}`,
        `https://f.azurewebsites.net/api/Trigger?code=a1${an(40)}==`,
      ],
      ignored: [`https://host.com/files/a1${lo(24)}`, 'https://host.com/hooks/list', `a1${lo(24)}`],
    },
  },
  {
    rule: 'truenas-key',
    type: 'TRUENAS_KEY',
    title: 'TrueNAS key, behind its number',
    find: {
      by: 'words',
      starts: alphanumeric,
      shortest: 64,
      longest: 64,
      pattern: /(?<=["' ]\d{1,3}-)[0-9A-Za-z]{64}(?![\w-])/y,
    },
    score: 0.8,
    valid: value => /[a-z]/.test(value) && /[A-Z]/.test(value),
    examples: { found: [`"params": ["8-${an(64)}"]`], ignored: [`"8-${hx(64)}"`, an(64)] },
  },
  {
    rule: 'kerberos-ticket',
    type: 'PASSWORD_HASH',
    title: 'Kerberos ticket that a password can be guessed from',
    find: {
      by: 'prefixes',
      prefixes: ['krb5asrep$', 'krb5tgs$', 'krb5pa$'],
      pattern: /krb5(?:asrep|tgs|pa)\$\d{1,2}\$[^\s$]{0,80}\$?[^\s$]{0,80}\$[0-9a-f$]{32,8192}/y,
    },
    score: 0.95,
    examples: {
      found: [`$krb5asrep$23$${hx(32)}$${hx(120)}`, `$krb5asrep$23$ali@corp.local:${hx(32)}$${hx(200)}`],
      ignored: ['krb5asrep$23', '$krb5tgs$ is what a tool prints'],
    },
  },
  {
    rule: 'ansible-vault',
    type: 'SEALED_SECRET',
    title: 'Ansible vault',
    find: {
      by: 'prefixes',
      prefixes: ['ANSIBLE_VAULT;'],
      pattern: /ANSIBLE_VAULT;\d\.\d;AES\d{0,3}(?:;[\w.-]{0,40})?(?:\s{1,40}[0-9a-f]{16,160}(?![0-9a-z])){1,200}/y,
    },
    score: 0.9,
    examples: {
      found: [
        `$ANSIBLE_VAULT;1.1;AES256\n${hexLines}`,
        `key: !vault |\n  $ANSIBLE_VAULT;1.2;AES256;dev\n  ${hexLines}`,
      ],
      ignored: ['$ANSIBLE_VAULT;1.1;AES256\n', 'ANSIBLE_VAULT_PASSWORD_FILE'],
    },
  },
  {
    rule: 'putty-key',
    type: 'PRIVATE_KEY',
    title: 'Private part of a PuTTY key',
    find: {
      by: 'prefixes',
      prefixes: ['Private-Lines:'],
      pattern: /Private-Lines: \d{1,3}\r?\n(?:[A-Za-z0-9+/=]{4,80}(?:\r?\n|$)){1,100}/y,
    },
    score: 0.95,
    examples: {
      found: [`Private-Lines: 2\n${an(64)}\n${an(40)}==\nPrivate-MAC: ${hx(40)}\n`],
      ignored: ['Private-Lines: 0', `Public-Lines: 1\n${an(64)}\n`],
    },
  },
  {
    rule: 'encoded-private-key',
    type: 'PRIVATE_KEY',
    title: 'Private key in Base64 once more',
    find: { by: 'prefixes', prefixes: ['LS0tLS1CRUdJTi'], pattern: /LS0tLS1CRUdJTi[A-Za-z0-9+/]{50,8192}={0,2}/y },
    score: 0.95,
    valid: value => Buffer.from(value.slice(0, 80), 'base64').includes('PRIVATE KEY'),
    examples: {
      found: [`key: ${encodedHeader}${an(200)}`],
      ignored: [`cert: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUQ${sample(100)}`],
    },
  },
]

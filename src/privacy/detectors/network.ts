import { type Detector, finder } from './detector.ts'

export const network: readonly Detector[] = [
  {
    rule: 'ipv4',
    type: 'IP_ADDRESS',
    title: 'IPv4 address',
    find: finder,
    score: 0.8,
    examples: {
      found: [
        '192.168.0.1',
        'from 8.8.8.8:53',
        'Server: 203.0.113.42',
        'host=10.0.0.254/24',
        '[203.0.113.9]',
        '10.0.0.1-10.0.0.9',
      ],
      ignored: ['256.1.1.1', 'version 1.2.3.4', 'v10.0.0.1', '1.2.3.4.5', '1.2.3.4-5', '1.2.3', '01.02.03.004'],
    },
  },
  {
    rule: 'ipv6',
    type: 'IP_ADDRESS',
    title: 'IPv6 address',
    find: finder,
    score: 0.85,
    examples: {
      found: [
        '2001:db8:85a3:0000:0000:8a2e:0370:7334',
        'fe80::1ff:fe23:4567:890a%eth2',
        '::ffff:192.0.2.1',
        '0:0:0:0:0:FFFF:192.0.2.1',
        '[2001:db8::1]:443',
        'face:b00c::1',
        'abcd::1234',
        '1:2:3:4:5:6:7:8',
      ],
      ignored: [
        '12:34:56',
        'std::vector',
        '2024-01-01T12:34:56',
        'a::b',
        '::',
        '1:2:3:4:5:6:7:8:9',
        'ffff:ffff::',
        'ratio 1:2:3:4:5:6:7:8',
      ],
    },
  },
  {
    rule: 'mac-address',
    type: 'MAC_ADDRESS',
    title: 'Hardware address',
    find: finder,
    score: 0.8,
    examples: {
      found: [
        '00:1B:44:11:3A:B7',
        'ether 00-1b-44-11-3a-b7',
        '001b.4411.3ab7',
        'AC:DE:48:00:11:22',
        'acde.4800.1122',
        'to 001b.4411.3ab7.',
      ],
      ignored: ['00:1B:44:11:3A', '00:1B:44:11:3A:B7:FF:01', '12:34:56', 'ff:ff:ff:ff:ff:ff', '00:00:00:00:00:00'],
    },
  },
  {
    rule: 'database-url',
    type: 'DATABASE_URL',
    title: 'Database address with a password',
    find: finder,
    score: 0.95,
    examples: {
      found: [
        'postgres://app:s3cret@db.internal:5432/prod',
        'DATABASE_URL=mysql2://root:hunter2@10.0.0.3/x',
        'mongodb+srv://u:p4ss@cluster0.mongodb.net',
        'redis://:p4ssw0rd@cache:6379/0',
        'jdbc:sqlserver://h:1433;user=sa;password=Zx9!kk2p',
      ],
      ignored: [
        'postgres://localhost/db',
        'sqlite:///tmp/x.db',
        'postgres://user:${PASSWORD}@host/db',
        'mysql://user:<password>@host',
      ],
    },
  },
  {
    rule: 'url-credentials',
    type: 'URL_CREDENTIALS',
    title: 'Web address with a password',
    find: finder,
    score: 0.9,
    examples: {
      found: ['https://user:pa55w0rd@intranet.example.org/x', 'ftp://bob:letmein9@files.local'],
      ignored: [
        'https://example.org:8080/a@b',
        'http://user@example.org',
        'https://user:{password}@host',
        'https://${USER}:${PASS}@host',
      ],
    },
  },
]

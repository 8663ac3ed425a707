import { describe, expect, it } from 'vitest'
import { inspectProgram } from '../inspect.ts'

const files = (code: string, list: 'filesWritten' | 'filesRead'): (string | null)[] =>
  inspectProgram(code, 'bash').impact[list].map(({ target }) => target)

describe('what a tool writes', () => {
  it.each([
    ['unzip a.zip -d /etc', '/etc'],
    ['unzip a.zip', '.'],
    ['7z x a.7z -o/etc', '/etc'],
    ['7z a /etc/x.7z a', '/etc/x.7z'],
    ['unrar x a.rar /etc/', '/etc'],
    ['tar -C /etc -xf a.tar', '/etc'],
    ['tar xf a.tar', '.'],
    ['bsdtar -xf a.tar -C /etc', '/etc'],
    ['cpio -idD /etc < a.cpio', '/etc'],
    ['cd /etc; cpio -i < a', '/etc'],
    ['rsync -a src/ /etc/', '/etc'],
    ['install -D a /etc/cron.d/x', '/etc/cron.d/x'],
    ['install -d /etc/foo', '/etc/foo'],
    ['split -b 1M big /etc/part', '/etc/part*'],
    ['csplit -f /etc/xx book /a/', '/etc/xx*'],
    ['sort -o /etc/hosts a', '/etc/hosts'],
    ['sort --output=/etc/hosts a', '/etc/hosts'],
    ['shuf -o /etc/hosts a', '/etc/hosts'],
    ['uniq a /etc/hosts', '/etc/hosts'],
    ['xxd -r a /etc/hosts', '/etc/hosts'],
    ['iconv -f l1 -t utf8 -o /etc/hosts x', '/etc/hosts'],
    ['curl -O --output-dir /etc https://example.org/x', '/etc/x'],
    ['curl -O https://example.org/x.csv', 'x.csv'],
    ['wget -P /etc https://example.org/a/x?y=1', '/etc/x'],
    ['wget https://example.org', 'index.html'],
    ['git -C /etc checkout .', '/etc'],
    ['git clone https://example.org/x /etc/x', '/etc/x'],
    ['openssl enc -aes-256-cbc -in a -out /etc/b', '/etc/b'],
    ['gpg -o /etc/x -d a.gpg', '/etc/x'],
    ['ffmpeg -i a.mp4 /etc/b.mp4', '/etc/b.mp4'],
    ['convert a.png /etc/b.png', '/etc/b.png'],
    ['mogrify -resize 50% /etc/b.png', '/etc/b.png'],
    ['gzip /etc/hosts', '/etc/hosts'],
    ['xz /etc/hosts', '/etc/hosts'],
    ['gunzip /etc/a.gz', '/etc/a.gz'],
    ['zstd --rm /etc/hosts', '/etc/hosts'],
    ['patch /etc/hosts < a.patch', '/etc/hosts'],
    ['patch -p1 -d /etc < a.patch', '/etc'],
    ['pandoc a.md -o /etc/b.html', '/etc/b.html'],
    ['pg_dump -f /etc/x db', '/etc/x'],
    ['mktemp /etc/fooXXXX', '/etc/fooXXXX'],
  ])('is found in %j', (code, expected) => expect(files(code, 'filesWritten')).toContain(expected))

  it('is above low where only the system belongs', () => {
    for (const code of ['unzip a.zip -d /etc', 'wget -P /etc https://example.org/x', 'gpg -o /etc/x -d a.gpg'])
      expect(inspectProgram(code, 'bash').risk).not.toBe('low')
  })

  it('is nothing where it only looks or prints', () => {
    for (const code of [
      'unzip -l a.zip',
      'tar tf a.tar',
      'gzip -c a',
      'gzip -t a.gz',
      'xxd a',
      'wget -qO- https://example.org',
    ])
      expect(files(code, 'filesWritten')).toEqual([])
  })

  it('is not what it reads', () => {
    expect(files('sort -k 2 -o b a', 'filesRead')).toEqual(['a'])
    expect(files('split -b 1M big part', 'filesRead')).toEqual(['big'])
  })
})

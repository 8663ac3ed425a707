import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An authority of its own and a certificate by it, made by openssl for as long as a test runs. */
export function makeCertificate(host: string): { authority: string; certificate: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-certificates-'))
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  try {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=Test authority',
    )
    openssl('req', ...newKey, '-keyout', 'host.key', '-out', 'host.csr', '-subj', `/CN=${host}`)
    writeFileSync(at('names'), `subjectAltName=DNS:${host},DNS:*.${host}\n`)
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2']
    openssl('x509', '-req', '-in', 'host.csr', '-out', 'host.pem', ...signing)
    const read = (name: string): string => readFileSync(at(name), 'utf8')
    return { authority: read('ca.pem'), certificate: read('host.pem'), key: read('host.key') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

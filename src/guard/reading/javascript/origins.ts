import { origin } from '../../model.ts'
import { isSecretName } from '../../paths.ts'

const named: Readonly<Record<string, number>> = {
  'process.argv': origin.input,
  'process.stdin': origin.input,
  'prompt()': origin.input,
  'readline.createInterface()': origin.input,
  'process.env': origin.environment,
  'Deno.env': origin.environment,
  req: origin.request,
  'ctx.request': origin.request,
  'ctx.query': origin.request,
  'ctx.params': origin.request,
  location: origin.request,
  'document.location': origin.request,
  'document.URL': origin.request,
  'document.documentURI': origin.request,
  'document.referrer': origin.request,
  'document.cookie': origin.secret,
  'navigator.credentials.get()': origin.secret,
  'keytar.getPassword()': origin.secret,
  'keytar.findCredentials()': origin.secret,
  localStorage: origin.secret,
  sessionStorage: origin.secret,
  'window.name': origin.request,
  'URLSearchParams()': origin.request,
  'fetch()': origin.download,
  'axios()': origin.download,
  'axios.get()': origin.download,
  'axios.post()': origin.download,
  'http.get()': origin.download,
  'https.get()': origin.download,
  'http.request()': origin.download,
  'https.request()': origin.download,
  'got()': origin.download,
  'request()': origin.download,
  'request.get()': origin.download,
  'node-fetch()': origin.download,
  'XMLHttpRequest()': origin.download,
  'net.connect()': origin.download,
  'net.createConnection()': origin.download,
  'net.Socket()': origin.download,
  'WebSocket()': origin.download,
  'os.hostname()': origin.system,
  'os.userInfo()': origin.system,
  'os.networkInterfaces()': origin.system,
  'Math.random()': origin.random,
  'fs.readFileSync()': origin.file,
}
const origins = new Map(Object.entries(named))

/** Where a thing of JavaScript's libraries, or what a call of it gives back, comes from. */
export function javaScriptOrigins(name: string): number {
  const known = origins.get(name)
  if (known !== undefined) return known
  const variable = name.startsWith('process.env.') ? name.slice(12) : null
  return variable !== null && isSecretName(variable) ? origin.secret | origin.environment : 0
}

import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type Problem, problem } from '../../contract/problem.ts'
import { Refused } from './safe-fetch.ts'
import { SignIn } from './sign-in.ts'

export function signInProblem(name: string, error: unknown): Problem | null {
  const isRefused = error instanceof SdkError && error.code === SdkErrorCode.ClientHttpAuthentication
  if (!(error instanceof SignIn || error instanceof UnauthorizedError || isRefused)) return null
  const why = error instanceof SignIn ? error.message : 'it does not take the log-in that is kept here'
  return problem('mcp.sign-in', `${name}: ${why}.`, 'Log in at the server.')
}

/** What became of a log-in, in a sentence. Answers of authorization servers are repeated as codes only. */
export function loginProblem(name: string, error: unknown, signal: AbortSignal): Problem {
  if (signal.aborted) return problem('request.cancelled', 'The log-in was cancelled.', 'Log in again to try it.')
  const [why, hint] = reasonOf(error)
  return problem('mcp.login-failed', `You are not logged in at ${name}: ${why}.`, hint)
}

const askItsOwner = 'Ask who runs the server.'
const registerFirst = 'Register this application there, and add the server with the id that it got (oauth.clientId).'

function reasonOf(error: unknown): [why: string, hint: string] {
  if (error instanceof Refused) return [error.message, askItsOwner]
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError)
    return ['the authorization server is not the one that was named', askItsOwner]
  if (error instanceof InsecureTokenEndpointError) return ['it wants tokens sent without encryption', askItsOwner]
  if (error instanceof RegistrationRejectedError)
    return ['this application may not register itself there', registerFirst]
  if (error instanceof OAuthError) return [`the authorization server says ${error.code.slice(0, 64)}`, askItsOwner]
  if (error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError'))
    return ['an answer of the authorization server cannot be read', askItsOwner]
  const message = error instanceof Error ? error.message : String(error)
  if (/dynamic client registration/.test(message))
    return ['this application cannot register itself there', registerFirst]
  if (/^fetch failed|timeout|aborted/i.test(message))
    return ['the authorization server does not answer', 'Try again in a while.']
  return [message.slice(0, 300), askItsOwner]
}

/**
 * Every file of the engine that can send something out of this process, reviewed. A file that is not here and opens a
 * way out fails a test; to add one, say why nothing private leaves through it.
 */
export interface WayOut {
  /**
   * - `passed`: what it sends went through the egress guard; the file takes `Passed<…>` or calls the guard;
   * - `log`: its lines go through the log redactor;
   * - `figures`: it sends ids, kinds and figures from closed lists, never text that a person or program wrote;
   * - `own machine`: the other end is a process of this user on this machine, or the user's own screen.
   */
  readonly kind: 'passed' | 'log' | 'figures' | 'own machine'
  readonly why: string
}

export const waysOut: Record<string, WayOut> = {
  'src/log.ts': { kind: 'log', why: 'writes the log file; every line passes the redactor that it is given' },
  'src/audit/bundle.ts': { kind: 'passed', why: 'writes the audit bundle; texts pass the guard as exports' },
  'src/doors/cli/commands/report.ts': {
    kind: 'passed',
    why: 'writes the compliance report; texts pass the guard as exports',
  },
  'src/telemetry/alerts.ts': { kind: 'passed', why: 'posts alerts to the webhook; title and text pass the guard' },
  'src/telemetry/sdk.ts': { kind: 'figures', why: 'sends spans and metrics; names and attributes are closed lists' },
  'src/sandbox/local/link.ts': { kind: 'own machine', why: 'socket to the kernel of a local sandbox' },
  'src/doors/server/server.ts': { kind: 'own machine', why: "the user's own browser over loopback" },
}

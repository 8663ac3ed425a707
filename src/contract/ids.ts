import { z } from 'zod'

/** Opaque, sortable ids (UUID v7). A brand per kind, so that a path id cannot be passed where a cell id is wanted. */
const id = <const Kind extends string>(kind: Kind) => z.uuid().brand<Kind>().describe(`${kind} id`)

export const TenantId = id('tenant')
export const UserId = id('user')
export const ConversationId = id('conversation')
export const PathId = id('path')
export const MessageId = id('message')
export const CellId = id('cell')
export const RunId = id('run')
export const RequestId = id('request')
export const ContextId = id('context')
export const SandboxId = id('sandbox')
export const EntryId = id('entry')
export const WorkflowId = id('workflow')
export const FigureId = id('figure')

export type TenantId = z.infer<typeof TenantId>
export type UserId = z.infer<typeof UserId>
export type ConversationId = z.infer<typeof ConversationId>
export type PathId = z.infer<typeof PathId>
export type MessageId = z.infer<typeof MessageId>
export type CellId = z.infer<typeof CellId>
export type RunId = z.infer<typeof RunId>
export type RequestId = z.infer<typeof RequestId>
export type ContextId = z.infer<typeof ContextId>
export type SandboxId = z.infer<typeof SandboxId>
export type EntryId = z.infer<typeof EntryId>
export type WorkflowId = z.infer<typeof WorkflowId>
export type FigureId = z.infer<typeof FigureId>

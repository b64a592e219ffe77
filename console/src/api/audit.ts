import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

/** An event: who did what. `via` is null for Berth itself. */
export type AuditEvent = Narrow<AnswerBody<'EventInfo'>, { data: Record<string, string> }>

/** Empty texts do not filter. */
export interface AuditFilter {
  actor: string
  kind: string
  task: string
  /** The time from which on, or null. */
  since: string | null
  /** Also what Berth itself did. */
  berth: boolean
}

export interface AuditPage {
  events: AuditEvent[]
  hasOlder: boolean
}

/** Newest first. */
export async function auditOf(filter: AuditFilter, limit: number): Promise<AuditPage> {
  const query = new URLSearchParams({ limit: String(limit) })
  for (const name of ['actor', 'kind', 'task', 'since'] as const) {
    const value = filter[name]
    if (value) query.set(name, value)
  }
  if (filter.berth) query.set('berth', 'true')
  const answer = await call<AuditEvent[]>(`/api/audit?${query}`)
  return { events: answer.body, hasOlder: answer.hasNext === true }
}

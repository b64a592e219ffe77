import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

export const LEVELS = ['CRITICAL', 'WARNING', 'INFO'] as const
export type Level = (typeof LEVELS)[number]

/** As the event stream and the list send it. `message` is in the language of the server. */
export type Alert = Narrow<AnswerBody<'Alert'>, { level: Level; details: Record<string, string | number> }>

/** Newest first. */
export async function alertsBefore(limit: number, before: number | null): Promise<Alert[]> {
  return (await call<Alert[]>(`/api/alerts?limit=${limit}${before === null ? '' : `&before=${before}`}`)).body
}

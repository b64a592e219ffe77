import { call } from './request'
import type { AnswerBody } from './schema'

/** Lines anywhere in the log of an attempt. */
export type LogSection = AnswerBody<'LogSection'>

/** The lines of a log that contain a text. */
export type LogMatches = AnswerBody<'LogMatches'>
export type LogMatch = AnswerBody<'Match'>

/** The log of one attempt; null: of the latest. */
export interface LogKey {
  id: number
  attempt: number | null
}

function path({ id, attempt }: LogKey, name: string, parameters: Record<string, string> = {}): string {
  const search = new URLSearchParams(parameters)
  if (attempt !== null) search.set('attempt', String(attempt))
  return `/api/tasks/${id}/logs/${name}${search.size > 0 ? `?${search}` : ''}`
}

export const taskLogApi = {
  end: async (log: LogKey): Promise<LogSection> => (await call<LogSection>(path(log, 'section'))).body,

  from: async (log: LogKey, offset: number): Promise<LogSection> => (await call<LogSection>(path(log, 'section', { from: String(offset) }))).body,

  before: async (log: LogKey, offset: number): Promise<LogSection> => (await call<LogSection>(path(log, 'section', { before: String(offset) }))).body,

  /** The first matches from an offset on, or the last ones before it. */
  search: async (log: LogKey, q: string, place: { from: number } | { before: number }): Promise<LogMatches> =>
    (await call<LogMatches>(path(log, 'search', { q, ...Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)])) }))).body,

  downloadPath: (log: LogKey): string => path(log, 'download'),
}

import { call } from './request'
import type { AnswerBody } from './schema'

/** Lines anywhere in the log of an attempt. */
export type LogSection = AnswerBody<'LogSection'>

/** The lines of a log that contain a text. */
export type LogMatches = AnswerBody<'LogMatches'>
export type LogMatch = AnswerBody<'Match'>

/** The log file of one attempt; null: of the latest. */
export interface LogFile {
  id: number
  attempt: number | null
}

/** What is read of it: with `banner` also what Berth writes before and after the task's own output. */
export interface LogKey extends LogFile {
  banner: boolean
}

function path({ id, attempt, banner = true }: LogFile & Partial<LogKey>, name: string, parameters: Record<string, string> = {}): string {
  const search = new URLSearchParams(parameters)
  if (attempt !== null) search.set('attempt', String(attempt))
  if (!banner) search.set('banner', 'false')
  return `/api/tasks/${id}/logs/${name}${search.size > 0 ? `?${search}` : ''}`
}

export const taskLogApi = {
  end: async (log: LogKey): Promise<LogSection> => (await call<LogSection>(path(log, 'section'))).body,

  from: async (log: LogKey, offset: number): Promise<LogSection> => (await call<LogSection>(path(log, 'section', { from: String(offset) }))).body,

  before: async (log: LogKey, offset: number): Promise<LogSection> => (await call<LogSection>(path(log, 'section', { before: String(offset) }))).body,

  /** The first matches from an offset on, or the last ones before it. */
  search: async (log: LogKey, q: string, place: { from: number } | { before: number }): Promise<LogMatches> =>
    (await call<LogMatches>(path(log, 'search', { q, ...Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)])) }))).body,

  downloadPath: ({ id, attempt }: LogFile): string => path({ id, attempt }, 'raw'),
}

import { call } from './request'

export const LEVELS = ['CRITICAL', 'WARNING', 'INFO'] as const
export type Level = (typeof LEVELS)[number]

/** Something that an operator should know, as the event stream and the list tell it. */
export interface Alert {
  id: number
  at: string
  level: Level
  type: string
  /** In the language of the server. */
  message: string
  details: Record<string, string | number>
  task_id: number | null
}

/** Newest first. */
export async function alertsBefore(limit: number, before: number | null): Promise<Alert[]> {
  return (await call<Alert[]>(`/api/alerts?limit=${limit}${before === null ? '' : `&before=${before}`}`)).body
}

import { call } from './request'
import type { AnswerBody } from './schema'

export const RANGES = ['1h', '6h', '24h', '7d', '30d', '1y'] as const
export type Range = (typeof RANGES)[number]

/** The readings of one step. Steps without a reading are left out; `t` is in seconds since 1970. */
export type Point = AnswerBody<'HistoryPoint'>

/** The history of a GPU, or the sum over the GPUs of a task. */
export type History = AnswerBody<'HistoryInfo'>

export interface AttemptKey {
  id: number
  attempt: number
}

export const historyApi = {
  ofGpu: async ({ index, range }: { index: number; range: Range }): Promise<History> => (await call<History>(`/api/gpus/${index}/history?range=${range}`)).body,

  /** Of all GPUs, over the last seconds. */
  recent: async (seconds: number): Promise<History[]> => (await call<History[]>(`/api/gpus/history?seconds=${seconds}`)).body,

  ofTask: async ({ id, attempt }: AttemptKey): Promise<History> => (await call<History>(`/api/tasks/${id}/history?attempt=${attempt}`)).body,
}

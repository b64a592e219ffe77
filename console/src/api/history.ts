import { call } from './request'

export const RANGES = ['1h', '6h', '24h', '7d', '30d', '1y'] as const
export type Range = (typeof RANGES)[number]

/** What was measured in one step of time. A step in which nothing could be read is not there. */
export interface Point {
  /** Seconds since 1970. */
  t: number
  memory_mb: number | null
  memory_peak_mb: number | null
  utilization: number | null
  utilization_peak: number | null
  temperature: number | null
  temperature_peak?: number | null
}

/** Of a task: on all its cards together. */
export interface History {
  from: string
  to: string
  step_seconds: number
  points: Point[]
  gpu: number | null
  memory_total_mb: number | null
}

export interface AttemptKey {
  id: number
  attempt: number
}

export const history = {
  ofCard: async ({ index, range }: { index: number; range: Range }): Promise<History> => (await call<History>(`/api/gpus/${index}/history?range=${range}`)).body,

  ofTask: async ({ id, attempt }: AttemptKey): Promise<History> => (await call<History>(`/api/tasks/${id}/history?attempt=${attempt}`)).body,
}

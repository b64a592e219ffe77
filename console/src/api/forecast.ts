import type { Reason } from './problems'
import { call } from './request'
import type { AnswerBody, Narrow } from './schema'
import type { TaskChange, TaskCreate, TaskStatus } from './tasks'

/**
 * What Berth expects of a task from earlier runs like it. Times are ISO-8601; null is not known. The fields are absent
 * in the answers of an older server.
 */
export interface Forecast {
  /** Half of the runs take at most this long, and nine of ten at most `predicted_seconds_high`. */
  predicted_seconds?: number | null
  predicted_seconds_high?: number | null
  /** The number of earlier runs that this is known from. */
  predicted_from?: number | null
  /** The expected start of a waiting task; nine of ten start by `eta_latest`. */
  eta?: string | null
  eta_latest?: string | null
  /** Why the start of a waiting task is not known. */
  eta_reason?: Reason | null
  expected_end?: string | null
  expected_end_latest?: string | null
}

/** GPUs that a task cannot use for the same reason; without a reason they fit. */
export type GpuGroup = AnswerBody<'GpuGroup'>

/** A task that starts or ends before another one can start. */
export type TaskAhead = Narrow<AnswerBody<'TaskAhead'>, { status: TaskStatus }>

/** A change of a task with which it would start sooner, as the planner has verified. */
export type Suggestion = Omit<AnswerBody<'Suggestion'>, 'change'> & { change: TaskChange }

/** Why a task waits, what is before it, and what would help. `ahead` are the first ones of `ahead_total`. */
export type Why = Omit<AnswerBody<'Why'>, 'status' | 'ahead' | 'suggestions'> & { status: TaskStatus; ahead: TaskAhead[]; suggestions: Suggestion[] }

/** What would happen to a task if it were submitted now. */
export type Preview = AnswerBody<'TaskPreview'> & {
  /** The GPU memory that earlier runs of the kind needed, in MiB; only if the server offers it. */
  suggested_memory_mb?: number | null
}

/** What earlier runs of one kind have taught. `command` is null for other people's tasks. */
export interface Learned {
  fingerprint: string
  name: string
  owner: string
  command: string | null
  gpus: number
  /** Only runs that ended well count: with none there are no run times. */
  runs: number
  median_seconds: number | null
  p90_seconds: number | null
  min_seconds: number | null
  max_seconds: number | null
  peak_memory_mb: number | null
  last_run: string
}

export const forecastApi = {
  why: async (id: number): Promise<Why> => (await call<Why>(`/api/tasks/${id}/why`)).body,

  /** Stores nothing; refuses what a submission would refuse. */
  preview: async (task: TaskCreate, signal: AbortSignal): Promise<Preview> => (await call<Preview>('/api/tasks/preview', { method: 'POST', body: task, signal })).body,

  learned: async (): Promise<Learned[]> => (await call<Learned[]>('/api/learned')).body,

  /** Without a fingerprint everything is forgotten. */
  forget: async (fingerprint: string | null): Promise<void> =>
    void (await call<unknown>(fingerprint === null ? '/api/learned' : `/api/learned/${encodeURIComponent(fingerprint)}`, { method: 'DELETE' })),
}

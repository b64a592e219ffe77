import type { TaskFix } from './findings'
import type { Forecast } from './forecast'
import { call, type Answer } from './request'
import type { AnswerBody, Narrow, RequestBody } from './schema'

// Times are ISO-8601, memory is in MiB unless the name says otherwise.

export const TASK_STATUSES = ['pending', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const PRIORITIES = ['CRITICAL', 'HIGH', 'NORMAL', 'LOW'] as const
export type Priority = (typeof PRIORITIES)[number]

export const PHASES = ['starting', 'stopping', 'lost', 'stuck'] as const

export type TaskSummary = Narrow<AnswerBody<'TaskSummary'>, { status: TaskStatus; priority: Priority }> & Forecast

export type Attempt = AnswerBody<'AttemptInfo'>

export type TaskDetail = Narrow<AnswerBody<'TaskDetail'>, { status: TaskStatus; priority: Priority }> & Forecast

interface RequestFields {
  /** A number, or a range like `2-4`. */
  gpu_count?: number | string | null
  priority?: Priority | null
}

/** Changes a task that does not run yet; null unsets a value. */
export type TaskChange = Narrow<RequestBody<'TaskChange'>, RequestFields>
export type TaskResolve = RequestBody<'TaskResolve'>

export type TaskCreate = Narrow<RequestBody<'TaskCreate'>, RequestFields>

export interface PageQuery {
  limit: number
  /** The task that the page follows in its order. */
  after: number | null
  /** Filters and order; without `sort` the newest tasks come first. */
  parameters: Readonly<Record<string, string>>
}

export const taskApi = {
  page: ({ limit, after, parameters }: PageQuery, signal?: AbortSignal): Promise<Answer<TaskSummary[]>> => {
    const search = new URLSearchParams({ limit: String(limit) })
    if (after !== null) search.set(parameters.sort === undefined ? 'before' : 'after', String(after))
    for (const [name, value] of Object.entries(parameters)) search.set(name, value)
    return call<TaskSummary[]>(`/api/tasks?${search}`, { signal })
  },

  one: async (id: number): Promise<TaskDetail> => (await call<TaskDetail>(`/api/tasks/${id}`)).body,

  /** A request that is repeated with the same key creates no second task. */
  create: async (task: TaskCreate, idempotencyKey: string): Promise<TaskDetail> =>
    (await call<TaskDetail>('/api/tasks', { method: 'POST', body: task, headers: { 'Idempotency-Key': idempotencyKey } })).body,

  cancel: async (id: number): Promise<TaskDetail> => (await call<TaskDetail>(`/api/tasks/${id}/cancel`, { method: 'POST' })).body,

  /** Removes an ended task with its files. */
  remove: async (id: number): Promise<void> => void (await call<unknown>(`/api/tasks/${id}`, { method: 'DELETE' })),

  /** Decides what became of a lost or stuck attempt. */
  resolve: async (id: number, decision: TaskResolve): Promise<TaskDetail> =>
    (await call<TaskDetail>(`/api/tasks/${id}/resolve`, { method: 'POST', body: decision })).body,

  change: async (id: number, change: TaskChange): Promise<TaskDetail> =>
    (await call<TaskDetail>(`/api/tasks/${id}`, { method: 'PATCH', body: change })).body,

  /** Submits the task once more, with `fix` applied if there is one. */
  clone: async (id: number, fix: TaskFix | null): Promise<TaskDetail> =>
    (await call<TaskDetail>(`/api/tasks/${id}/clone`, { method: 'POST', body: fix ?? {} })).body,

  queueDraft: async (id: number): Promise<void> => void (await call<unknown>(`/experiments/${id}/queue/`, { method: 'POST', body: {} })),

  /** Starts a draft now, ahead of the queue. */
  startDraft: async (id: number, isForced: boolean): Promise<void> =>
    void (await call<unknown>(`/experiments/${id}/start/`, { method: 'POST', body: isForced ? { force_start: true } : {} })),
}

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export function isFinal(status: TaskStatus): boolean {
  return FINAL.has(status)
}

/** A draft or a queued task can still be changed. */
export function isWaiting(status: TaskStatus): boolean {
  return status === 'pending' || status === 'queued'
}

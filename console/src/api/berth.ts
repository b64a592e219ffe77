import type { Redo } from './findings'
import { call, type Answer } from './request'
import type { Card, Me, Placement, Queue, Scheduler, TaskChange, TaskCreate, TaskDetail, TaskLog, TaskStatus, TaskSummary } from './wire'

export interface PageQuery {
  limit: number
  before?: number | null
  status?: TaskStatus | null
}

export const berth = {
  me: async (): Promise<Me> => (await call<Me>('/api/me')).body,
  logout: async (): Promise<void> => void (await call<unknown>('/api/logout', { method: 'POST' })),
  cards: async (): Promise<Card[]> => (await call<Card[]>('/api/gpus?processes=true')).body,

  /** A test hands a card back that passes it; a forced hand-back asks for none. */
  recover: async (index: number, isForced: boolean): Promise<Card> =>
    (await call<Card>(`/api/gpus/${index}/recover`, { method: 'POST', body: isForced ? { force: true } : {} })).body,

  quarantine: async (index: number, reason: string): Promise<Card> =>
    (await call<Card>(`/api/gpus/${index}/quarantine`, { method: 'POST', body: { reason } })).body,

  tasks: (query: PageQuery): Promise<Answer<TaskSummary[]>> => {
    const search = new URLSearchParams({ limit: String(query.limit) })
    if (query.before) search.set('before', String(query.before))
    if (query.status) search.set('status', query.status)
    return call<TaskSummary[]>(`/api/tasks?${search}`)
  },

  task: async (id: number): Promise<TaskDetail> => (await call<TaskDetail>(`/api/tasks/${id}`)).body,

  create: async (form: TaskCreate, key: string): Promise<TaskDetail> =>
    (await call<TaskDetail>('/api/tasks', { method: 'POST', body: form, headers: { 'Idempotency-Key': key } })).body,

  cancel: async (id: number): Promise<TaskDetail> =>
    (await call<TaskDetail>(`/api/tasks/${id}/cancel`, { method: 'POST' })).body,

  change: async (id: number, change: TaskChange): Promise<TaskDetail> =>
    (await call<TaskDetail>(`/api/tasks/${id}`, { method: 'PATCH', body: change })).body,

  /** The same once more, with what is to be different. */
  clone: async (id: number, change: Redo | null): Promise<TaskDetail> =>
    (await call<TaskDetail>(`/api/tasks/${id}/clone`, { method: 'POST', body: change ?? {} })).body,

  placement: async (id: number): Promise<Placement> => (await call<Placement>(`/api/tasks/${id}/placement`)).body,

  /** A draft joins the line. */
  join: async (id: number): Promise<void> => void (await call<unknown>(`/experiments/${id}/queue/`, { method: 'POST', body: {} })),

  /** A draft starts now, past the line. */
  start: async (id: number, isForced: boolean): Promise<void> =>
    void (await call<unknown>(`/experiments/${id}/start/`, { method: 'POST', body: isForced ? { force_start: true } : {} })),

  queue: async (limit: number): Promise<Queue> => (await call<Queue>(`/api/queue?limit=${limit}`)).body,

  scheduler: async (): Promise<Scheduler> => (await call<Scheduler>('/api/scheduler')).body,

  switchScheduler: async (isOn: boolean): Promise<Scheduler> =>
    (await call<Scheduler>(`/api/scheduler/${isOn ? 'start' : 'stop'}`, { method: 'POST' })).body,

  logTail: async (id: number, lines: number): Promise<TaskLog> =>
    (await call<TaskLog>(`/api/tasks/${id}/logs?tail=${lines}`)).body,

  logFrom: async (id: number, offset: number, partial: boolean): Promise<TaskLog> =>
    (await call<TaskLog>(`/api/tasks/${id}/logs?from=${offset}${partial ? '&partial=true' : ''}`)).body,
}

import { call } from './request'
import type { AnswerBody, Narrow, RequestBody } from './schema'

export const WORKER_STATUSES = ['loading', 'idle', 'busy', 'stopping'] as const
export type WorkerStatus = (typeof WORKER_STATUSES)[number]

/** A process that keeps a model loaded on a GPU. `task_id` is the task whose log is its log. */
export type ModelWorker = Narrow<AnswerBody<'ModelWorker'>, { status: WorkerStatus }>

interface ModelFailure {
  /** The task of the worker that failed last: its log is the log of the worker. Absent on an older server. */
  failed_task_id?: number | null
}

export type Model = Narrow<AnswerBody<'ModelInfo'>, { workers: ModelWorker[] }> & ModelFailure

export type ModelSave = RequestBody<'ModelSave'>

const pathOf = (name: string): string => `/api/models/${encodeURIComponent(name)}`
/** Without a GPU: any that has room, or all of them. */
const place = (gpu: number | null): { gpu?: number } => (gpu === null ? {} : { gpu })

export const modelApi = {
  all: async (): Promise<Model[]> => (await call<Model[]>('/api/models')).body,

  save: async (name: string, model: ModelSave): Promise<Model> => (await call<Model>(pathOf(name), { method: 'PUT', body: model })).body,

  remove: async (name: string): Promise<void> => void (await call<unknown>(pathOf(name), { method: 'DELETE' })),

  load: async (name: string, gpu: number | null): Promise<Model> => (await call<Model>(`${pathOf(name)}/load`, { method: 'POST', body: place(gpu) })).body,

  unload: async (name: string, gpu: number | null): Promise<Model> => (await call<Model>(`${pathOf(name)}/unload`, { method: 'POST', body: place(gpu) })).body,
}

import type { Forecast } from './forecast'
import { call } from './request'
import type { AnswerBody, Narrow } from './schema'
import type { Priority } from './tasks'

export type PriorityCounts = Record<Priority, number>

export type QueuedTask = Narrow<AnswerBody<'QueueTask'>, { priority: Priority }> & Forecast

/** The queue of a device: `auto`, `cpu`, or GPU numbers. `tasks` are the first ones. */
export type DeviceQueue = Narrow<AnswerBody<'QueueLine'>, { priorities: PriorityCounts; tasks: QueuedTask[] }>

export type Queue = Narrow<AnswerBody<'Queue'>, { priorities: PriorityCounts; lines: DeviceQueue[] }>

export type Scheduler = AnswerBody<'Scheduler'>

export const queueApi = {
  queue: async (limit: number): Promise<Queue> => (await call<Queue>(`/api/queue?limit=${limit}`)).body,

  scheduler: async (): Promise<Scheduler> => (await call<Scheduler>('/api/scheduler')).body,

  switchScheduler: async (isOn: boolean): Promise<Scheduler> =>
    (await call<Scheduler>(`/api/scheduler/${isOn ? 'start' : 'stop'}`, { method: 'POST' })).body,
}

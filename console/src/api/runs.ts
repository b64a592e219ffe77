import type { Mode } from './commandFiles'
import { call } from './request'
import type { AnswerBody, Narrow } from './schema'
import type { Priority } from './tasks'

export const RUN_STATUSES = ['running', 'stopping', 'finished', 'stopped'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const LANE_STATUSES = ['busy', 'idle', 'backoff', 'done'] as const
export type LaneStatus = (typeof LANE_STATUSES)[number]

export const PROCESS_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export type ProcessStatus = (typeof PROCESS_STATUSES)[number]

export type RunProcess = Narrow<AnswerBody<'ProcessState'>, { status: ProcessStatus }>

export type RunLane = Narrow<AnswerBody<'LaneState'>, { status: LaneStatus; processes: RunProcess[] }>

/** `pid` is the number of the run, not the id of a process. */
export type RunState = Narrow<AnswerBody<'RunState'>, { mode: Mode; status: RunStatus; priority: Priority; queues: Record<string, RunLane> }>

export const runApi = {
  live: async (): Promise<RunState[]> => (await call<RunState[]>('/api/scheduler/running')).body,

  /** The mode's live runs, and the last ended run of each file. */
  ofMode: async (mode: Mode): Promise<RunState[]> => (await call<RunState[]>(`/api/scheduler/${mode}/state`)).body,

  start: async (mode: Mode, index: number): Promise<RunState> =>
    (await call<RunState>(`/api/scheduler/${mode}/start?config_index=${index}`, { method: 'POST' })).body,

  stop: async (pid: number, keepsRunning: boolean): Promise<RunState> =>
    (await call<RunState>(`/api/scheduler/stop/${pid}${keepsRunning ? '?keep_running=true' : ''}`, { method: 'POST' })).body,
}

export const isLive = (run: RunState): boolean => run.status === 'running' || run.status === 'stopping'

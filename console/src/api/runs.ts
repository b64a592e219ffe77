import type { Mode } from './commands'
import { call } from './request'
import type { LineProblem, Priority } from './wire'

// Started command files, as docs/api.md says.

export const RUN_STATUSES = ['running', 'stopping', 'finished', 'stopped'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const LANE_STATUSES = ['busy', 'idle', 'backoff', 'done'] as const
export type LaneStatus = (typeof LANE_STATUSES)[number]

export const PROCESS_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const
export type ProcessStatus = (typeof PROCESS_STATUSES)[number]

export interface RunProcess {
  task_id: number
  task_index: number
  uni_id: string | null
  command: string
  memory_gb: number | null
  gpu_count: number
  gpus: number[]
  pid: number | null
  status: ProcessStatus
  retry_count: number
  backoff_until: string | null
  error: string | null
  error_type: string | null
  log: string | null
  bound_log: string | null
}

export interface RunLane {
  status: LaneStatus
  total: number
  completed: number
  current: number | null
  gpus: number[]
  backoff_until: string | null
  processes: RunProcess[]
}

export interface RunState {
  /** The run's number; no process of the machine has to do with it. */
  pid: number
  mode: Mode
  config_index: number | null
  command_file: string
  status: RunStatus
  owner: string
  priority: Priority
  started_at: string
  updated_at: string
  ended_at: string | null
  total: number
  pending: number
  running: number
  completed: number
  failed: number
  cancelled: number
  /** Why nothing of it can start. */
  reason: string | null
  log: string | null
  queues: Record<string, RunLane>
}

/** What was started, and the blocks that were left out. */
export interface StartedRun extends RunState {
  problems?: LineProblem[]
}

export const runs = {
  live: async (): Promise<RunState[]> => (await call<RunState[]>('/api/scheduler/running')).body,

  /** The mode's live runs, and the last ended one of each file. */
  of: async (mode: Mode): Promise<RunState[]> => (await call<RunState[]>(`/api/scheduler/${mode}/state`)).body,

  start: async (mode: Mode, index: number): Promise<StartedRun> =>
    (await call<StartedRun>(`/api/scheduler/${mode}/start?config_index=${index}`, { method: 'POST' })).body,

  stop: async (pid: number, keepsRunning: boolean): Promise<RunState> =>
    (await call<RunState>(`/api/scheduler/stop/${pid}${keepsRunning ? '?keep_running=true' : ''}`, { method: 'POST' })).body,
}

export const isLive = (run: RunState): boolean => run.status === 'running' || run.status === 'stopping'

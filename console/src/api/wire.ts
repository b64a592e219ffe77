// What the server sends and takes, as docs/api.md says. Times are ISO-8601, memory is in MiB.

export const TASK_STATUSES = ['pending', 'queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const CARD_STATUSES = ['free', 'busy', 'unknown', 'error'] as const
export type CardStatus = (typeof CARD_STATUSES)[number]

export const PRIORITIES = ['CRITICAL', 'HIGH', 'NORMAL', 'LOW'] as const
export type Priority = (typeof PRIORITIES)[number]

export const PHASES = ['starting', 'stopping', 'lost', 'stuck'] as const

export interface Problem {
  detail: string
  code: string
  field: string | null
  params: Record<string, string>
}

export interface Reason {
  detail: string
  code: string
  params: Record<string, string>
  parts: Reason[]
}

export interface CardProcess {
  pid: number
  user: string | null
  name: string
  memory_mb: number | null
  kind: 'compute' | 'graphics'
  since: string | null
  task_id: number | null
  foreign: boolean
}

export interface CardHolder {
  task_id: number
  name: string
  owner: string
  since: string
}

export interface Card {
  index: number
  node: string
  uuid: string
  name: string
  status: CardStatus
  is_free: boolean
  memory_total_mb: number
  memory_used_mb: number | null
  memory_free_mb: number | null
  utilization_percent: number | null
  temperature_c: number | null
  task_ids: number[]
  why?: string | null
  released_at?: string | null
  processes?: CardProcess[] | null
  holders?: CardHolder[] | null
}

export interface TaskSummary {
  id: number
  name: string
  status: TaskStatus
  phase: string
  priority: Priority
  owner: string
  devices: string
  gpu_type: string | null
  gpu_count: number
  memory_gb: number | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  assigned_gpus: number[] | null
  exit_code: number | null
  error: string | null
  retry_count: number
}

export interface Attempt {
  number: number
  node: string
  phase: string
  gpus: number[]
  pid: number | null
  granted_at: string
  started_at: string | null
  ended_at: string | null
  exit_code: number | null
  error: string | null
}

export interface TaskDetail extends TaskSummary {
  command: string
  work_dir: string
  tmux_session: string | null
  log_path: string | null
  env: string[]
  position: number | null
  wait_reasons: Reason[]
  attempts: Attempt[]
}

export interface TaskLog {
  task_id: number
  lines: string[]
  truncated: boolean
  next_offset: number
}

export interface TaskCreate {
  name: string
  command: string
  gpu_type?: string
  gpu_count?: number
  devices?: string
  memory_gb?: number
  priority?: Priority
  work_dir?: string
  env?: Record<string, string>
}

export interface Me {
  name: string
  principal: string
  admin: boolean
  via: 'socket' | 'token' | 'session' | 'loopback'
}

export interface QueueState {
  queued: number
  running: number
  scheduler_running: boolean
}

export interface TaskEvent {
  seq: number
  at: string
  kind: string
  task_id: number
  task: TaskSummary
}

export interface AlertEvent {
  seq: number
  at: string
  kind: string
  task_id: number | null
  data: Record<string, string>
}

/**
 * Lines of the log that is open. The last of a partial message is sent again, grown, by the next one.
 * An `error` says why the log cannot be read, and nothing comes after it.
 */
export interface LogEvent {
  task_id: number
  attempt: number | null
  lines: string[]
  next_offset: number
  partial: boolean
  gap: boolean
  ended: boolean
  error?: string | null
}

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export function isFinal(status: TaskStatus): boolean {
  return FINAL.has(status)
}

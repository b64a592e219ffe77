// What the server sends and takes, as docs/api.md says. Times are ISO-8601, memory is in MiB.

import type { Consumption, Diagnosis, Progress } from './findings'

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
  /** Why its cards cannot be had now, where a task was to be started. */
  reasons?: Reason[]
  /** What is wrong with a command file, line by line. */
  problems?: LineProblem[]
}

export interface LineProblem {
  line: number
  code: string
  detail: string
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

export const FAULT_KINDS = ['missing', 'xid', 'ecc', 'hot', 'failures', 'person'] as const
export const FAULT_STAGES = ['testing', 'out'] as const

/** Why a card is out of use, and what is to become of it. */
export interface Fault {
  kind: string
  why: string
  since: string
  stage: (typeof FAULT_STAGES)[number]
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
  loaded_models?: string[]
  fault?: Fault | null
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
  /** The least it starts with. */
  gpu_count: number
  max_gpu: number
  memory_gb: number | null
  share: boolean
  timeout_seconds: number | null
  created_at: string
  queued_at: string | null
  started_at: string | null
  finished_at: string | null
  assigned_gpus: number[] | null
  exit_code: number | null
  error: string | null
  retry_count: number
  /** What may be retried; null is without end. */
  max_retries?: number | null
  /** Until then it rests before its next try. */
  backoff_until?: string | null
  error_type?: string | null
  /** `3/1` is queue 1 of run 3; anything else is a name. */
  lane?: string | null
  run?: number | null
  uni_id?: string | null
  /** How much of it is done, in percent, where its log tells. */
  progress?: number | null
  /** What made it fail, in one word. */
  cause?: string | null
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

export interface TaskDetail extends Omit<TaskSummary, 'progress'> {
  progress?: Progress | null
  diagnosis?: Diagnosis | null
  usage?: Consumption | null
  command: string
  work_dir: string
  tmux_session: string | null
  log_path: string | null
  env: string[]
  model_name: string | null
  task_type: string | null
  structure_n_atoms: number | null
  position: number | null
  score: number | null
  wait_reasons: Reason[]
  attempts: Attempt[]
}

export interface TaskLog {
  task_id: number
  lines: string[]
  truncated: boolean
  next_offset: number
}

/** What can be said of a task that does not run yet; null is back to unset. */
export interface TaskChange {
  name?: string
  command?: string
  gpu_type?: string | null
  /** A number, or a range like `2-4`. */
  gpu_count?: number | string | null
  devices?: string | null
  memory_gb?: number | null
  share?: boolean | null
  priority?: Priority | null
  timeout_seconds?: number | null
  model_name?: string | null
  task_type?: string | null
  structure_n_atoms?: number | null
  work_dir?: string | null
  env?: Record<string, string> | null
}

export interface TaskCreate extends TaskChange {
  name: string
  command: string
  draft?: boolean
  lane?: string
  max_retries?: number
}

export interface CardScore {
  total: number
  parts: Record<string, number>
}

export interface PlacementCard {
  index: number
  uuid: string
  name: string
  memory_total_mb: number
  memory_free_mb: number | null
  headroom_mb: number | null
  fits: boolean
  chosen: boolean
  refusal: Reason | null
  score: number
  scores: Record<string, CardScore>
}

/** Where a task would go now, and why not elsewhere. */
export interface Placement {
  task_id: number
  status: TaskStatus
  selector: string
  need: {
    min_gpu: number
    max_gpu: number
    memory_mb: number | null
    memory_from: 'stated' | 'estimate' | 'none'
    margin_mb: number
    threshold_percent: number | null
  }
  would_start: boolean
  reasons: Reason[]
  gpus: PlacementCard[]
}

export type PriorityCounts = Record<Priority, number>

export interface QueueTask {
  id: number
  name: string
  owner: string
  priority: Priority
  devices: string
  gpu_type: string | null
  gpu_count: number
  max_gpu: number
  memory_gb: number | null
  created_at: string
  queued_at: string
  wait_seconds: number
  position: number
  score: number
}

/** One ordered waiting list: `auto`, `cpu`, or the cards its tasks name. Its first tasks are listed. */
export interface QueueLine {
  device: string
  count: number
  priorities: PriorityCounts
  tasks: QueueTask[]
}

export interface Queue {
  queued: number
  running: number
  pending: number
  scheduler_running: boolean
  paused: Reason | null
  longest_wait_seconds: number | null
  longest_wait_task_id: number | null
  wait_warn_seconds: number
  waiting_too_long: number
  priority_algorithm: string
  gpu_selector: string
  priorities: PriorityCounts
  lines: QueueLine[]
}

/** Whether Berth starts tasks, and who last said so. */
export interface Scheduler {
  running: boolean
  changed: boolean
  since: string | null
  by: string | null
}

export interface Me {
  name: string
  principal: string
  admin: boolean
  via: 'socket' | 'token' | 'session' | 'loopback'
}

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export function isFinal(status: TaskStatus): boolean {
  return FINAL.has(status)
}

/** A draft, or in line: it can still be changed. */
export function isWaiting(status: TaskStatus): boolean {
  return status === 'pending' || status === 'queued'
}

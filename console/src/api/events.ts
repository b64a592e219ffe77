// What the event stream carries, as docs/api.md says.

import type { TaskSummary } from './wire'

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

import { call } from './request'
import type { TaskStatus } from './tasks'

export interface TimelineGpu {
  index: number
  uuid: string
  name: string
}

/** A run of a task on GPUs, in the past or predicted. */
export interface TimelineRun {
  task_id: number
  name: string
  owner: string
  status: TaskStatus
  gpus: number[]
  start: string
  /** Null if the end is not known. */
  end: string | null
  is_predicted: boolean
  end_latest: string | null
}

export interface Timeline {
  from: string
  to: string
  now: string
  gpus: TimelineGpu[]
  runs: TimelineRun[]
  /** There are more runs than the answer has. */
  truncated?: boolean
  /** The GPUs that are kept for the blocked head of the queue, and its promised start if that is known. */
  reservation: { task_id: number; gpus: number[]; start: string | null } | null
}

/** The longest time that one answer covers. */
export const MAX_TIMELINE_MS = 31 * 86_400_000

export const timelineOf = async (from: number, to: number): Promise<Timeline> => (await call<Timeline>(`/api/timeline?${new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })}`)).body

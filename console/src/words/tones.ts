import type { LaneStatus, ProcessStatus, RunStatus } from '@/api/runs'
import type { CardStatus, TaskStatus } from '@/api/wire'
import type { Connection } from '@/live/line'
import type { Tone } from '@/ui/Pill.vue'

export const taskTone: Record<TaskStatus, Tone> = {
  pending: 'draft',
  queued: 'warn',
  running: 'work',
  completed: 'good',
  failed: 'bad',
  cancelled: 'still',
}

export const runTone: Record<RunStatus, Tone> = { running: 'work', stopping: 'warn', finished: 'good', stopped: 'still' }

export const laneTone: Record<LaneStatus, Tone> = { busy: 'work', idle: 'still', backoff: 'warn', done: 'good' }

export const processTone: Record<ProcessStatus, Tone> = { pending: 'still', running: 'work', completed: 'good', failed: 'bad', cancelled: 'still' }

export const cardTone: Record<CardStatus, Tone> = { free: 'good', busy: 'work', unknown: 'warn', error: 'bad' }

export const connectionTone: Record<Connection, Tone> = { connecting: 'still', live: 'good', polling: 'warn', offline: 'bad' }

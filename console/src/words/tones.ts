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

export const cardTone: Record<CardStatus, Tone> = { free: 'good', busy: 'work', unknown: 'warn', error: 'bad' }

export const connectionTone: Record<Connection, Tone> = { connecting: 'still', live: 'good', polling: 'warn', offline: 'bad' }

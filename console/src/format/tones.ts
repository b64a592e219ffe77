import type { GpuStatus } from '@/api/gpus'
import type { WorkerStatus } from '@/api/models'
import type { LaneStatus, ProcessStatus, RunStatus } from '@/api/runs'
import type { TaskStatus } from '@/api/tasks'
import type { Connection } from '@/stream/eventStream'
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

export const gpuTone: Record<GpuStatus, Tone> = { free: 'good', busy: 'work', unknown: 'warn', error: 'bad' }

export const workerTone: Record<WorkerStatus, Tone> = { loading: 'warn', idle: 'good', busy: 'work', stopping: 'still' }

export const connectionTone: Record<Connection, Tone> = { connecting: 'still', live: 'good', polling: 'warn', offline: 'bad' }

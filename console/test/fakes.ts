import type { Gpu } from '@/api/gpus'
import type { TaskDetail, TaskSummary } from '@/api/tasks'
import type { StreamEnvironment, Source } from '@/stream/eventStream'

/** A server and a stream that say what a test tells them to. */
export type Handler = (path: string, init?: RequestInit) => Response | Promise<Response>

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response => new Response(JSON.stringify(body), { status, headers })
export const task = (id: number, status: TaskSummary['status'] = 'queued'): TaskSummary =>
  ({ id, name: `task ${id}`, status, phase: '', priority: 'NORMAL', owner: 'alice', devices: 'auto', gpu_type: null, gpu_count: 1, created_at: '2026-01-01T00:00:00Z', started_at: null, finished_at: null }) as TaskSummary
export const detail = (id: number, status: TaskSummary['status'] = 'queued'): TaskDetail => ({ ...task(id, status), command: 'true', env: [], wait_reasons: [], attempts: [] }) as unknown as TaskDetail
export const gpu = (utilization: number): Gpu => ({ index: 0, uuid: 'GPU-0', utilization_percent: utilization, status: 'free', task_ids: [] }) as unknown as Gpu

export type FakeSource = Source & { send(kind: string, data: unknown): void }

export const fakeEnvironment = (sources: FakeSource[]): StreamEnvironment => ({
  open: () => {
    const listeners = new Map<string, (message: { data: string; lastEventId: string }) => void>()
    const source = {
      onopen: null,
      onerror: null,
      addEventListener: (kind: string, listener: (message: { data: string; lastEventId: string }) => void) => void listeners.set(kind, listener),
      close: () => undefined,
      send: (kind: string, data: unknown) => listeners.get(kind)!({ data: JSON.stringify(data), lastEventId: '' }),
    }
    sources.push(source)
    return source
  },
  setTimer: () => 0,
  clearTimer: () => undefined,
})

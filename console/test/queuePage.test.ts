import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Placement } from '@/api/placement'
import type { Queue } from '@/api/queue'
import { useConnectionStore } from '@/store/connection'
import { useOpenTaskStore } from '@/store/openTask'
import { usePlacementStore, PLACEMENT_PAUSE_MS } from '@/store/placement'
import { useQueueStore, QUEUE_PAUSE_MS } from '@/store/queue'
import { useTasksStore } from '@/store/tasks'
import { SILENCE_MS } from '@/stream/eventStream'

import { gpu, detail, json, fakeEnvironment, task, type FakeSource, type Handler } from './fakes'

let handler: Handler
let sources: FakeSource[]
let asked: string[]

const queue = (queued: number): Queue => ({ queued, lines: [], paused: null, scheduler_running: true }) as unknown as Queue
const scheduler = (running: boolean) => ({ running, changed: true, since: null, by: null })
const placement = (id: number): Placement => ({ task_id: id, gpus: [] }) as unknown as Placement
const count = (path: string): number => asked.filter((one) => one === path).length
const changed = (id: number): void => sources[0]!.send('task', { seq: 1, task_id: id, kind: 'task.changed', task: task(id) })

beforeEach(() => {
  vi.useFakeTimers()
  setActivePinia(createPinia())
  sources = []
  asked = []
  vi.stubGlobal('requestAnimationFrame', () => 0)
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
    asked.push(path)
    return Promise.resolve().then(() => handler(path, init))
  })
  handler = (path) => (path.startsWith('/api/queue') ? json(queue(3)) : path.startsWith('/api/scheduler') ? json(scheduler(true)) : path.endsWith('/placement') ? json(placement(7)) : path.includes('?') ? json([]) : json(detail(7)))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('the queue', () => {
  it('is read again after events, once for many of them and also while they keep coming', async () => {
    const connectionStore = useConnectionStore()
    const queueStore = useQueueStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await queueStore.open()
    expect(count('/api/queue?limit=100')).toBe(1)
    for (let i = 0; i < 30; i++) {
      changed(i)
      await vi.advanceTimersByTimeAsync(QUEUE_PAUSE_MS / 10)
    }
    expect(count('/api/queue?limit=100')).toBeGreaterThanOrEqual(3)
    expect(count('/api/queue?limit=100')).toBeLessThanOrEqual(5)
  })

  it('is asked for by nobody who does not look at it', async () => {
    const connectionStore = useConnectionStore()
    const queueStore = useQueueStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await queueStore.open()
    queueStore.close()
    changed(1)
    await connectionStore.reload(false)
    await vi.advanceTimersByTimeAsync(QUEUE_PAUSE_MS)
    expect(count('/api/queue?limit=100')).toBe(1)
  })

  it('of a hidden page is read once it is seen again', async () => {
    const connectionStore = useConnectionStore()
    const queueStore = useQueueStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await queueStore.open()
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    changed(1)
    await vi.advanceTimersByTimeAsync(10 * QUEUE_PAUSE_MS)
    expect(count('/api/queue?limit=100')).toBe(1)
    hidden.mockReturnValue(false)
    document.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(0)
    expect(count('/api/queue?limit=100')).toBe(2)
  })

  it('keeps what it knew when it cannot be read, and tells why', async () => {
    const queueStore = useQueueStore()
    await queueStore.open()
    handler = () => Promise.reject(new TypeError('refused'))
    await queueStore.load()
    expect(queueStore.item?.queued).toBe(3)
    expect(queueStore.state.failure?.problem.code).toBe('client.unreachable')
  })

  it('says at once that the scheduler was stopped', async () => {
    const queueStore = useQueueStore()
    await queueStore.open()
    handler = (path) => (path.startsWith('/api/queue') ? json({ ...queue(3), scheduler_running: false }) : json(scheduler(false)))
    await queueStore.switchScheduler(false)
    expect(asked).toContain('/api/scheduler/stop')
    expect(queueStore.scheduler?.running).toBe(false)
    expect(queueStore.item?.scheduler_running).toBe(false)
  })
})

describe('a silent stream', () => {
  it('is kept while the server answers, also one whose scheduler is stopped and whose health is therefore bad', async () => {
    handler = (path) => (path === '/api/health' ? json({ detail: '', code: '', field: null, params: {} }, 503) : path.startsWith('/api/scheduler') ? json(scheduler(false)) : json([]))
    const connectionStore = useConnectionStore()
    const later = (task: () => void, ms: number): number => setTimeout(task, ms) as unknown as number
    connectionStore.connect({ ...fakeEnvironment(sources), setTimer: later }).start()
    ;(sources[0] as unknown as { onopen: () => void }).onopen()
    await vi.advanceTimersByTimeAsync(2 * SILENCE_MS + 1)
    expect(count('/api/scheduler')).toBe(2)
    expect(count('/api/health')).toBe(0)
    expect(sources.length).toBe(1)
  })
})

describe('where a task would go', () => {
  it('is found out again when a GPU or a task changes, until it is closed', async () => {
    const connectionStore = useConnectionStore()
    const placementStore = usePlacementStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await placementStore.open(7)
    expect(placementStore.item?.task_id).toBe(7)
    sources[0]!.send('gpu', [gpu(5)])
    sources[0]!.send('gpu', [gpu(6)])
    await vi.advanceTimersByTimeAsync(PLACEMENT_PAUSE_MS)
    expect(count('/api/tasks/7/placement')).toBe(2)
    changed(9)
    await vi.advanceTimersByTimeAsync(PLACEMENT_PAUSE_MS)
    expect(count('/api/tasks/7/placement')).toBe(3)
    placementStore.close()
    changed(9)
    await vi.advanceTimersByTimeAsync(PLACEMENT_PAUSE_MS)
    expect(count('/api/tasks/7/placement')).toBe(3)
  })

  it('is not said of another task than the one that is open', async () => {
    const placementStore = usePlacementStore()
    let answer: (response: Response) => void = () => undefined
    handler = () => new Promise((resolve) => (answer = resolve))
    const first = placementStore.open(7)
    await vi.advanceTimersByTimeAsync(0)
    const late = answer
    void placementStore.open(8)
    late(json(placement(7)))
    await first
    expect(placementStore.item).toBeNull()
  })
})

describe('a draft', () => {
  it('is in line as soon as it has joined, in the list too', async () => {
    let status: 'pending' | 'queued' = 'pending'
    handler = (path) => {
      if (path === '/experiments/7/queue/') status = 'queued'
      return json(path.startsWith('/experiments') ? { success: true } : detail(7, status))
    }
    const openTaskStore = useOpenTaskStore()
    const tasksStore = useTasksStore()
    await openTaskStore.open(7)
    expect(openTaskStore.item?.status).toBe('pending')
    await openTaskStore.queueDraft(7)
    expect(openTaskStore.item?.status).toBe('queued')
    expect(tasksStore.items.find((one) => one.id === 7)?.status).toBe('queued')
  })

  it('that cannot start says which GPU is in its way, and is started anyway only when that is asked', async () => {
    const bodies: unknown[] = []
    const busy = { success: false, message: 'busy', detail: 'busy', code: 'start.busy', field: null, params: {}, reasons: [{ detail: 'held', code: 'card.held', params: { gpu: '0', task: '3' }, parts: [] }] }
    handler = (path, init) => {
      if (!path.startsWith('/experiments')) return json(detail(7, 'running'))
      bodies.push(JSON.parse(String(init?.body)))
      return bodies.length === 1 ? json(busy, 409) : json({ success: true })
    }
    const openTaskStore = useOpenTaskStore()
    await expect(openTaskStore.startDraft(7, false)).rejects.toMatchObject({ status: 409, problem: { code: 'start.busy', reasons: [{ code: 'card.held' }] } })
    await openTaskStore.startDraft(7, true)
    expect(bodies).toEqual([{}, { force_start: true }])
  })
})

describe('a change', () => {
  it('is sent as it is and shown everywhere at once', async () => {
    let sent: { method: string | undefined; body: unknown } | null = null
    handler = (_path, init) => {
      if (init?.method === 'PATCH') sent = { method: init.method, body: JSON.parse(String(init.body)) }
      return json({ ...detail(7), name: init?.method === 'PATCH' ? 'renamed' : 'old' })
    }
    const openTaskStore = useOpenTaskStore()
    const tasksStore = useTasksStore()
    await openTaskStore.open(7)
    await openTaskStore.change(7, { name: 'renamed', timeout_seconds: null })
    expect(sent).toEqual({ method: 'PATCH', body: { name: 'renamed', timeout_seconds: null } })
    expect(openTaskStore.item?.name).toBe('renamed')
    expect(tasksStore.items.find((one) => one.id === 7)?.name).toBe('renamed')
  })
})

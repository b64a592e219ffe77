import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp, type App as VueApp } from 'vue'

import { i18n, setLanguage } from '@/i18n'
import QueuePage from '@/pages/QueuePage.vue'
import DraftPanel from '@/parts/task/DraftPanel.vue'
import PlacementTable from '@/parts/task/PlacementTable.vue'
import { router } from '@/routes'
import { useQueueStore } from '@/store/queue'
import { useSessionStore } from '@/store/session'
import { toasts } from '@/ui/toasts'

import { detail, json, type Handler } from './fakes'

let app: VueApp
let root: HTMLElement
let handler: Handler
let asked: string[]

const part = (id: string): HTMLElement | null => root.querySelector(`[data-testid="${id}"]`)
const settle = async (): Promise<void> => {
  for (let i = 0; i < 40; i++) await Promise.resolve()
}
async function click(id: string): Promise<void> {
  part(id)!.click()
  await settle()
}
async function mount(component: Parameters<typeof createApp>[0], props: Record<string, unknown> = {}): Promise<void> {
  const pinia = createPinia()
  setActivePinia(pinia)
  root = document.createElement('div')
  document.body.append(root)
  app = createApp(component, props).use(pinia).use(router).use(i18n)
  app.mount(root)
  await settle()
}

beforeEach(() => {
  toasts.value = []
  asked = []
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
    asked.push(`${init?.method} ${path} ${String(init?.body ?? '')}`.trim())
    return Promise.resolve().then(() => handler(path, init))
  })
})
afterEach(() => {
  app.unmount()
  root.remove()
  vi.unstubAllGlobals()
})

describe('the panel of a draft', () => {
  const busy = { detail: 'busy', code: 'start.busy', field: null, params: {}, reasons: [{ detail: 'held', code: 'card.held', params: { gpu: '0', task: '3' }, parts: [] }] }

  it('says in Chinese that it has joined the queue', async () => {
    setLanguage('zh-CN')
    handler = (path) => json(path.startsWith('/experiments') ? { success: true } : detail(7))
    await mount(DraftPanel, { id: 7 })
    expect(part('join-queue')!.textContent).toContain('加入队列')
    await click('join-queue')
    expect(asked[0]).toBe('POST /experiments/7/queue/ {}')
    expect(toasts.value.map((one) => one.text)).toEqual(['实验已加入队列'])
    setLanguage('en')
  })

  it('shows why it cannot start beside the offer to join, and forces only after asking', async () => {
    setLanguage('en')
    handler = (path) => (path.startsWith('/experiments') ? json(busy, 409) : json(detail(7, 'pending')))
    await mount(DraftPanel, { id: 7 })
    expect(part('start-anyway')).toBeNull()
    await click('start-now')
    expect(part('start-error')!.textContent).toContain('GPU 0 is held by task 3.')
    expect(part('join-queue')).not.toBeNull()
    await click('start-anyway')
    expect(asked.filter((one) => one.includes('force_start'))).toEqual([])
    await click('start-anyway-yes')
    expect(asked.filter((one) => one.includes('force_start'))).toEqual(['POST /experiments/7/start/ {"force_start":true}'])
    expect(part('start-error')).not.toBeNull()
    expect(part('start-anyway')).toBeNull()
  })
})

describe('the offer to join the queue', () => {
  const busy = { detail: 'busy', code: 'start.busy', field: null, params: {}, reasons: [] }

  it.each([
    [true, 'In the queue it starts by itself as soon as GPUs are free.'],
    [false, 'The scheduler is not running. In the queue the task waits until the scheduler runs.'],
  ])('promises no start while the scheduler does not run (%s)', async (isRunning, offer) => {
    setLanguage('en')
    handler = (path) => (path.startsWith('/experiments') ? json(busy, 409) : json(detail(7, 'pending')))
    await mount(DraftPanel, { id: 7 })
    useQueueStore().counts = { queued: 0, running: 0, scheduler_running: isRunning }
    await click('start-now')
    expect(part('draft')!.textContent).toContain(offer)
  })
})

describe('where a draft would go', () => {
  const need = { min_gpu: 2, max_gpu: 4, memory_mb: null, memory_from: 'none', margin_mb: 0, threshold_percent: 20 }
  const gpu = (index: number, chosen: boolean) => ({ index, uuid: `GPU-${index}`, name: 'x', memory_total_mb: 1, memory_free_mb: 1, headroom_mb: 1, fits: chosen, chosen, refusal: null, score: 1, scores: {} })

  it.each([
    [2, 'would start now'],
    [1, 'would have to wait'],
  ])('is shown by the GPUs chosen for it, since no pass takes it (%s of 2)', async (chosen, outlook) => {
    setLanguage('en')
    handler = () => json({ task_id: 7, status: 'pending', selector: 'best_score', need, would_start: false, reasons: [], gpus: [0, 1, 2].map((i) => gpu(i, i < chosen)) })
    await mount(PlacementTable, { task: detail(7, 'pending') })
    expect(part('placement-outlook')!.textContent).toContain(outlook)
  })

  it('is no GPU that the rules refuse to it while it waits', async () => {
    const kept = { ...gpu(1, true), fits: false, refusal: { detail: '', code: 'card.kept_back', params: {}, parts: [] } }
    let wouldStart = false
    handler = () => json({ task_id: 7, status: 'queued', selector: 'best_score', need, would_start: wouldStart, reasons: [], gpus: [gpu(0, true), kept] })
    await mount(PlacementTable, { task: detail(7) })
    expect([0, 1].map((i) => part(`placement-gpu-${i}`)!.dataset.verdict)).toEqual(['chosen', 'refused'])
    wouldStart = true
    app.unmount()
    await mount(PlacementTable, { task: detail(7) })
    expect(part('placement-gpu-1')!.dataset.verdict).toBe('chosen')
  })
})

describe('the queue page', () => {
  const none = { CRITICAL: 0, HIGH: 0, NORMAL: 0, LOW: 0 }
  const waiting = { id: 5, name: 'x', owner: 'bob', priority: 'NORMAL', devices: '0,1', gpu_type: null, gpu_count: 2, max_gpu: 2, memory_gb: null, created_at: '', queued_at: '', wait_seconds: 61, position: 0, score: 1 }
  const queue = {
    queued: 100_000, running: 1, pending: 0, scheduler_running: false, paused: { detail: '', code: 'paused.stopped', params: {}, parts: [] },
    longest_wait_seconds: 90_000, longest_wait_task_id: 5, wait_warn_seconds: 86_400, waiting_too_long: 2, priority_algorithm: 'priority', gpu_selector: 'novel',
    priorities: { ...none, NORMAL: 100_000 }, lines: [{ device: '0,1', count: 100_000, priorities: { ...none, NORMAL: 100_000 }, tasks: [waiting] }],
  }
  const answers = (isAdmin: boolean, body: unknown): Handler => (path) => json(path.startsWith('/api/queue') ? body : path === '/api/me' ? { name: 'ann', admin: isAdmin, via: 'session' } : { running: false, changed: false, since: null, by: null })

  it('lists the first of each line and counts the rest, says that nothing starts, and warns of long waits', async () => {
    setLanguage('en')
    handler = answers(false, queue)
    await mount(QueuePage)
    expect(part('queue-line-0,1')!.textContent).toContain('100,000 tasks')
    expect(part('queue-task-5')!.textContent).toContain('1 min 1 s')
    expect(part('queue-rest')!.textContent).toBe('and 99,999 more')
    expect(part('scheduler-state')!.dataset.state).toBe('stopped')
    expect(part('queue-paused')!.textContent).toContain('The scheduler is stopped')
    expect(part('queue-longest')!.dataset.long).toBe('true')
    expect(part('queue-longest')!.textContent).toContain('over 1 d: 2 tasks')
    expect(part('scheduler-toggle')).toBeNull()
  })

  it('lets an admin start the scheduler, after a question', async () => {
    handler = answers(true, queue)
    await mount(QueuePage)
    await useSessionStore().load()
    await settle()
    await click('scheduler-toggle')
    expect(asked.filter((one) => one.startsWith('POST'))).toEqual([])
    await click('scheduler-toggle-yes')
    expect(asked.filter((one) => one.startsWith('POST'))).toEqual(['POST /api/scheduler/start'])
  })

  it('says so when nothing waits', async () => {
    handler = answers(false, { ...queue, queued: 0, lines: [], longest_wait_seconds: null, longest_wait_task_id: null })
    await mount(QueuePage)
    expect(part('queue-none')).not.toBeNull()
    expect(part('queue-longest')!.dataset.long).toBe('false')
  })
})

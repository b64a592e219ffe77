import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Alert } from '@/api/alerts'
import type { Gpu } from '@/api/gpus'
import type { TaskDetail } from '@/api/tasks'
import GpuPage from '@/pages/GpuPage.vue'
import GpusPage from '@/pages/GpusPage.vue'
import SettingsPage from '@/pages/SettingsPage.vue'
import TaskPage from '@/pages/TaskPage.vue'
import UsagePage from '@/pages/UsagePage.vue'
import ViewLinks from '@/parts/shell/ViewLinks.vue'
import TaskTable from '@/parts/tasks/TaskTable.vue'
import { router } from '@/routes'
import { useAlertsStore } from '@/store/alerts'
import { useGpusStore } from '@/store/gpus'
import { useOpenTaskStore } from '@/store/openTask'
import { useSessionStore } from '@/store/session'
import { useTasksStore } from '@/store/tasks'
import { toasts } from '@/ui/toasts'

import { detail, json, task } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const gpu = (index: number, more: Partial<Gpu> = {}): Gpu =>
  ({ index, uuid: `GPU-${index}`, name: 'NVIDIA H200', status: 'free', is_free: true, memory_total_mb: 81_920, memory_used_mb: 1024, memory_free_mb: 80_896, utilization_percent: 3, temperature_c: 40, task_ids: [], holders: [], processes: [], fault: null, ...more }) as Gpu
const fault = (kind: string, stage: 'testing' | 'out' = 'out') => ({ kind, why: 'Xid 79: <b>fallen</b>', since: '2026-01-01T00:00:00Z', stage })
const broken = (index: number, kind = 'xid', stage: 'testing' | 'out' = 'out'): Gpu => gpu(index, { status: 'error', is_free: false, why: 'Xid 79', fault: fault(kind, stage) })
const alert = (id: number, gpu = 2): Alert => ({ id, at: '2026-01-01T00:00:00Z', level: 'CRITICAL', type: 'gpu_error', message: 'GPU 发生错误', details: { gpu_id: gpu, error: `number ${id}` }, task_id: id % 2 === 0 ? 7 : null })
const history = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z', step_seconds: 5, points: [{ t: 1_767_225_700, memory_mb: 2048, memory_peak_mb: 4096, utilization: 30, utilization_peak: 60, temperature: 55 }], gpu: 2, memory_total_mb: 81_920 }
const alerts = (): string[] => [...document.querySelectorAll('[data-testid="alert"] .text')].map((one) => one.textContent!)
const asAdmin = (isAdmin = true): void => void (useSessionStore().me = { name: 'alice', principal: 'unix:alice', admin: isAdmin, via: 'session' })

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', class { observe(): void {} disconnect(): void {} })
  page.set()
})
afterEach(() => page.clear())

describe('a faulty GPU', () => {
  it('says what is wrong, what becomes of it, and is counted in the bar; one that a person took out is not', async () => {
    page.handler = () => json([])
    await page.mount(GpusPage)
    useGpusStore().take([gpu(0), broken(2), broken(3, 'hot', 'testing'), broken(4, 'person'), broken(5, 'novel_kind')])
    await page.settle()
    expect(page.text('gpu-2-fault')).toContain('Hardware error, reported by the driver')
    expect(page.text('gpu-2-fault')).toContain('Xid 79: <b>fallen</b>')
    expect(page.text('gpu-2-fault')).toContain('Quarantined until an admin acts')
    expect(page.text('gpu-3-fault')).toContain('Being tested')
    expect(page.text('gpu-5-fault')).toContain('Quarantined')
    expect(page.part('gpu-2')!.className).toContain('error')
    expect(page.part('gpu-4')!.className).not.toContain('error')
    expect(useGpusStore().faulty).toBe(3)
  })

  it('is counted in the top bar as long as it is out', async () => {
    await page.mount(ViewLinks)
    expect(page.part('nav-faults')).toBeNull()
    useGpusStore().take([broken(2), gpu(3)])
    await page.settle()
    expect(page.text('nav-faults')).toBe('1')
    expect(page.part('nav-faults')!.getAttribute('aria-label')).toBe('1 faulty GPU')
    useGpusStore().take([gpu(2), gpu(3)])
    await page.settle()
    expect(page.part('nav-faults')).toBeNull()
  })

  it('is tested and handed back by an admin; without a test only after a question', async () => {
    page.handler = (path) => json(path.endsWith('/recover') ? broken(2, 'xid', 'testing') : [])
    await page.mount(GpusPage)
    useGpusStore().take([broken(2)])
    await page.settle()
    expect(page.part('gpu-2-recover')).toBeNull()
    asAdmin()
    await page.settle()
    await page.click('gpu-2-recover')
    expect(page.sent('POST')).toEqual(['POST /api/gpus/2/recover {}'])
    expect(page.part('gpu-2-fault')!.dataset.stage).toBe('testing')
    expect(page.part('gpu-2-recover')).toBeNull()
    page.handler = () => json({ ...gpu(2), processes: undefined })
    await page.click('gpu-2-force')
    expect(page.sent('POST')).toHaveLength(1)
    await page.click('force-yes')
    expect(page.sent('POST').at(-1)).toBe('POST /api/gpus/2/recover {"force":true}')
    expect(page.part('gpu-2-fault')).toBeNull()
    expect(toasts.value.at(-1)?.text).toBe('GPU 2 is back in use.')
  })

  it('that cannot be handed back says why', async () => {
    page.handler = (path) => (path.endsWith('/recover') ? json({ detail: 'no', code: 'card.not_out', field: null, params: { gpu: '2' } }, 409) : json([]))
    await page.mount(GpusPage)
    useGpusStore().take([broken(2)])
    asAdmin()
    await page.settle()
    await page.click('gpu-2-recover')
    expect(toasts.value.at(-1)?.text).toBe('Nothing was changed: GPU 2 is not quarantined.')
    expect(page.part('gpu-2-fault')).not.toBeNull()
  })
})

describe('a GPU that is taken out', () => {
  it('needs a reason', async () => {
    page.handler = (path) => json(path.endsWith('/quarantine') ? broken(0, 'person') : [])
    await page.mount(GpusPage)
    useGpusStore().take([gpu(0)])
    asAdmin()
    await page.settle()
    await page.click('gpu-0-menu')
    await page.click('gpu-0-take-out')
    await page.click('take-out-yes')
    expect(page.text('take-out-reason-error')).toBe('Please fill this in.')
    expect(page.sent('POST')).toEqual([])
    await page.type('take-out-reason', '  fan is loud ')
    await page.click('take-out-yes')
    expect(page.sent('POST')).toEqual(['POST /api/gpus/0/quarantine {"reason":"fan is loud"}'])
    expect(page.part('gpu-0-fault')!.dataset.kind).toBe('person')
  })

  it('is the business of admins', async () => {
    page.handler = () => json([])
    await page.mount(GpusPage)
    useGpusStore().take([gpu(0)])
    asAdmin(false)
    await page.settle()
    await page.click('gpu-0-menu')
    expect(page.part('gpu-0-take-out')).toBeNull()
  })
})

describe('alerts', () => {
  it('come newest first, by the list and by the stream, each once, and older ones when asked', async () => {
    page.handler = (path) => {
      const query = new URL(path, 'http://x').searchParams
      if (!path.startsWith('/api/alerts')) return json([])
      const before = Number(query.get('before') ?? 41)
      return json(Array.from({ length: Math.min(before - 1, Number(query.get('limit'))) }, (_, i) => alert(before - 1 - i)))
    }
    await page.mount(GpusPage)
    expect(alerts()).toHaveLength(20)
    expect(alerts()[0]).toBe('GPU 2 failed: number 40')
    useAlertsStore().take(alert(41))
    useAlertsStore().take(alert(40))
    await page.settle()
    expect(alerts().slice(0, 2)).toEqual(['GPU 2 failed: number 41', 'GPU 2 failed: number 40'])
    expect(alerts()).toHaveLength(21)
    await page.click('alerts-older')
    expect(page.asked.at(-1)).toBe('GET /api/alerts?limit=100&before=21')
    expect(alerts()).toHaveLength(41)
    expect(page.part('alerts-older')).toBeNull()
  })

  it('lead to their GPU and task', async () => {
    page.handler = (path) => json(path.startsWith('/api/alerts') ? [alert(8)] : [])
    await page.mount(GpusPage)
    const links = [...page.part('alert')!.querySelectorAll('a')].map((one) => one.getAttribute('href'))
    expect(links).toEqual(['/ui/gpu/2', '/ui/tasks/7'])
  })

  it('that a break may have hidden are not taken for the ones that follow', async () => {
    let newest = 20
    page.handler = (path) => (path.startsWith('/api/alerts') ? json(Array.from({ length: 20 }, (_, i) => alert(newest - i))) : json([]))
    await page.mount(GpusPage)
    newest = 500
    await useAlertsStore().load()
    await page.settle()
    expect(alerts()).toHaveLength(20)
    expect(page.part('alerts-older')).not.toBeNull()
  })

  it('say so where there are none', async () => {
    page.handler = () => json([])
    await page.mount(GpusPage)
    expect(page.text('alerts-none')).toBe('No alerts.')
  })
})

describe('the page of a GPU', () => {
  it('shows its charts, its alerts only, and asks for another span when one is chosen', async () => {
    page.handler = (path) => (path.startsWith('/api/alerts') ? json([alert(9, 2), alert(8, 1)]) : json(path === '/api/models' ? [] : history))
    await page.mount(GpuPage, { index: 2 })
    useGpusStore().take([gpu(1), broken(2)])
    await page.settle()
    expect(page.asked).toContain('GET /api/gpus/2/history?range=1h')
    expect(page.text('gpu-title')).toContain('NVIDIA H200')
    expect(page.part('gpu-2-fault')).not.toBeNull()
    expect(page.text('gpu-chart-memory-value')).toBe('2 GiB')
    expect(page.text('gpu-chart-temperature-value')).toBe('55 °C')
    expect(alerts()).toEqual(['GPU 2 failed: number 9'])
    await page.click('gpu-range-30d')
    expect(page.asked.at(-1)).toBe('GET /api/gpus/2/history?range=30d')
  })

  it('says where nothing was measured, and where there is no such GPU', async () => {
    page.handler = (path) => json(path.startsWith('/api/alerts') || path === '/api/models' ? [] : { ...history, points: [] })
    await page.mount(GpuPage, { index: 2 })
    useGpusStore().take([gpu(2)])
    await page.settle()
    expect(page.part('gpu-history-none')).not.toBeNull()
    useGpusStore().take([gpu(1)])
    await page.settle()
    expect(page.text('gpu-none')).toContain('There is no GPU 2 here.')
  })
})

describe('the page of a task', () => {
  const shown = async (more: Partial<TaskDetail>): Promise<void> => {
    page.handler = (path, init) => {
      if (init?.method === 'POST') return json({ ...detail(8), id: 8 }, 201)
      if (path.includes('/history')) return json(history)
      return json(path.includes('/logs') ? { task_id: 7, lines: [], truncated: false, next_offset: 0 } : path.startsWith('/api/tasks/7') ? { ...detail(7), memory_gb: 40, ...more } : [])
    }
    await page.mount(TaskPage, { id: 7 })
  }
  const oom = { cause: 'oom', line: 'CUDA out of memory', advice: 'more', params: {}, redo: { memory_gb: 48, env: { A: '1' } } }

  it('says how far it is, and warns where it stands still', async () => {
    const progress = { done: 30, total: 100, percent: 30, unit: 'epoch', per_second: 0.5, finish_at: null, line: 'Epoch 30/100', stalled_seconds: null }
    await shown({ status: 'running', progress })
    expect(page.text('task-progress')).toContain('epoch 30 of 100')
    expect(page.text('task-progress')).toContain('30 epoch/min')
    expect(page.part('task-stalled')).toBeNull()
    page.clear()
    page.set()
    await shown({ status: 'running', progress: { ...progress, stalled_seconds: 600 } })
    expect(page.text('task-stalled')).toContain('10 min')
  })

  it('keeps the progress when an event tells a number only', async () => {
    await shown({ status: 'running', progress: { done: 30, total: 100, percent: 30, unit: 'epoch', per_second: null, finish_at: null, line: '', stalled_seconds: null } })
    useOpenTaskStore().takeSummary({ ...task(7, 'running'), progress: 31 })
    await page.settle()
    expect(page.text('task-progress')).toContain('epoch 30 of 100')
    expect(useTasksStore().items.find((one) => one.id === 7)?.progress).toBe(30)
  })

  it('says why it failed and runs again with the fix', async () => {
    await shown({ status: 'failed', exit_code: 1, diagnosis: oom })
    const push = vi.spyOn(router, 'push').mockResolvedValue(undefined)
    expect(page.text('diagnosis-cause')).toBe('It needed more GPU memory than there was.')
    expect(page.text('diagnosis-line')).toBe('CUDA out of memory')
    expect(page.text('diagnosis-changes')).toContain('40 GiB → 48 GiB')
    await page.click('diagnosis-redo')
    expect(page.sent('POST')).toEqual(['POST /api/tasks/7/clone {"memory_gb":48,"env":{"A":"1"}}'])
    expect(push).toHaveBeenCalledWith({ name: 'task', params: { id: 8 } })
    push.mockRestore()
  })

  it('runs again as it was, and offers nothing else where no fix is known', async () => {
    await shown({ status: 'failed', diagnosis: { ...oom, cause: 'novel', redo: null } })
    const push = vi.spyOn(router, 'push').mockResolvedValue(undefined)
    expect(page.text('diagnosis-cause')).toBe('more')
    expect(page.part('diagnosis-redo')).toBeNull()
    await page.click('diagnosis-again')
    expect(page.sent('POST')).toEqual(['POST /api/tasks/7/clone {}'])
    push.mockRestore()
  })

  it('says what it used, against what it asked for', async () => {
    await shown({ status: 'completed', usage: { peak_memory_mb: 11_264, mean_memory_mb: 9_000, peak_utilization: 99, mean_utilization: 83, watched_seconds: 600, memory_asked_mb: 40_960, gpu_seconds: 1200 } })
    expect(page.part('task-consumed')!.dataset.verdict).toBe('less')
    expect(page.text('consumed-peakMemory')).toContain('11 GiB of 40 GiB requested')
    expect(page.text('task-consumed')).toContain('20 min')
  })

  it('draws its last attempt on a GPU, and another when one is chosen', async () => {
    const attempt = (number: number) => ({ number, node: '', phase: 'ended', gpus: [0], pid: 1, granted_at: '', started_at: '2026-01-01T00:00:00Z', ended_at: null, exit_code: 1, error: null })
    await shown({ status: 'failed', attempts: [attempt(1), { ...attempt(2), gpus: [0, 1] }, { ...attempt(3), gpus: [] }] })
    expect(page.asked).toContain('GET /api/tasks/7/history?attempt=2')
    expect(page.text('task-chart-memory')).toContain('requested 80 GiB')
    await page.click('task-history-attempt-1')
    expect(page.text('task-chart-memory')).toContain('requested 40 GiB')
    expect(page.asked.at(-1)).toBe('GET /api/tasks/7/history?attempt=1')
  })
})

describe('the list of tasks', () => {
  it('shows how far a task is, and why one failed', async () => {
    await page.mount(TaskTable, { tasks: [{ ...task(3, 'running'), started_at: '2026-01-01T00:00:00Z', progress: 41.7 }, { ...task(2, 'failed'), exit_code: 1, cause: 'oom' }, { ...task(1, 'failed'), exit_code: 3 }] })
    expect(page.text('task-progress-3')).toBe('41 %')
    expect(page.text('task-row-2')).toContain('out of GPU memory')
    expect(page.text('task-row-2')).not.toContain('exit')
    expect(page.text('task-row-1')).toContain('exit 3')
  })
})

describe('usage', () => {
  const share = { tasks: 12, completed: 9, failed: 3, cancelled: 0, gpu_hours: 3.25, wait_mean_seconds: 90, wait_p95_seconds: 600, utilization_mean: 71.4, memory_asked_mb: 40_960, memory_peak_mb: 11_264, memory_efficiency: 0.275 }
  it('is shown by person and in all, for the days that are chosen', async () => {
    page.handler = () => json({ from: '', to: '', users: [{ user: 'alice', ...share }, { user: 'bob', ...share, gpu_hours: 0, completed: 0, failed: 0, cancelled: 2, utilization_mean: null, memory_efficiency: null }], total: { ...share, gpu_hours: 3.25 } })
    await page.mount(UsagePage)
    expect(page.asked).toEqual(['GET /api/usage?days=7'])
    expect([...page.part('usage-alice')!.querySelectorAll('td')].map((cell) => cell.textContent!.trim())).toEqual(['alice', '3.25', '12', '75 %', '1 min 30 s', '10 min', '71 %', '28 %'])
    expect([...page.part('usage-bob')!.querySelectorAll('td')].map((cell) => cell.textContent!.trim()).slice(3)).toEqual(['–', '1 min 30 s', '10 min', '–', '–'])
    expect(page.text('usage-total')).toContain('Everybody')
    await page.click('usage-days-90')
    expect(page.asked.at(-1)).toBe('GET /api/usage?days=90')
  })

  it('says so where there was none', async () => {
    page.handler = () => json({ from: '', to: '', users: [], total: share })
    await page.mount(UsagePage)
    expect(page.part('usage-none')).not.toBeNull()
  })
})

describe('receivers', () => {
  const settings = { entries: [], addresses: [], hostname: '', version: '', java: '', system: '', home: '', url: '', files: [], restart_needed: false }
  const receiver = { name: 'the lab', kind: 'feishu', to: 'open.feishu.cn', users: null, events: ['task_failed'], state: 'failing', last_delivered_at: null, waiting: 2, last_error: 'refused' }
  it('tell how they stand, and what came of a test', async () => {
    page.handler = (path) => json(path.endsWith('/test') ? { delivered: false, detail: 'HTTP 500' } : path === '/api/receivers' ? [receiver] : settings)
    await page.mount(SettingsPage)
    expect(page.part('receiver-the lab-test')).toBeNull()
    asAdmin()
    await page.settle()
    expect(page.text('receiver-the lab')).toContain('Delivery fails')
    expect(page.text('receiver-the lab')).toContain('2 messages are waiting')
    expect(page.text('receiver-the lab-error')).toBe('refused')
    await page.click('receiver-the lab-test')
    expect(page.sent('POST')).toEqual(['POST /api/receivers/the%20lab/test'])
    expect(page.text('receiver-the lab-outcome')).toBe('The test message was not delivered: HTTP 500')
    page.handler = (path) => json(path.endsWith('/test') ? { delivered: true, detail: '' } : [receiver])
    await page.click('receiver-the lab-test')
    expect(page.text('receiver-the lab-outcome')).toBe('The test message was delivered.')
  })

  it('are explained where there are none', async () => {
    page.handler = (path) => json(path === '/api/receivers' ? [] : settings)
    await page.mount(SettingsPage)
    expect(page.part('receivers-none')).not.toBeNull()
    expect(page.text('receivers-example')).toContain('messages:')
    expect(page.part('receivers')!.querySelector('details')!.open).toBe(true)
  })
})

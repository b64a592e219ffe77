import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { RunLane, RunProcess, RunState } from '@/api/runs'
import { remainingMs } from '@/format/amounts'
import { startClock, stopClock } from '@/format/clock'
import { lanesOf, nextTaskOf, runParts } from '@/format/runProgress'
import { setLanguage } from '@/i18n'
import RunsPage from '@/pages/RunsPage.vue'
import TaskTiles from '@/parts/task/TaskTiles.vue'
import { useConnectionStore } from '@/store/connection'
import { useRunsStore, RUNS_PAUSE_MS } from '@/store/runs'

import { detail, json, fakeEnvironment, task, type FakeSource } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const NOW = Date.parse('2026-01-01T00:00:00Z')
const later = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()

const process = (more: Partial<RunProcess> = {}): RunProcess => ({ task_id: 16, task_index: 0, uni_id: 'abc123', command: 'python a.py\nbash b.sh', memory_gb: 20, gpu_count: 1, gpus: [], pid: null, status: 'pending', retry_count: 0, backoff_until: null, error: null, error_type: null, log: 'x', bound_log: null, ...more })
const lane = (more: Partial<RunLane> = {}): RunLane => ({ status: 'idle', total: 1, completed: 0, current: null, gpus: [], backoff_until: null, processes: [process()], ...more })
const run = (pid: number, more: Partial<RunState> = {}): RunState => ({
  pid, mode: 'single', config_index: 0, command_file: 'command/command_gpu.txt', status: 'running', owner: 'alice', priority: 'NORMAL', started_at: later(-60), updated_at: later(0), ended_at: null,
  total: 4, pending: 2, running: 1, completed: 1, failed: 0, cancelled: 0, reason: null, log: 'logs/run.log', queues: { 1: lane() }, problems: [], ...more,
})

let live: RunState[]
let ended: RunState[]
beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
  startClock()
  page.set()
  live = [run(3)]
  ended = []
  page.handler = (path) => {
    if (path === '/api/scheduler/running') return json(live)
    if (path.startsWith('/api/scheduler/stop')) return json((live[0] = { ...live[0]!, status: 'stopping' }))
    if (path.endsWith('/single/state')) return json([...live, ...ended])
    if (path.startsWith('/api/log/content')) return json({ log_path: 'logs/a.log', lines: ['\u001b[31mred\u001b[0m', '<b>text</b>'], truncated: false })
    return json([])
  }
})
afterEach(() => {
  page.clear()
  stopClock()
  vi.useRealTimers()
})
const asks = (path: string): number => page.asked.filter((one) => one === `GET ${path}`).length

describe('a rest', () => {
  it('is counted down in seconds begun, and over when its time is past', () => {
    expect(remainingMs(later(1.2), NOW)).toBe(2000)
    expect(remainingMs(later(600), NOW)).toBe(600_000)
    expect(remainingMs(later(0), NOW)).toBeNull()
    expect(remainingMs(later(-5), NOW)).toBeNull()
    expect(remainingMs(null, NOW)).toBeNull()
  })
})

describe('a run', () => {
  it('has parts that sum to what is done, and lanes in the order of their numbers', () => {
    expect(runParts({ total: 4, completed: 1, running: 1, failed: 1, cancelled: 0 })).toEqual([
      { percent: 25, tone: 'good' },
      { percent: 25, tone: 'bad' },
      { percent: 25, tone: 'doing' },
    ])
    expect(runParts({ total: 0, completed: 0, running: 0, failed: 0, cancelled: 0 })).toEqual([])
    expect(lanesOf(run(1, { queues: { 10: lane(), 2: lane(), 1: lane() } })).map((one) => one.id)).toEqual(['1', '2', '10'])
  })

  it('lists the blocks of its file that are left out, with line and reason', async () => {
    await page.mount(RunsPage)
    expect(page.part('run-3-left-out')).toBeNull()
    live = [run(3, { problems: [{ line: 7, code: 'command.no_memory', detail: 'no memory' }, { line: 9, code: 'cards.too_many', detail: 'never' }] })]
    await useRunsStore().load()
    await page.settle()
    expect(page.text('run-3-left-out')).toContain('2 blocks of the file are not part of this run:')
    expect(page.text('run-3-left-out-lines')).toBe('line 7no memoryline 9never')
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('run-3-left-out')).toContain('文件中有 2 个任务块不在本次运行中：')
    expect(page.text('run-3-left-out-lines')).toContain('第 7 行')
  })

  it('shows its lanes and their processes, and counts a rest down', async () => {
    const resting = process({ task_id: 17, retry_count: 3, backoff_until: later(65), error_type: 'oom' })
    live = [run(3, { reason: 'Nothing is free.', queues: { 1: lane({ status: 'busy', current: 16, gpus: [0, 2], total: 3, completed: 1, processes: [process({ status: 'running', gpus: [0, 2] })] }), 2: lane({ status: 'backoff', backoff_until: later(65), processes: [resting] }) } })]
    await page.mount(RunsPage)
    expect(page.text('run-3-progress')).toContain('1 of 4')
    expect(page.text('run-3-reason')).toBe('Nothing is free.')
    expect(page.text('lane-3-1-progress')).toBe('1 of 3')
    expect(page.text('lane-3-1-current')).toBe('#16')
    expect(page.text('lane-3-1-gpus')).toBe('on GPU #0 #2')
    expect(page.text('lane-3-2-status')).toBe('Backoff · 1 min 5 s')
    expect(page.text('process-3-2-0-retries')).toBe('3')
    expect(page.text('process-3-2-0')).toContain('out of memory')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(page.text('lane-3-2-status')).toBe('Backoff · 1 min')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(page.text('lane-3-2-status')).toBe('Backoff')
  })

  it('says why it waits in the language of the page, as the task does that comes next', async () => {
    const kept = (code: string) => ({ detail: 'no', code, params: { gpu: '0' }, parts: [] })
    const parts = [kept('card.kept_back'), kept('card.outside_lanes')]
    const served = page.handler
    page.handler = (path, init) => (path === '/api/tasks/18' ? json({ wait_reasons: [{ detail: 'no', code: 'cards.short', params: { wanted: '1', fitting: '0' }, parts }] }) : served(path, init))
    live = [run(3, { reason: 'Nothing is free.', queues: { 1: lane({ processes: [process({ task_id: 16, backoff_until: later(9) })] }), 2: lane({ processes: [process({ task_id: 17, status: 'completed' }), process({ task_id: 18 })] }) } })]
    setLanguage('zh-CN')
    await page.mount(RunsPage)
    expect(page.text('run-3-reason')).toContain('需要 1 张 GPU')
    expect(page.text('run-3-reason')).toContain('GPU 0 留给其他用户（gpu_left）。')
    expect(page.text('run-3-reason')).toContain('请调小 gpu_left')
    parts[1] = kept('card.held')
    await page.click('state-refresh')
    expect(page.text('run-3-reason')).not.toContain('请调小 gpu_left')
    page.handler = (path, init) => (path === '/api/tasks/18' ? json({}, 500) : served(path, init))
    await page.click('state-refresh')
    expect(page.text('run-3-reason')).toBe('Nothing is free.')
    expect(page.part('state-error')).toBeNull()
  })

  it('waits with the first task that does not rest, or else with the first that does', () => {
    const resting = lane({ processes: [process({ task_id: 4, backoff_until: later(9) })] })
    expect(nextTaskOf(run(1, { queues: { 1: resting, 2: lane({ processes: [process({ task_id: 7 })] }), 3: lane({ processes: [process({ task_id: 6 })] }) } }))).toBe(6)
    expect(nextTaskOf(run(1, { queues: { 1: resting } }))).toBe(4)
    expect(nextTaskOf(run(1, { queues: { 1: lane({ processes: [process({ status: 'running' })] }) } }))).toBeNull()
  })

  it('is stopped by its number, after one question', async () => {
    await page.mount(RunsPage)
    await page.click('run-3-stop')
    expect(page.sent('POST')).toEqual([])
    await page.click('run-stop-yes')
    expect(page.sent('POST')).toEqual(['POST /api/scheduler/stop/3'])
    expect(page.part('run-3')!.dataset.status).toBe('stopping')
  })

  it('that cannot be stopped says so', async () => {
    const served = page.handler
    page.handler = (path, init) => (init?.method === 'POST' ? json({ detail: '', code: 'run.not_running', field: null, params: { run: '3' } }, 409) : served(path, init))
    await page.mount(RunsPage)
    await page.click('run-3-stop')
    await page.click('run-stop-yes')
    expect(page.text('run-3-error')).toBe('Not stopped: Run 3 is not running.')
  })

  it('that has ended is folded below those that live', async () => {
    ended = [run(1, { status: 'stopped' }), run(2, { status: 'finished' })]
    await page.mount(RunsPage)
    expect(page.text('state-ended')).toBe('Ended runs (2)')
    expect(page.text('state-count')).toBe('1 run is live')
    expect(page.part('run-2')!.closest('details')!.open).toBe(false)
    expect(page.part('run-3')!.closest('details')).toBeNull()
    expect(page.part('run-2-stop')).toBeNull()
  })
})

describe('a bound log', () => {
  it('opens as text and is read again every 3 s, until it is closed', async () => {
    live = [run(3, { queues: { 1: lane({ processes: [process({ bound_log: 'logs/a.log' })] }) } })]
    await page.mount(RunsPage)
    await page.click('process-3-1-0-bound')
    const path = '/api/log/content?mode=single&config_index=0&queue_id=1&task_index=0&tail=200'
    expect(asks(path)).toBe(1)
    expect(page.text('bound-log-text')).toBe('red<b>text</b>')
    await vi.advanceTimersByTimeAsync(3_000)
    expect(asks(path)).toBe(2)
    await page.click('bound-log-close')
    await vi.advanceTimersByTimeAsync(9_000)
    expect(asks(path)).toBe(2)
  })

  it('that is not there says so', async () => {
    live = [run(3, { queues: { 1: lane({ processes: [process({ bound_log: 'logs/a.log' })] }) } })]
    const served = page.handler
    page.handler = (path, init) => (path.startsWith('/api/log') ? json({ detail: '', code: 'log.absent', field: null, params: { path: 'logs/a.log' } }, 404) : served(path, init))
    await page.mount(RunsPage)
    await page.click('process-3-1-0-bound')
    expect(page.text('bound-log-error')).toBe('The log file logs/a.log does not exist. The task may not have written it yet.')
  })
})

describe('the runs', () => {
  it('are read again after events, at most once in half a second, and what ended only when a run has come or gone', async () => {
    const sources: FakeSource[] = []
    await page.mount(RunsPage)
    const connectionStore = useConnectionStore()
    const runsStore = useRunsStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    expect(asks('/api/scheduler/running')).toBe(1)
    for (let i = 0; i < 40; i++) {
      sources[0]!.send(i % 2 ? 'queue' : 'task', i % 2 ? { queued: 0, running: 0, scheduler_running: true } : { seq: i, task_id: i, kind: 'task.changed', task: task(i) })
      await vi.advanceTimersByTimeAsync(RUNS_PAUSE_MS / 10)
    }
    expect(asks('/api/scheduler/running')).toBeGreaterThanOrEqual(4)
    expect(asks('/api/scheduler/running')).toBeLessThanOrEqual(5)
    expect(asks('/api/scheduler/single/state')).toBe(1)
    live = []
    ended = [run(3, { status: 'finished' })]
    await vi.advanceTimersByTimeAsync(RUNS_PAUSE_MS)
    sources[0]!.send('queue', { queued: 0, running: 0, scheduler_running: true })
    await vi.advanceTimersByTimeAsync(RUNS_PAUSE_MS)
    expect(asks('/api/scheduler/single/state')).toBe(2)
    expect(runsStore.ended.map((one) => one.pid)).toEqual([3])
    expect(page.part('state-none')).not.toBeNull()
  })

  it('are asked for every 5 s also where no event comes, and by nobody who has left', async () => {
    await page.mount(RunsPage)
    const connectionStore = useConnectionStore()
    connectionStore.state = 'live'
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asks('/api/scheduler/running')).toBe(2)
    page.clear()
    page.set()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(asks('/api/scheduler/running')).toBe(0)
  })
})

describe('a task that failed and waits to be tried again', () => {
  it('has no GPUs, and the exit code of its last try', async () => {
    await page.mount(TaskTiles, { task: { ...detail(5), assigned_gpus: [1], exit_code: 3, memory_gb: null, position: null } })
    expect(page.text('task-assigned')).not.toContain('#1')
    expect(page.text('task-exit')).toContain('of the last attempt')
    page.clear()
    await page.mount(TaskTiles, { task: { ...detail(5, 'failed'), assigned_gpus: [1], exit_code: 3, memory_gb: null, position: null } })
    expect(page.text('task-assigned')).toContain('#1')
    expect(page.text('task-exit')).not.toContain('of the last attempt')
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Suggestion, Why } from '@/api/forecast'
import type { Reason } from '@/api/problems'
import { startClock, stopClock } from '@/format/clock'
import { byCode } from '@/format/gpuGroups'
import { roughly } from '@/format/useForecast'
import { setLanguage } from '@/i18n'
import en from '@/i18n/en'
import QueuePage from '@/pages/QueuePage.vue'
import WaitReasonsPanel from '@/parts/task/WaitReasonsPanel.vue'
import { useConnectionStore } from '@/store/connection'
import { useSessionStore } from '@/store/session'
import { useWhyStore } from '@/store/why'
import { toasts } from '@/ui/toasts'

import { detail, fakeEnvironment, json, task, type FakeSource } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const NOW = new Date(2026, 0, 5, 15, 0, 0).getTime()
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString()

const reason = (code: string, params: Record<string, string> = {}): Reason => ({ code, detail: `detail of ${code}`, params, parts: [] }) as unknown as Reason
const suggestion = (over: Partial<Suggestion> = {}): Suggestion => ({ code: 'novel', params: {}, detail: 'with 1 GPU: now', change: { gpu_count: 1 }, starts_now: true, eta: null, command: 'berth edit 7 --gpus 1', ...over })
const why = (over: Partial<Why> = {}): Why => ({
  task_id: 7,
  status: 'queued',
  summary: reason('cards.short', { wanted: '4', fitting: '1' }),
  reasons: [reason('line.behind', { head: '3', position: '2' }), reason('cards.short', { wanted: '4', fitting: '1' })],
  gpus: [
    { reason: reason('card.held', { gpu: '0,1', task: '3' }), gpus: [0, 1] },
    { reason: reason('card.held', { gpu: '2', task: '4' }), gpus: [2] },
    { reason: null, gpus: [5] },
  ],
  ahead: [{ task_id: 3, name: 'big', owner: 'bob', status: 'running', gpus: [0, 1], expected_end: at(9) }],
  ahead_total: 31,
  people_ahead: 2,
  eta: at(14),
  eta_latest: at(40),
  eta_reason: null,
  reserved_start: null,
  suggestions: [suggestion()],
  ...over,
})

let answer: Why
let refusal: { status: number; code: string } | null

beforeEach(() => {
  page.set()
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'], now: NOW })
  startClock()
  answer = why()
  refusal = null
  page.handler = (path, init) => {
    if (refusal !== null && init?.method === 'PATCH') return json({ detail: 'server text', code: refusal.code, field: null, params: {} }, refusal.status)
    return json(path.endsWith('/why') ? answer : path.startsWith('/api/queue') ? queue() : path.startsWith('/api/tasks') ? { ...detail(7), gpu_count: 1 } : { running: true })
  }
})
afterEach(() => {
  page.clear()
  stopClock()
  vi.useRealTimers()
})

const queue = () => ({
  queued: 2, running: 0, pending: 0, paused: null, scheduler_running: true, longest_wait_seconds: 5, longest_wait_task_id: 7, wait_warn_seconds: 100, waiting_too_long: 0, priority_algorithm: 'priority', gpu_selector: 'best_score', priorities: { CRITICAL: 0, HIGH: 0, NORMAL: 2, LOW: 0 },
  lines: [{ device: 'auto', kind: 'main', count: 2, priorities: { CRITICAL: 0, HIGH: 0, NORMAL: 2, LOW: 0 }, tasks: [{ ...task(7), position: 0, wait_seconds: 5, memory_gb: null, max_gpu: 1, eta: at(14), eta_latest: at(40) }, { ...task(8), position: 1, wait_seconds: 5, memory_gb: null, max_gpu: 1, eta: null, eta_latest: null }] }],
})

async function open(me: { name: string; admin: boolean } = { name: 'alice', admin: false }): Promise<void> {
  await page.mount(WaitReasonsPanel, { task: { ...detail(7), wait_reasons: [reason('line.behind', { head: '3', position: '2' })] } })
  useSessionStore().me = { ...me, principal: '', via: 'session' }
  await page.settle()
}

describe('the card of a waiting task', () => {
  it('says when it starts, with a range, why, by GPU, and who is before it', async () => {
    await open()
    expect(page.text('why-start')).toBe('Expected start in about 14 min, at the latest 15:40')
    expect([...page.part('why-reasons')!.querySelectorAll('[data-code]')].map((one) => (one as HTMLElement).dataset.code)).toEqual(['cards.short', 'line.behind'])
    const groups = [...page.part('why-gpus')!.querySelectorAll(':scope > li')] as HTMLElement[]
    expect(groups.map((one) => [one.dataset.code, one.dataset.count])).toEqual([['fits', '1'], ['card.held', '3']])
    expect(groups[1]!.querySelector('summary')!.textContent!.replace(/\s+/g, ' ')).toContain('3 GPUs: held by other tasks')
    expect([...groups[1]!.querySelectorAll('summary a')].map((link) => link.getAttribute('href'))).toEqual(['/ui/tasks/3', '/ui/tasks/4'])
    expect(page.text('why-ahead')).toContain('31 tasks of 2 people are before it')
    expect(page.text('why-ahead')).toContain('and 30 more')
    expect(page.part('why-ahead-3')!.querySelector('a')!.getAttribute('href')).toBe('/ui/tasks/3')
    expect(page.text('why-ahead-3')).toContain('ends in about 9 min')
  })

  it('says so in Chinese, and invents no time where none is known', async () => {
    setLanguage('zh-CN')
    await open()
    expect(page.text('why-start')).toBe('预计启动 约 14 分钟后，最迟 15:40')
    answer = why({ eta: null, eta_latest: null, eta_reason: reason('eta.task_ahead', { task: '3' }) })
    await useWhyStore().load()
    await page.settle()
    expect(page.text('why-start')).toBe('无法预计何时启动：排在前面的任务 3 以前没有类似的运行，不知道要运行多久。')
    setLanguage('en')
    await page.settle()
    expect(page.text('why-start')).toBe('Berth cannot say when it starts: Task 3, which is ahead, has no earlier runs like it.')
  })

  it('shows the reasons of the task alone if the server is older', async () => {
    page.handler = () => json({ detail: '', code: 'path.unknown', field: null, params: {} }, 404)
    await open()
    expect(page.text('task-why')).toContain('Task 3')
    expect([page.part('why-failed'), page.part('why-ahead'), page.part('why-start')]).toEqual([null, null, null])
    await useWhyStore().load()
    expect(page.asked.filter((one) => one.includes('/why'))).toHaveLength(1)
  })

  it('keeps the reasons and tells that the rest could not be loaded', async () => {
    page.handler = () => Promise.reject(new TypeError('refused'))
    await open()
    expect(page.text('task-why')).toContain('Task 3')
    expect(page.part('why-failed')).not.toBeNull()
  })
})

describe('a suggestion', () => {
  it('is applied with one click, which says what happened and when the task has started', async () => {
    const sources: FakeSource[] = []
    await open()
    useConnectionStore().connect(fakeEnvironment(sources)).start()
    await page.click('why-apply-0')
    expect(page.sent('PATCH')).toEqual(['PATCH /api/tasks/7 {"gpu_count":1}'])
    expect(toasts.value.at(-1)!.text).toBe('Task 7 is changed: with 1 GPU: now')
    sources[0]!.send('task', { seq: 2, task_id: 7, kind: 'task.started', task: { ...task(7, 'running'), assigned_gpus: [5] } })
    expect(useWhyStore().started?.assigned_gpus).toEqual([5])
  })

  it('that the server refuses changes nothing and says why at the card', async () => {
    refusal = { status: 409, code: 'task.not_waiting' }
    await open()
    await page.click('why-apply-0')
    expect(page.text('why-error')).toContain('Nothing was changed')
    expect(toasts.value).toEqual([])
  })

  it('is offered only to those who may change the task', async () => {
    await open({ name: 'mallory', admin: false })
    expect(page.part('why-apply-0')).toBeNull()
    expect(page.text('why-suggestion-0')).toContain('berth edit 7 --gpus 1')
    expect(page.part('why-only-owner')).not.toBeNull()
    useSessionStore().me = { name: 'root', admin: true, principal: '', via: 'session' }
    await page.settle()
    expect(page.part('why-apply-0')).not.toBeNull()
  })

  it('is said by the catalogue in the language of the page, with the words of the page for its values', async () => {
    answer = why({ suggestions: [suggestion({ code: 'fewer_gpus', params: { variant: 'later', gpus: '2', wait: '360' }, starts_now: false, eta: at(6) }), suggestion({ code: 'priority', params: { priority: 'HIGH' } })] })
    await open()
    expect(page.text('why-suggestion-0')).toContain('with 2 GPUs: in about 6 min')
    expect(page.text('why-suggestion-1')).toContain('with priority High: now')
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('why-suggestion-0')).toContain('只用 2 张 GPU：约 6 分后启动')
    expect(page.text('why-suggestion-1')).not.toContain('HIGH')
  })

  it('is one of eight at most', async () => {
    answer = why({ suggestions: Array.from({ length: 11 }, (_, i) => suggestion({ command: `berth edit 7 --gpus ${i}` })) })
    await open()
    expect(page.part('why-suggestions')!.querySelectorAll('li')).toHaveLength(8)
  })
})

describe('the queue', () => {
  it('has expected starts, and opens the card of one task at a time', async () => {
    await page.mount(QueuePage)
    expect(page.text('queue-eta-7')).toBe('in about 14 min')
    expect(page.part('queue-eta-7')!.title).toBe('in about 14 min, at the latest 15:40')
    expect(page.part('queue-eta-8')).toBeNull()
    await page.click('queue-why-7')
    expect(page.text('queue-card-7')).toContain('held by other tasks')
    await page.click('queue-why-8')
    expect(page.part('queue-card-7')).toBeNull()
    expect(page.part('queue-why-8')!.getAttribute('aria-expanded')).toBe('true')
    await page.click('queue-why-8')
    expect(page.part('queue-card-8')).toBeNull()
  })
})

describe('forecasts', () => {
  it('are as precise as they can be', () => {
    const minute = 60_000
    expect([10_000, 14.4 * minute, 62 * minute, 25 * 60 * minute].map((ms) => roughly(ms) / minute)).toEqual([1, 14, 60, 1500])
  })

  it('have a word for every reason why a GPU cannot be used', () => {
    const codes = readFileSync(join(__dirname, '../../texts/src/main/resources/dev/berth/texts/en/reason.txt'), 'utf8').match(/^reason\.card\.(\w+)/gm)!.map((key) => key.replace('reason.card.', ''))
    expect(codes.filter((code) => !(code in en.reasonGroup))).toEqual([])
  })

  it('join GPUs of the same kind of reason', () => {
    expect(byCode(why().gpus).map(({ code, gpus, tasks }) => [code, gpus, tasks])).toEqual([
      [null, [5], []],
      ['card.held', [0, 1, 2], [3, 4]],
    ])
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { emptyForm } from '@/form/taskForm'
import { previewRequest, PREVIEW_PAUSE_MS, PREVIEW_REFRESH_MS } from '@/form/usePreview'
import { startClock, stopClock } from '@/format/clock'
import { setLanguage } from '@/i18n'
import NewTaskPage from '@/pages/NewTaskPage.vue'

import { detail, json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const NOW = new Date(2026, 0, 5, 15, 0, 0).getTime()
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString()
const nothing = { predicted_seconds: null, predicted_seconds_high: null, predicted_from: null, eta: null, eta_latest: null, gpus: [], reasons: [], position: null }
let answer: unknown
let status: number

beforeEach(() => {
  page.set()
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'], now: NOW })
  startClock()
  answer = { ...nothing, starts_now: true, gpus: [2] }
  status = 200
  page.handler = (path) => (path === '/api/tasks/preview' ? json(answer, status) : path === '/api/tasks' ? json(detail(9), 201) : json([]))
})
afterEach(() => {
  page.clear()
  stopClock()
  vi.useRealTimers()
})

const previews = (): string[] => page.sent('POST').filter((one) => one.includes('/preview'))

async function fill(command = 'python train.py'): Promise<void> {
  await page.type('form-command', command)
  await vi.advanceTimersByTimeAsync(PREVIEW_PAUSE_MS)
  await page.settle()
}

describe('the preview of a new task', () => {
  it('is asked for once typing pauses, also before there is a name, and without secrets', async () => {
    await page.mount(NewTaskPage, { from: null, model: null })
    await page.type('form-env', 'TOKEN=secret')
    for (const text of ['p', 'py', 'python x.py']) await page.type('form-command', text)
    expect(previews()).toEqual([])
    await vi.advanceTimersByTimeAsync(PREVIEW_PAUSE_MS)
    await page.settle()
    expect(previews()).toHaveLength(1)
    expect(previews()[0]).toContain('python x.py')
    expect(previews()[0]).not.toContain('secret')
    expect(page.text('preview-lead')).toBe('It would start now on GPU 2.')
  })

  it('says that it would wait, why and for how long', async () => {
    answer = { ...nothing, starts_now: false, eta: at(14), eta_latest: at(40), predicted_seconds: 720, predicted_seconds_high: 1140, predicted_from: 14, position: 3, reasons: [{ code: 'line.behind', detail: '', params: { head: '3', position: '2' }, parts: [] }] }
    await page.mount(NewTaskPage, { from: null, model: null })
    await fill()
    expect(page.part('preview')!.dataset.state).toBe('waits')
    expect(page.text('preview-start')).toBe('Expected start: in about 14 min, at the latest 15:40.')
    expect(page.text('preview-reasons')).toContain('Task 3')
    expect(page.text('preview-run-time')).toBe('Runs for about 12 min, 19 min at most in nine of ten cases (from 14 earlier runs).')
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('preview-start')).toBe('预计启动：约 14 分钟后，最迟 15:40。')
  })

  it('of a task like no earlier one says that the start is not known', async () => {
    answer = { ...nothing, starts_now: false }
    await page.mount(NewTaskPage, { from: null, model: null })
    await fill()
    expect(page.text('preview-start')).toBe('Berth cannot say when it starts.')
  })

  it('offers the memory that earlier runs needed, and takes it into the form with a click', async () => {
    answer = { ...nothing, starts_now: true, gpus: [0], suggested_memory_mb: 17_910 }
    await page.mount(NewTaskPage, { from: null, model: null })
    await fill()
    expect(page.text('preview-memory')).toBe('Earlier runs needed up to 17.5 GiB on each GPU.')
    await page.click('preview-use-memory')
    expect(page.value('form-memory')).toBe('17.5')
    expect(page.part('preview-use-memory')).toBeNull()
  })

  it('says what would be refused, and never stands in the way of submitting', async () => {
    answer = { detail: 'server text', code: 'novel.code', field: 'gpu_count', params: {} }
    status = 422
    await page.mount(NewTaskPage, { from: null, model: null })
    await page.type('form-name', 'train')
    await fill()
    expect(page.text('preview-refused')).toBe('It would be refused: server text')
    await page.click('form-submit')
    expect(page.sent('POST').some((one) => one.startsWith('POST /api/tasks {'))).toBe(true)
  })

  it('is silent where the server does not know it, and asks only once', async () => {
    status = 404
    answer = { detail: 'Nothing here.', code: 'path.unknown', field: null, params: {} }
    await page.mount(NewTaskPage, { from: null, model: null })
    await fill()
    await fill('python other.py')
    expect(page.part('preview')!.textContent).toBe('')
    expect(previews()).toHaveLength(1)
  })

  it('does not show the answer to what was typed before', async () => {
    const answers: ((response: Response) => void)[] = []
    page.handler = (path) => (path === '/api/tasks/preview' ? new Promise((resolve) => answers.push(resolve)) : json([]))
    await page.mount(NewTaskPage, { from: null, model: null })
    await fill('python old.py')
    await fill('python new.py')
    expect(answers).toHaveLength(2)
    answers[1]!(json({ ...nothing, starts_now: true, gpus: [7] }))
    await page.settle()
    answers[0]!(json({ ...nothing, starts_now: true, gpus: [1] }))
    await page.settle()
    expect(page.text('preview-lead')).toContain('GPU 7')
  })

  it('is asked for again while the form stays open', async () => {
    await page.mount(NewTaskPage, { from: null, model: null })
    await fill()
    answer = { ...nothing, starts_now: false }
    await vi.advanceTimersByTimeAsync(PREVIEW_REFRESH_MS)
    await page.settle()
    expect(page.part('preview')!.dataset.state).toBe('waits')
  })

  it('needs a complete form', () => {
    expect(previewRequest(emptyForm())).toBeNull()
    expect(previewRequest({ ...emptyForm(), command: 'true', gpuCount: 'many' })).toBeNull()
    expect(previewRequest({ ...emptyForm(), command: 'true' })).toMatchObject({ command: 'true', gpu_count: 1 })
  })
})

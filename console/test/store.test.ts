import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { CallFailed, TIMEOUT_MS, call } from '@/api/request'
import { useConnectionStore } from '@/store/connection'
import { useGpusStore } from '@/store/gpus'
import { useLogStore } from '@/store/log'
import { useOpenTaskStore } from '@/store/openTask'
import { useSessionStore } from '@/store/session'
import { comparing, DEFAULT_QUERY, matching, parametersOf, queryOf, type Sort, type TaskQuery } from '@/store/taskQuery'
import { useTasksStore } from '@/store/tasks'

import { gpu, detail, json, fakeEnvironment, task, type FakeSource, type Handler } from './fakes'

let handler: Handler
let sources: FakeSource[]

beforeEach(() => {
  setActivePinia(createPinia())
  sources = []
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => Promise.resolve().then(() => handler(path, init)))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a call', () => {
  it('gives up after ten seconds and says so', async () => {
    vi.useFakeTimers()
    handler = (_path, init) => new Promise((_, reject) => init!.signal!.addEventListener('abort', () => reject(new Error('aborted'))))
    const answer = call('/api/gpus').catch((failure: unknown) => failure)
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS)
    const failure = (await answer) as CallFailed
    expect(failure.problem.code).toBe('client.timeout')
    expect(failure.isOffline).toBe(true)
  })

  it('tells a refusal by its code, and a foreign page by its status', async () => {
    handler = () => json({ detail: 'no', code: 'task.finished', field: null, params: {} }, 409)
    await expect(call('/x')).rejects.toMatchObject({ status: 409, problem: { code: 'task.finished' } })
    handler = () => new Response('<html>', { status: 502 })
    await expect(call('/x')).rejects.toMatchObject({ status: 502, problem: { code: 'client.status', params: { status: '502' } } })
  })
})

describe('the board', () => {
  it('shows a cancelled task as cancelled in the list before anything is loaded again', async () => {
    handler = (path) => (path.endsWith('/cancel') ? json(detail(1, 'cancelled')) : path.includes('?') ? json([task(1)], 200, { 'X-Total-Count': '1' }) : json(detail(1)))
    const openTaskStore = useOpenTaskStore()
    const tasksStore = useTasksStore()
    await tasksStore.load()
    await openTaskStore.open(1)
    await openTaskStore.cancel(1)
    expect(openTaskStore.item?.status).toBe('cancelled')
    expect(tasksStore.items[0]?.status).toBe('cancelled')
    expect(tasksStore.items[0]).not.toHaveProperty('command')
  })

  it('does not let an answer that was on its way undo an event', async () => {
    const connectionStore = useConnectionStore()
    const tasksStore = useTasksStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    let answer: (response: Response) => void = () => undefined
    handler = () => new Promise((resolve) => (answer = resolve))
    const loading = tasksStore.load()
    await Promise.resolve().then(() => undefined)
    sources[0]!.send('task', { seq: 1, task_id: 1, kind: 'task.ended', task: task(1, 'completed') })
    answer(json([task(2), task(1, 'running')]))
    await loading
    expect(tasksStore.items.map((one) => one.status)).toEqual(['queued', 'completed'])
  })

  it('keeps old data when loading fails, and tells why', async () => {
    const gpusStore = useGpusStore()
    handler = () => json([gpu(5)])
    await gpusStore.load()
    const at = gpusStore.state.updatedAt
    handler = () => Promise.reject(new TypeError('refused'))
    await gpusStore.load()
    expect(gpusStore.items).toHaveLength(1)
    expect(gpusStore.state.failure?.problem.code).toBe('client.unreachable')
    expect(gpusStore.state.updatedAt).toBe(at)
  })

  it('knows a stranger by any 401, and stops asking', async () => {
    const connectionStore = useConnectionStore()
    const sessionStore = useSessionStore()
    const tasksStore = useTasksStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    handler = () => json({ detail: 'who?', code: 'caller.unknown', field: null, params: {} }, 401)
    await tasksStore.load()
    await Promise.resolve()
    expect(sessionStore.isSignedOut).toBe(true)
    handler = () => json({ name: 'alice', via: 'session' })
    await connectionStore.signIn()
    expect(sessionStore.isSignedOut).toBe(false)
    expect(sources).toHaveLength(2)
  })

  it.each([401, 403])('is signed out by status %s of a call that no store makes only if it is 401', async (status) => {
    const sessionStore = useSessionStore()
    handler = () => json({ detail: 'no', code: 'caller.unknown', field: null, params: {} }, status)
    await expect(call('/api/log/content')).rejects.toMatchObject({ status })
    expect(sessionStore.isSignedOut).toBe(status === 401)
  })

  it('remembers how busy a GPU was', () => {
    const gpusStore = useGpusStore()
    gpusStore.take([gpu(5)])
    gpusStore.take([gpu(50)])
    expect(gpusStore.history.get('GPU-0')?.map((sample) => sample.percent)).toEqual([5, 50])
  })

  it('loads further pages below what it has, by filter', async () => {
    const asked: string[] = []
    handler = (path) => {
      asked.push(path)
      const before = Number(new URL(path, 'http://x').searchParams.get('before') ?? 1001)
      const limit = Number(new URL(path, 'http://x').searchParams.get('limit'))
      return json(
        Array.from({ length: Math.min(limit, before - 1) }, (_, i) => task(before - 1 - i)),
        200,
        { 'X-Total-Count': '1000' },
      )
    }
    const tasksStore = useTasksStore()
    await tasksStore.load()
    expect(tasksStore.page).toMatchObject({ total: 1000, isComplete: false })
    await tasksStore.loadMore()
    expect(asked.at(-1)).toBe('/api/tasks?limit=1000&before=801')
    expect(tasksStore.items).toHaveLength(1000)
    expect(tasksStore.page?.isComplete).toBe(true)
  })

  it('shows nothing of a former task when another is opened', async () => {
    handler = (path) => json(detail(Number(path.split('/').at(-1))))
    const openTaskStore = useOpenTaskStore()
    await openTaskStore.open(1)
    const opening = openTaskStore.open(2)
    expect(openTaskStore.item).toBeNull()
    await opening
    expect(openTaskStore.item?.id).toBe(2)
  })

  it('reads a line again that was unfinished at the end of the log', async () => {
    handler = (path) => json(path.includes('/section') ? { lines: ['a', '60 %'], start: 0, next_offset: 2, partial: true, size: 6, begin_offset: 0, end_offset: 6 } : [])
    const connectionStore = useConnectionStore()
    const logStore = useLogStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await logStore.open(3)
    sources.at(-1)!.send('log', { task_id: 3, attempt: 1, lines: ['61 %'], next_offset: 2, partial: true, gap: false, ended: false })
    sources.at(-1)!.send('log', { task_id: 3, attempt: 1, lines: ['100 %'], next_offset: 9, partial: false, gap: false, ended: false })
    expect([logStore.buffer.length, logStore.buffer.plain(1)]).toEqual([2, '100 %'])
  })

  it('keeps the log that is shown when the server can read no more of it, and says why', async () => {
    handler = (path) => json(path.includes('/section') ? { lines: ['a', 'b'], start: 0, next_offset: 4, partial: false, size: 4, begin_offset: 0, end_offset: 4 } : [])
    const connectionStore = useConnectionStore()
    const logStore = useLogStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await logStore.open(3)
    sources.at(-1)!.send('log', { task_id: 3, attempt: null, next_offset: 0, ended: true, error: 'disk on fire' })
    expect([logStore.buffer.length, logStore.offset()]).toEqual([2, 4])
    expect(logStore.state.failure?.problem.detail).toBe('disk on fire')
    sources.at(-1)!.send('log', { task_id: 3, attempt: null, lines: [], next_offset: 0, partial: false, gap: false, ended: true })
    expect(logStore.buffer.length).toBe(2)
  })

  it('says in the language of the page that a log was deleted, at first and while it is followed', async () => {
    const gone = { detail: 'as the server says it', code: ['log', 'gone'].join('.'), field: null, params: {} }
    let isGone = false
    handler = (path) => (!path.includes('/section') ? json([]) : isGone ? json(gone, 410) : json({ lines: ['a', 'b'], start: 0, next_offset: 4, partial: false, size: 4, begin_offset: 0, end_offset: 4 }))
    const connectionStore = useConnectionStore()
    const logStore = useLogStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await logStore.open(3)
    expect(logStore.isGone).toBe(false)
    isGone = true
    sources.at(-1)!.send('log', { task_id: 3, attempt: 1, lines: [], next_offset: 4, partial: false, gap: false, ended: true, error: 'in English', gone: true })
    await vi.waitFor(() => expect(logStore.isGone).toBe(true))
    expect(logStore.state.failure?.problem.code).toBe(gone.code)
    await logStore.open(3)
    expect(logStore.isGone).toBe(true)
  })

  it('reads a log from its end and then on, and begins anew with another attempt', async () => {
    handler = (path) => json(path.includes('/section') ? { lines: ['a', 'b'], start: 0, next_offset: 4, partial: false, size: 4, begin_offset: 0, end_offset: 4 } : [])
    const connectionStore = useConnectionStore()
    const logStore = useLogStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    await logStore.open(3)
    const lines = (): string[] => Array.from({ length: logStore.buffer.length }, (_, i) => logStore.buffer.plain(logStore.buffer.first + i))
    const event = { task_id: 3, attempt: 1, lines: ['c'], next_offset: 6, partial: false, gap: false, ended: false }
    sources.at(-1)!.send('log', event)
    sources.at(-1)!.send('log', { ...event, task_id: 9, lines: ['of another'] })
    expect(lines()).toEqual(['a', 'b', 'c'])
    sources.at(-1)!.send('log', { ...event, attempt: 2, lines: ['again'] })
    expect(lines()).toEqual(['again'])
  })
})

describe('a long log', () => {
  const line = (offset: number): string => `line ${offset / 10}`
  /** The task's own output; the rest is Berth's. */
  const OUTPUT = { from: 30, to: 9_980 }
  const section = (range: typeof OUTPUT, start: number, end: number): unknown => ({
    lines: Array.from({ length: Math.max(0, (end - start) / 10) }, (_, i) => line(start + i * 10)),
    start,
    next_offset: end,
    partial: false,
    size: 10_000,
    begin_offset: range.from,
    end_offset: range.to,
  })
  const asked: string[] = []
  const lines = (): string[] => {
    const { buffer } = useLogStore()
    return Array.from({ length: buffer.length }, (_, i) => buffer.plain(buffer.first + i))
  }

  beforeEach(() => {
    asked.length = 0
    handler = (path) => {
      asked.push(path)
      const query = new URL(path, 'http://x').searchParams
      const range = query.get('banner') === 'false' ? OUTPUT : { from: 0, to: 10_000 }
      const clamped = (place: number): number => Math.min(range.to, Math.max(range.from, place))
      const place = clamped(Number(query.get('from') ?? query.get('before') ?? 10_000))
      return json(query.has('from') ? section(range, place, clamped(place + 100)) : section(range, clamped(place - 100), place))
    }
  })

  it('is read backward from its end as the reader moves up', async () => {
    const log = useLogStore()
    await log.open(3)
    expect([lines().length, log.isAtStart, log.isAtEnd]).toEqual([10, false, true])
    await log.loadEarlier()
    expect([lines()[0], lines().length]).toEqual(['line 978', 20])
    expect(log.followed).toEqual({ id: 3, from: 9_980, banner: false })
  })

  it('begins and ends with the output of the task', async () => {
    const log = useLogStore()
    await log.open(3)
    expect([lines().at(-1), log.isAtEnd]).toEqual(['line 997', true])
    await log.jumpTo(50)
    expect([lines()[0], log.isAtStart]).toEqual(['line 3', true])
    const count = asked.length
    await log.loadEarlier()
    expect(asked.length).toBe(count)
    await log.jumpTo(9_900)
    expect([lines().at(-1), log.isAtEnd]).toEqual(['line 997', true])
  })

  it('is shown with the lines of Berth on request', async () => {
    const log = useLogStore()
    await log.open(3)
    await log.showBanners(true)
    expect([lines().at(-1), log.followed]).toEqual(['line 999', { id: 3, from: 10_000, banner: true }])
    await log.jumpTo(50)
    expect([lines()[0], log.isAtStart]).toEqual(['line 0', true])
    await log.showBanners(false)
    expect(lines().at(-1)).toBe('line 997')
  })

  it('is read around a place anywhere, which is not followed, and from its end again', async () => {
    const log = useLogStore()
    await log.open(3)
    const at = await log.jumpTo(5000)
    expect(log.buffer.plain(at!)).toBe('line 500')
    expect([log.isAtStart, log.isAtEnd, log.followed]).toEqual([false, false, null])
    await log.loadLater()
    expect(lines().at(-1)).toBe('line 519')
    await log.reload()
    expect([lines().at(-1), log.isAtEnd]).toEqual(['line 997', true])
  })

  it('of an earlier attempt is read, and not followed', async () => {
    const log = useLogStore()
    await log.open(3, 1)
    expect(asked).toEqual(['/api/tasks/3/logs/section?attempt=1&banner=false'])
    expect(log.followed).toBeNull()
  })
})

describe('a query of tasks', () => {
  const tasks = [task(12, 'running'), { ...task(3, 'failed'), name: 'ResNet', finished_at: '2026-01-02T00:00:00Z' }]
  const found = (query: Partial<TaskQuery>): number[] => tasks.filter((one) => matching(one, { ...DEFAULT_QUERY, ...query })).map((one) => one.id)

  it('takes words of any column in any order', () => {
    expect(found({ text: 'alice resnet' })).toEqual([3])
    expect(found({ text: '#12' })).toEqual([12])
    expect(found({ filter: 'running' })).toEqual([12])
    expect(found({ filter: 'running', text: 'resnet' })).toEqual([])
    expect(found({ owner: 'ali' })).toEqual([])
    expect(found({ sort: '-finished_at' })).toEqual([3])
  })

  it('orders as the server does', () => {
    const named = [{ ...task(1), name: 'b' }, { ...task(2), name: 'A' }, { ...task(3), name: 'a', owner: 'zoe' }]
    const ordered = (sort: Sort): number[] => [...named].sort(comparing(sort)).map((one) => one.id)
    expect(ordered('name')).toEqual([2, 3, 1])
    expect(ordered('-name')).toEqual([1, 3, 2])
    expect(ordered('-owner')).toEqual([3, 2, 1])
    expect(ordered('-id')).toEqual([3, 2, 1])
  })

  it('is the same in the address and back, and ignores what it cannot mean', () => {
    const query: TaskQuery = { filter: 'failed', owner: 'bob', text: 'lr 3e-4', sort: 'name' }
    expect(parametersOf(query)).toEqual({ status: 'failed', owner: 'bob', q: 'lr 3e-4', sort: 'name' })
    expect(queryOf(parametersOf(query))).toEqual(query)
    expect(queryOf({ status: 'done', sort: 'size', q: ['x'], other: '1' })).toEqual(DEFAULT_QUERY)
    expect(parametersOf(DEFAULT_QUERY)).toEqual({})
  })

  it('is asked of the server, page by page in its order', async () => {
    const asked: string[] = []
    handler = (path) => {
      asked.push(path)
      return json(path.includes('after') ? [task(300)] : Array.from({ length: 200 }, (_, i) => ({ ...task(i + 1), name: `n${String(i).padStart(4, '0')}` })), 200, { 'X-Total-Count': '201' })
    }
    const tasksStore = useTasksStore()
    tasksStore.choose({ ...DEFAULT_QUERY, text: ' n ', owner: 'alice', sort: 'name' })
    await tasksStore.load()
    await tasksStore.loadMore()
    expect(asked).toEqual(['/api/tasks?limit=200&owner=alice&q=n&sort=name', '/api/tasks?limit=1000&after=200&owner=alice&q=n&sort=name'])
    expect(tasksStore.items.at(-1)?.id).toBe(300)
    expect(tasksStore.page).toMatchObject({ isComplete: true, total: 201 })
  })
})

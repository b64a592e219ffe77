import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { CallFailed, GIVE_UP_MS, call } from '@/api/request'
import { useBoard } from '@/store/board'
import { matching } from '@/store/tasks'

import { card, detail, json, outside, task, type FakeSource, type Handler } from './fixture'

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
    await vi.advanceTimersByTimeAsync(GIVE_UP_MS)
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
    const board = useBoard()
    await board.tasks.load()
    await board.detail.open(1)
    await board.cancel(1)
    expect(board.detail.item?.status).toBe('cancelled')
    expect(board.tasks.newestFirst[0]?.status).toBe('cancelled')
    expect(board.tasks.newestFirst[0]).not.toHaveProperty('command')
  })

  it('does not let an answer that was on its way undo an event', async () => {
    const board = useBoard()
    board.connect(outside(sources)).start()
    let answer: (response: Response) => void = () => undefined
    handler = () => new Promise((resolve) => (answer = resolve))
    const loading = board.tasks.load()
    await Promise.resolve().then(() => undefined)
    sources[0]!.send('task', { seq: 1, task_id: 1, kind: 'task.ended', task: task(1, 'completed') })
    answer(json([task(2), task(1, 'running')]))
    await loading
    expect(board.tasks.newestFirst.map((one) => one.status)).toEqual(['queued', 'completed'])
  })

  it('keeps old data when loading fails, and tells why', async () => {
    const board = useBoard()
    handler = () => json([card(5)])
    await board.cards.load()
    const at = board.cards.state.updatedAt
    handler = () => Promise.reject(new TypeError('refused'))
    await board.cards.load()
    expect(board.cards.items).toHaveLength(1)
    expect(board.cards.state.failure?.problem.code).toBe('client.unreachable')
    expect(board.cards.state.updatedAt).toBe(at)
  })

  it('knows a stranger by any 401, and stops asking', async () => {
    const board = useBoard()
    board.connect(outside(sources)).start()
    handler = () => json({ detail: 'who?', code: 'caller.unknown', field: null, params: {} }, 401)
    await board.tasks.load()
    await Promise.resolve()
    expect(board.session.isStranger).toBe(true)
    handler = () => json({ name: 'alice', via: 'session' })
    await board.signedInAgain()
    expect(board.session.isStranger).toBe(false)
    expect(sources).toHaveLength(2)
  })

  it('remembers how busy a card was', () => {
    const board = useBoard()
    board.cards.take([card(5)])
    board.cards.take([card(50)])
    expect(board.cards.history.get('GPU-0')?.map((sample) => sample.percent)).toEqual([5, 50])
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
    const board = useBoard()
    await board.tasks.load()
    expect(board.tasks.page).toMatchObject({ total: 1000, isComplete: false })
    await board.tasks.more()
    expect(asked.at(-1)).toBe('/api/tasks?limit=1000&before=801')
    expect(board.tasks.newestFirst).toHaveLength(1000)
    expect(board.tasks.page?.isComplete).toBe(true)
  })

  it('shows nothing of a former task when another is opened', async () => {
    handler = (path) => json(detail(Number(path.split('/').at(-1))))
    const board = useBoard()
    await board.detail.open(1)
    const opening = board.detail.open(2)
    expect(board.detail.item).toBeNull()
    await opening
    expect(board.detail.item?.id).toBe(2)
  })

  it('reads a line again that was unfinished at the end of the log', async () => {
    handler = (path) => json(path.includes('tail') ? { lines: ['a', '60 %'], truncated: false, next_offset: 6 } : { lines: ['a'], truncated: false, next_offset: 2 })
    const board = useBoard()
    board.connect(outside(sources)).start()
    await board.log.open(3)
    sources.at(-1)!.send('log', { task_id: 3, attempt: 1, lines: ['61 %'], next_offset: 2, partial: true, gap: false, ended: false })
    sources.at(-1)!.send('log', { task_id: 3, attempt: 1, lines: ['100 %'], next_offset: 9, partial: false, gap: false, ended: false })
    expect([board.log.buffer.length, board.log.buffer.plain(1)]).toEqual([2, '100 %'])
  })

  it('keeps the log that is shown when the server can read no more of it, and says why', async () => {
    handler = (path) => json(path.includes('tail') ? { lines: ['a', 'b'], truncated: false, next_offset: 4 } : { lines: [], truncated: false, next_offset: 4 })
    const board = useBoard()
    board.connect(outside(sources)).start()
    await board.log.open(3)
    sources.at(-1)!.send('log', { task_id: 3, attempt: null, next_offset: 0, ended: true, error: 'disk on fire' })
    expect([board.log.buffer.length, board.log.offset()]).toEqual([2, 4])
    expect(board.log.state.failure?.problem.detail).toBe('disk on fire')
    sources.at(-1)!.send('log', { task_id: 3, attempt: null, lines: [], next_offset: 0, partial: false, gap: false, ended: true })
    expect(board.log.buffer.length).toBe(2)
  })

  it('reads a log from its end and then on, and begins anew with another attempt', async () => {
    handler = (path) => json(path.includes('tail') ? { lines: ['a', 'b'], truncated: true, next_offset: 4 } : { lines: [], truncated: false, next_offset: 4 })
    const board = useBoard()
    board.connect(outside(sources)).start()
    await board.log.open(3)
    const lines = (): string[] => Array.from({ length: board.log.buffer.length }, (_, i) => board.log.buffer.plain(board.log.buffer.first + i))
    const event = { task_id: 3, attempt: 1, lines: ['c'], next_offset: 6, partial: false, gap: false, ended: false }
    sources.at(-1)!.send('log', event)
    sources.at(-1)!.send('log', { ...event, task_id: 9, lines: ['of another'] })
    expect(lines()).toEqual(['a', 'b', 'c'])
    sources.at(-1)!.send('log', { ...event, attempt: 2, lines: ['again'] })
    expect(lines()).toEqual(['again'])
  })
})

describe('a filter', () => {
  const tasks = [task(12, 'running'), { ...task(3, 'failed'), name: 'ResNet' }]
  it('takes words of any column in any order', () => {
    expect(matching(tasks, 'all', 'alice resnet').map((one) => one.id)).toEqual([3])
    expect(matching(tasks, 'all', '#12').map((one) => one.id)).toEqual([12])
    expect(matching(tasks, 'running', '').map((one) => one.id)).toEqual([12])
    expect(matching(tasks, 'running', 'resnet')).toEqual([])
  })
})

import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watch } from 'vue'

import { FIRST_PAGE, MAX_EXTRA_TASKS, NEXT_PAGE, useTasksStore } from '@/store/tasks'

import { json, task } from './fakes'

let frames: (() => void)[]
let tasks: ReturnType<typeof useTasksStore>
/** The newest task of the server; all have finished, every third has failed. */
let newest: number

const status = (id: number): 'failed' | 'completed' => (id % 3 === 0 ? 'failed' : 'completed')
const ids = (): number[] => tasks.newestFirst.map((one) => one.id)
const draw = (): void => frames.splice(0).forEach((frame) => frame())
function finish(from: number, to: number): void {
  for (let id = from; id <= to; id++) tasks.take(task(id, status(id)))
  draw()
}

beforeEach(() => {
  frames = []
  newest = 5000
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URL(path, 'http://x').searchParams
    const all = Array.from({ length: newest }, (_, i) => newest - i).filter((id) => query.get('status') === null || status(id) === query.get('status'))
    const below = all.filter((id) => id < Number(query.get('before') ?? Infinity)).slice(0, Number(query.get('limit')))
    return json(below.map((id) => task(id, status(id))), 200, { 'X-Total-Count': String(all.length) })
  })
  setActivePinia(createPinia())
  tasks = useTasksStore()
})
afterEach(() => vi.unstubAllGlobals())

describe('many events', () => {
  it('change the list once for each picture that is drawn', async () => {
    await tasks.load()
    let changes = 0
    watch(() => tasks.newestFirst, () => changes++, { flush: 'sync' })
    for (let i = 0; i < 300; i++) tasks.take({ ...task(5001 + (i % 3), 'running'), name: `${i}` })
    expect(frames).toHaveLength(1)
    expect(changes).toBe(0)
    draw()
    expect(changes).toBeLessThanOrEqual(2)
    expect(tasks.newestFirst.slice(0, 4).map((one) => one.name)).toEqual(['299', '298', '297', 'task 5000'])
    expect(tasks.page?.total).toBe(5003)
  })

  it('are not lost where nothing is drawn', () => {
    for (let id = 1; id <= 600; id++) tasks.take(task(id, 'running'))
    expect(ids().length).toBeGreaterThanOrEqual(500)
  })

  it('that came before a question do not undo its answer', async () => {
    tasks.take(task(5000, 'running'))
    await tasks.load()
    draw()
    expect(tasks.newestFirst[0]?.status).toBe('completed')
  })

  it('of old tasks leave no more than some beside those that were loaded', async () => {
    await tasks.load()
    tasks.take(task(7, 'running'))
    finish(8, 4700)
    expect(ids().length).toBeLessThanOrEqual(FIRST_PAGE + 2 * MAX_EXTRA_TASKS + 500)
    expect(ids().slice(0, FIRST_PAGE)).toEqual(Array.from({ length: FIRST_PAGE }, (_, i) => 5000 - i))
    expect(ids()).toContain(7)
  })

  it('of new tasks push out the oldest, which can be loaded again', async () => {
    await tasks.load()
    newest = 25_000
    finish(5001, newest)
    expect(ids().length).toBeLessThanOrEqual(FIRST_PAGE + 3 * MAX_EXTRA_TASKS + 500)
    const { lowestId, isComplete, total } = tasks.page!
    expect([isComplete, total]).toEqual([false, 25_000])
    expect(ids().filter((id) => id >= lowestId)).toEqual(Array.from({ length: newest - lowestId + 1 }, (_, i) => newest - i))
    await tasks.loadMore()
    expect(tasks.page!.lowestId).toBe(lowestId - NEXT_PAGE)
    expect(ids().filter((id) => id >= lowestId - NEXT_PAGE)).toHaveLength(newest - lowestId + 1 + NEXT_PAGE)
  })

  it('take nothing from the filter that is looked at, however far down it was loaded', async () => {
    await tasks.load()
    tasks.choose('failed')
    await tasks.load()
    await tasks.loadMore()
    const failed = (): number[] => tasks.newestFirst.filter((one) => one.status === 'failed').map((one) => one.id)
    const before = failed()
    expect(before).toHaveLength(FIRST_PAGE + NEXT_PAGE)
    for (let id = 5001; id <= 12_000; id++) tasks.take(task(id, 'completed'))
    draw()
    expect(failed()).toEqual(before)
    tasks.choose('all')
    for (let id = 12_001; id <= 20_000; id++) tasks.take(task(id, 'completed'))
    draw()
    expect(ids().length).toBeLessThanOrEqual(FIRST_PAGE + 3 * MAX_EXTRA_TASKS + 500)
    tasks.choose('failed')
    await vi.waitFor(() => expect(tasks.page).toMatchObject({ isComplete: false, loaded: FIRST_PAGE }))
  })
})

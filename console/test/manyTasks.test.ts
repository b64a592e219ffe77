import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watch } from 'vue'

import TaskTable from '@/parts/tasks/TaskTable.vue'
import { DEFAULT_QUERY } from '@/store/taskQuery'
import { FIRST_PAGE, MAX_EXTRA_TASKS, NEXT_PAGE, useTasksStore } from '@/store/tasks'

import { json, task } from './fakes'
import { MountedPage } from './mountedPage'

let frames: (() => void)[]
let tasks: ReturnType<typeof useTasksStore>
/** The newest task of the server; all have finished, every third has failed. */
let newest: number

const status = (id: number): 'failed' | 'completed' => (id % 3 === 0 ? 'failed' : 'completed')
const ids = (): number[] => tasks.items.map((one) => one.id)
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

describe('the rows that are not drawn', () => {
  it('have no more columns than the table shows at any width', async () => {
    const page = new MountedPage()
    page.set()
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))
    await page.mount(TaskTable, { tasks: Array.from({ length: 500 }, (_, i) => task(500 - i, 'completed')), sort: '-id' })
    const cells = [...page.part('tasks-below')!.querySelectorAll('td')]
    expect(cells.map((cell) => cell.colSpan)).toEqual([1])
    page.clear()
  })
})

describe('a short page', () => {
  it('is not the last one if the server names a next one', async () => {
    vi.stubGlobal('fetch', async () => json([task(5000, 'completed')], 200, { 'X-Total-Count': '5000', Link: '</api/tasks?after=4801>; rel="next"' }))
    await tasks.load()
    expect(tasks.page?.isComplete).toBe(false)
  })

  it('is the last one otherwise', async () => {
    vi.stubGlobal('fetch', async () => json([task(5000, 'completed')], 200, { 'X-Total-Count': '1' }))
    await tasks.load()
    expect(tasks.page?.isComplete).toBe(true)
  })
})

describe('many events', () => {
  it('change the list once for each picture that is drawn', async () => {
    await tasks.load()
    let changes = 0
    watch(() => tasks.items, () => changes++, { flush: 'sync' })
    for (let i = 0; i < 300; i++) tasks.take({ ...task(5001 + (i % 3), 'running'), name: `${i}` })
    expect(frames).toHaveLength(1)
    expect(changes).toBe(0)
    draw()
    expect(changes).toBeLessThanOrEqual(2)
    expect(tasks.items.slice(0, 4).map((one) => one.name)).toEqual(['299', '298', '297', 'task 5000'])
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
    expect(tasks.items[0]?.status).toBe('completed')
  })

  it('of tasks below the loaded pages wait until their page is loaded', async () => {
    await tasks.load()
    finish(8, 4700)
    expect(ids()).toEqual(Array.from({ length: FIRST_PAGE }, (_, i) => 5000 - i))
    expect(tasks.page?.total).toBe(5000)
  })

  it('of new tasks push out the oldest, which can be loaded again', async () => {
    await tasks.load()
    newest = 25_000
    finish(5001, newest)
    expect(ids()).toEqual(Array.from({ length: FIRST_PAGE + MAX_EXTRA_TASKS }, (_, i) => newest - i))
    expect(tasks.page?.isComplete).toBe(false)
    await tasks.load()
    expect(tasks.page).toMatchObject({ isComplete: false, total: 25_000 })
    await tasks.loadMore()
    expect(ids()).toEqual(Array.from({ length: FIRST_PAGE + MAX_EXTRA_TASKS + NEXT_PAGE }, (_, i) => newest - i))
  })

  it('take nothing from the filter that is looked at, however far down it was loaded', async () => {
    tasks.choose({ ...DEFAULT_QUERY, filter: 'failed' })
    await tasks.load()
    await tasks.loadMore()
    const before = ids()
    expect(before).toHaveLength(FIRST_PAGE + NEXT_PAGE)
    for (let id = 5001; id <= 12_000; id++) tasks.take(task(id, 'completed'))
    draw()
    expect(ids()).toEqual(before)
  })
})

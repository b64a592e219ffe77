import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { useConnectionStore } from '@/store/connection'
import { Loader } from '@/store/loader'
import { useOpenTaskStore } from '@/store/openTask'
import { DEFAULT_QUERY } from '@/store/taskQuery'
import { useTasksStore } from '@/store/tasks'

import { detail, json, fakeEnvironment, task, type FakeSource } from './fakes'

/** A call that was made and waits for its answer. */
interface Asked {
  path: string
  signal: AbortSignal
  answer: (response: Response) => void
}

let asked: Asked[]
let sources: FakeSource[]

const settle = async (): Promise<void> => {
  for (let i = 0; i < 30; i++) await Promise.resolve()
}
const paths = (): string[] => asked.map((one) => one.path)
async function answer(path: string, body: unknown): Promise<void> {
  const index = asked.findIndex((one) => one.path === path)
  expect(index, `${path} of ${paths().join(' ')}`).toBeGreaterThanOrEqual(0)
  asked.splice(index, 1)[0]!.answer(json(body, 200, { 'X-Total-Count': '1' }))
  await settle()
}
function event(changed: ReturnType<typeof task>): void {
  sources[0]!.send('task', { seq: 1, task_id: changed.id, kind: 'task.changed', task: changed })
}

beforeEach(() => {
  vi.useFakeTimers()
  setActivePinia(createPinia())
  asked = []
  sources = []
  const fetched = (path: string, { signal }: { signal: AbortSignal }): Promise<Response> =>
    new Promise((resolve, reject) => {
      const call = { path, signal, answer: resolve }
      asked.push(call)
      signal.addEventListener('abort', () => {
        asked.splice(asked.indexOf(call), 1)
        reject(new DOMException('aborted', 'AbortError'))
      })
    })
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a load that is asked for while another runs', () => {
  it('is shared where it is the same, and comes after it where it is not', async () => {
    const done: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => async (): Promise<void> => {
      done.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
    }
    const loader = new Loader()
    const first = loader.run('a', work('a'))
    expect(loader.run('a', work('a again'))).toBe(first)
    const second = loader.run('b', work('b'))
    expect(loader.run('b', work('b again'))).toBe(second)
    const third = loader.runAgain('a', work('a anew'))
    expect(loader.runAgain('a', work('a anew again'))).toBe(third)
    expect(done).toEqual(['a'])
    ends[0]!()
    await first
    expect(loader.state.isLoading).toBe(true)
    ends[1]!()
    await second
    ends[2]!()
    await third
    expect(done).toEqual(['a', 'b', 'a anew'])
    expect(loader.state.isLoading).toBe(false)
  })

  it('loads a filter that was chosen during a reload', async () => {
    const tasksStore = useTasksStore()
    void tasksStore.load()
    tasksStore.choose({ ...DEFAULT_QUERY, filter: 'failed' })
    await settle()
    await answer('/api/tasks?limit=200&status=failed', [task(1, 'failed')])
    expect(tasksStore.items.map((one) => one.id)).toEqual([1])
    expect(tasksStore.page).toMatchObject({ isComplete: true })
  })

  it('ends the search before it, and skips those that were typed over', async () => {
    const tasksStore = useTasksStore()
    const search = (text: string): void => tasksStore.choose({ ...DEFAULT_QUERY, text })
    search('r')
    await settle()
    const first = asked[0]!
    search('re')
    search('res')
    search('re')
    search('resn')
    expect(first.signal.aborted).toBe(true)
    await settle()
    expect(paths()).toEqual(['/api/tasks?limit=200&q=resn'])
    expect(tasksStore.state).toMatchObject({ isLoading: true, failure: null, updatedAt: null })
    await answer('/api/tasks?limit=200&q=resn', [task(1)])
    expect(tasksStore.state).toMatchObject({ isLoading: false, failure: null })
    expect(asked).toEqual([])
  })

  it('loads a search again that was left and chosen again', async () => {
    const tasksStore = useTasksStore()
    tasksStore.choose({ ...DEFAULT_QUERY, text: 'a' })
    tasksStore.choose({ ...DEFAULT_QUERY, text: 'ab' })
    tasksStore.choose({ ...DEFAULT_QUERY, text: 'a' })
    await settle()
    await answer('/api/tasks?limit=200&q=a', [{ ...task(1), name: 'a' }])
    expect(tasksStore.page).toMatchObject({ isComplete: true })
    expect(asked).toEqual([])
  })

  it('loads everything after a break although a short reload runs', async () => {
    const connectionStore = useConnectionStore()
    const tasksStore = useTasksStore()
    const older = Array.from({ length: 200 }, (_, i) => task(400 - i))
    void tasksStore.load()
    await answer('/api/tasks?limit=200', older)
    void tasksStore.loadMore()
    await answer('/api/tasks?limit=1000&before=201', [task(200, 'running')])
    void connectionStore.reload(false)
    void connectionStore.reload(true)
    await answer('/api/tasks?limit=200', older)
    await answer('/api/tasks?limit=200', older)
    await answer('/api/tasks?limit=1&before=201', [task(200, 'completed')])
    expect(tasksStore.items.at(-1)?.status).toBe('completed')
  })
})

describe('an answer about a task that was asked for before an event', () => {
  it('does not undo the event, neither on its page nor in the list', async () => {
    const connectionStore = useConnectionStore()
    const openTaskStore = useOpenTaskStore()
    const tasksStore = useTasksStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    void tasksStore.load()
    await answer('/api/tasks?limit=200', [task(1, 'running')])
    void openTaskStore.open(1)
    event(task(1, 'completed'))
    await answer('/api/tasks/1', detail(1, 'running'))
    expect(openTaskStore.item).toMatchObject({ status: 'completed', command: 'true' })
    expect(tasksStore.items[0]?.status).toBe('completed')
  })

  it('is followed by a newer one, however slow it is', async () => {
    const connectionStore = useConnectionStore()
    const openTaskStore = useOpenTaskStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    void openTaskStore.open(1)
    event(task(1, 'running'))
    await vi.advanceTimersByTimeAsync(300)
    expect(paths()).toEqual(['/api/tasks/1'])
    await answer('/api/tasks/1', detail(1))
    await answer('/api/tasks/1', { ...detail(1, 'running'), attempts: [{ number: 1 }] })
    expect(openTaskStore.item?.attempts).toHaveLength(1)
    expect(asked).toEqual([])
  })

  it('does not undo a cancellation, and a slow cancellation does not undo the end', async () => {
    const connectionStore = useConnectionStore()
    const openTaskStore = useOpenTaskStore()
    const tasksStore = useTasksStore()
    connectionStore.connect(fakeEnvironment(sources)).start()
    void openTaskStore.open(1)
    await answer('/api/tasks/1', detail(1, 'running'))
    void openTaskStore.load()
    void openTaskStore.cancel(1)
    await answer('/api/tasks/1/cancel', { ...detail(1, 'running'), phase: 'stopping' })
    await answer('/api/tasks/1', detail(1, 'running'))
    expect(openTaskStore.item?.phase).toBe('stopping')
    void openTaskStore.cancel(1)
    event(task(1, 'cancelled'))
    await answer('/api/tasks/1/cancel', { ...detail(1, 'running'), phase: 'stopping' })
    expect(openTaskStore.item).toMatchObject({ status: 'cancelled', phase: '' })
    expect(tasksStore.items[0]?.status).toBe('cancelled')
  })
})

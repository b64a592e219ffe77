import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Model } from '@/api/models'
import ModelPanel from '@/parts/model/ModelPanel.vue'
import TaskPage from '@/pages/TaskPage.vue'

import { detail, json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
beforeEach(() => page.set())
afterEach(() => page.clear())

describe('the task of a worker', () => {
  const LOG = { lines: [], offset: 0, next_offset: 0, partial: false, size: 0, attempt: null }
  const answer = (source: string) => (path: string) => json(path === '/api/tasks/7' ? { ...detail(7, 'running'), source, model_name: 'mace' } : path.includes('/history') ? { points: [] } : path.includes('/logs') ? LOG : [])

  it('is neither cancelled nor cloned on its page: it is unloaded on the page of its model', async () => {
    page.handler = answer('worker')
    await page.mount(TaskPage, { id: 7 })
    expect([page.part('task-cancel'), page.part('task-clone'), page.part('edit-task')]).toEqual([null, null, null])
    expect(page.part('task-is-worker')!.querySelector('a')!.getAttribute('href')).toBe('/ui/models#model-mace')
  })

  it('differs from any other task', async () => {
    page.handler = answer('api')
    await page.mount(TaskPage, { id: 7 })
    expect([page.part('task-cancel') !== null, page.part('task-clone') !== null, page.part('task-is-worker')]).toEqual([true, true, null])
  })
})

describe('a model that is set aside', () => {
  const model = (over: Partial<Model>): Model => ({ name: 'mace', worker: 'python3 mace.py', memory_mb: 6144, prewarm: false, env: [], work_dir: '/w', idle_seconds: 3600, configured: false, set_aside: 'exit code 1', hits: 0, misses: 0, evictions: 0, load_seconds: null, workers: [], ...over }) as Model

  it('links to the log of the worker that failed, where the server names it', async () => {
    await page.mount(ModelPanel, { model: model({ failed_task_id: 41 }) })
    expect(page.part('model-mace-failed-log')!.getAttribute('href')).toBe('/ui/tasks/41')
    page.clear()
    page.set()
    await page.mount(ModelPanel, { model: model({}) })
    expect([page.part('model-mace-failed-log'), page.part('model-mace-set-aside') !== null]).toEqual([null, true])
  })
})

import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createApp, type App as VueApp } from 'vue'

import App from '@/App.vue'
import { i18n, setLanguage } from '@/i18n'
import RemoveTaskButton from '@/parts/task/RemoveTaskButton.vue'
import TaskPage from '@/pages/TaskPage.vue'
import { router } from '@/routes'

import { detail, json } from './fakes'
import { MountedPage } from './mountedPage'

describe('another language', () => {
  let app: VueApp
  let asked: [path: string, language: string][]

  beforeEach(() => {
    vi.useFakeTimers()
    setLanguage('en')
    asked = []
    vi.stubGlobal('EventSource', class { addEventListener(): void {} close(): void {} })
    vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
      asked.push([path, (init.headers as Record<string, string>)['Accept-Language']!])
      return json(path === '/api/me' ? { name: 'alice', via: 'session' } : [])
    })
  })
  afterEach(() => {
    app.unmount()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it('loads again what the server has written in the language before', async () => {
    const pinia = createPinia()
    setActivePinia(pinia)
    await router.push('/command')
    app = createApp(App).use(pinia).use(router).use(i18n)
    app.mount(document.createElement('div'))
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked.filter(([path]) => path.startsWith('/api/command')).map(([, language]) => language)).toEqual(['en'])
    setLanguage('zh-CN')
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked.filter(([path]) => path.startsWith('/api/command')).map(([, language]) => language)).toEqual(['en', 'zh-CN'])
    setLanguage('en')
  })
})

describe('a refusal', () => {
  const page = new MountedPage()
  beforeEach(() => page.set())
  afterEach(() => page.clear())

  it('that is shown already follows the language, because its code is known', async () => {
    const refused = json({ detail: 'English of the server', code: 'task.unknown', field: null, params: { task: '7' } }, 404)
    page.handler = (path, init) => (init?.method === 'POST' ? refused.clone() : json(path === '/api/tasks/7' ? { ...detail(7, 'running'), source: 'api' } : path.includes('/logs') ? { lines: [], next_offset: 0, size: 0 } : { points: [] }))
    await page.mount(TaskPage, { id: 7 })
    await page.click('task-cancel')
    await page.click('task-cancel-yes')
    expect(page.text('task-cancel-error')).toContain('There is no task 7.')
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('task-cancel-error')).toContain('任务 7 没有中断')
    expect(page.text('task-cancel-error')).not.toContain('There is no task')
  })

  it('of a removal is passed on so that it can do so too', async () => {
    page.handler = () => json({ detail: '', code: 'task.unknown', field: null, params: { task: '7' } }, 404)
    let said: () => string = () => ''
    await page.mount(RemoveTaskButton, { id: 7, onFailed: (why: () => string) => (said = why) })
    await page.click('task-remove')
    await page.click('task-remove-yes')
    expect(said()).toContain('There is no task 7.')
    setLanguage('zh-CN')
    expect(said()).not.toContain('There is no task')
  })
})

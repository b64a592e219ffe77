import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createApp, type App as VueApp } from 'vue'

import App from '@/App.vue'
import { i18n } from '@/i18n'
import { router } from '@/routes'
import { HIDDEN_MS } from '@/stream/eventStream'

import { json } from './fakes'

let app: VueApp
let open: Set<unknown>

beforeEach(() => {
  vi.useFakeTimers()
  open = new Set()
  class Stream {
    constructor() {
      open.add(this)
    }
    addEventListener(): void {}
    close(): void {
      open.delete(this)
    }
  }
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('fetch', async (path: string) => json(path === '/api/me' ? { name: 'alice', via: 'session' } : []))
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
})
afterEach(() => {
  app.unmount()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('gives its connection back also where the tab was opened behind another and never looked at', async () => {
  const pinia = createPinia()
  setActivePinia(pinia)
  app = createApp(App).use(pinia).use(router).use(i18n)
  app.mount(document.createElement('div'))
  await vi.advanceTimersByTimeAsync(1000)
  expect(open.size).toBe(1)
  await vi.advanceTimersByTimeAsync(HIDDEN_MS)
  expect(open.size).toBe(0)
})

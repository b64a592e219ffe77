import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Learned } from '@/api/forecast'
import LearnedPage from '@/pages/LearnedPage.vue'
import { useSessionStore } from '@/store/session'
import { toasts } from '@/ui/toasts'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const one = (fingerprint: string, over: Partial<Learned> = {}): Learned => ({ fingerprint, name: `name ${fingerprint}`, owner: 'alice', command: 'python train.py --lr #', gpus: 1, runs: 14, median_seconds: 900, p90_seconds: 1080, min_seconds: 720, max_seconds: 1140, peak_memory_mb: 17_910, last_run: '2026-01-01T00:00:00Z', ...over })
let known: Learned[]

beforeEach(() => {
  page.set()
  known = [one('a'), one('b', { owner: 'bob', command: null, peak_memory_mb: null, runs: 1 }), one('c', { runs: 0, median_seconds: null, p90_seconds: null, min_seconds: null, max_seconds: null })]
  page.handler = (path, init) => {
    if (init?.method === 'DELETE') known = path === '/api/learned' ? [] : known.filter((each) => !path.endsWith(`/${each.fingerprint}`))
    return json(init?.method === 'DELETE' ? {} : known)
  }
})
afterEach(() => page.clear())

async function open(admin = false): Promise<void> {
  await page.mount(LearnedPage)
  useSessionStore().me = { name: 'alice', admin, principal: '', via: 'session' }
  await page.settle()
}

describe('what was learned', () => {
  it('is explained by the number of runs and their range', async () => {
    await open()
    expect(page.text('learned-a')).toContain('15 min')
    expect(page.text('learned-a')).toContain('from 14 runs, 12 min – 19 min')
    expect(page.text('learned-a')).toContain('17.5 GiB')
    expect(page.text('learned-b')).toContain('from 1 run,')
    expect(page.text('learned-b')).toContain('command of another user')
    expect(page.text('learned-c')).toContain('–')
    expect(page.text('learned-c')).toContain('no run has completed')
  })

  it('is forgotten one by one after a question, by those who may', async () => {
    await open()
    expect(page.part('learned-b-forget')).toBeNull()
    await page.click('learned-a-forget')
    await page.click('learned-no')
    expect(page.sent('DELETE')).toEqual([])
    await page.click('learned-a-forget')
    await page.click('learned-yes')
    expect(page.sent('DELETE')).toEqual(['DELETE /api/learned/a'])
    expect([page.part('learned-a'), page.part('learned-b') !== null]).toEqual([null, true])
    expect(toasts.value.at(-1)!.text).toBe('Forgotten: name a')
  })

  it('is forgotten as a whole after a question', async () => {
    await open(true)
    await page.click('learned-forget-all')
    await page.click('learned-yes')
    expect(page.sent('DELETE')).toEqual(['DELETE /api/learned'])
    expect(page.part('learned-none')).not.toBeNull()
  })

  it('that the server does not forget stays, with the reason', async () => {
    await open(true)
    const read = page.handler
    page.handler = (path, init) => (init?.method === 'DELETE' ? json({ detail: 'not yours', code: 'novel', field: null, params: {} }, 403) : read(path, init))
    await page.click('learned-forget-all')
    await page.click('learned-yes')
    expect(page.text('learned-error')).toContain('not yours')
    expect(page.part('learned-a')).not.toBeNull()
  })

  it('is not known to an older server', async () => {
    page.handler = () => json({ detail: '', code: 'path.unknown', field: null, params: {} }, 404)
    await open()
    expect(page.text('learned-failed')).toContain('does not learn')
  })
})

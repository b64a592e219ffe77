import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { AuditEvent } from '@/api/audit'
import { setLanguage } from '@/i18n'
import AuditPage from '@/pages/AuditPage.vue'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const event = (seq: number, over: Partial<AuditEvent> = {}): AuditEvent => ({ seq, at: '2026-01-01T00:00:00Z', actor: 'root', kind: 'task.cancelled', task_id: 7, attempt: null, data: {}, via: 'socket', owner: 'ann', ...over })
let events: AuditEvent[]
let link: Record<string, string>

beforeEach(() => {
  page.set()
  link = {}
  events = [event(9), event(8, { kind: 'rules.changed', actor: 'ann', task_id: null, owner: null, via: null, data: { key: 'gpu_left', from: '0', to: '1' } }), event(7, { kind: 'something.newer', via: 'smoke' }), event(6, { kind: 'rules.changed', task_id: null, owner: null, data: { from: '', key: 'users.ann.weight', to: '2' } })]
  page.handler = () => new Response(JSON.stringify(events), { headers: link })
})
afterEach(() => page.clear())

const last = (): URLSearchParams => new URL(page.asked.at(-1)!.replace(/^GET /, ''), 'http://x').searchParams

describe('the audit', () => {
  it('says who did what to whom', async () => {
    await page.mount(AuditPage)
    expect(page.text('audit-9')).toMatch(/root on this machine.*cancelled a task.*#7.*of ann/s)
    expect(page.text('audit-8')).toMatch(/ann.*changed a rule or setting.*key gpu_left.*from 0.*to 1/s)
    expect(page.text('audit-7')).toMatch(/smoke.*something\.newer/s)
    expect(page.text('audit-6')).toMatch(/key users.ann.weight\s*to 2/)
    expect(page.text('audit-6')).not.toMatch(/from/)
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('audit-9')).toMatch(/取消任务.*属于 ann/s)
  })

  it('asks for what was chosen', async () => {
    await page.mount(AuditPage, { task: '7' })
    expect(Object.fromEntries(last())).toEqual({ limit: '100', task: '7' })
    await page.choose('audit-kind', 'token')
    await page.click('audit-berth')
    await page.click('audit-span-week')
    expect([last().get('kind'), last().get('berth'), last().get('since') !== null]).toEqual(['token', 'true', true])
  })

  it('shows more on request, up to a limit', async () => {
    link = { Link: '</api/audit?before=7>; rel="next"' }
    await page.mount(AuditPage)
    for (const limit of ['300', '900', '1000']) {
      await page.click('audit-older')
      expect(last().get('limit')).toBe(limit)
    }
    expect(page.part('audit-older')).toBeNull()
  })

  it('tells nothing from failure', async () => {
    events = []
    await page.mount(AuditPage)
    expect(page.part('audit-none')).not.toBeNull()
    page.clear()
    page.set()
    page.handler = () => json({ detail: 'no', code: 'caller.unknown' }, 503)
    await page.mount(AuditPage)
    expect(page.part('audit-failed')).not.toBeNull()
  })
})

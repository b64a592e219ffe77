import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Gpu } from '@/api/gpus'
import type { GpuReservation, TimelineWindow } from '@/api/reservations'
import { setLanguage } from '@/i18n'
import TimelinePage from '@/pages/TimelinePage.vue'
import GpuReservations from '@/parts/gpu/GpuReservations.vue'
import { router } from '@/routes'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const HOUR = 3_600_000
const iso = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString()
const page = new MountedPage()

beforeEach(() => page.set())
afterEach(() => page.clear())

describe('a GPU', () => {
  const mount = (...reservations: GpuReservation[]): Promise<void> => page.mount(GpuReservations, { gpu: { index: 1, reservations } as Gpu })

  it('says for whom it is reserved now, and soon', async () => {
    await mount({ id: 1, user: null, group: 'vision', active: true, from: iso(-1), to: iso(1) })
    expect(page.text('gpu-1-reserved')).toMatch(/^Reserved: Group vision, /)
    page.clear()
    page.set()
    await mount({ id: 2, user: null, group: null, active: false, from: iso(1), to: iso(2) })
    expect(page.text('gpu-1-reserved')).toMatch(/^Reserved soon: Quiet hours, /)
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('gpu-1-reserved')).toMatch(/^即将预留：安静时段，/)
  })

  it('says nothing where nothing is reserved, and of an older server', async () => {
    await mount()
    expect(page.part('gpu-1-reserved')).toBeNull()
    page.clear()
    page.set()
    await page.mount(GpuReservations, { gpu: { index: 1 } as Gpu })
    expect(page.part('gpu-1-reserved')).toBeNull()
  })
})

describe('the timeline', () => {
  const window = (over: Partial<TimelineWindow>): TimelineWindow => ({ reservation: 1, user: 'bob', group: null, gpu_count: 1, gpus: [0], from: iso(1), to: iso(3), ...over })

  it('lists the reserved times that it shows, of GPUs that are known', async () => {
    await router.push('/timeline')
    const windows = [window({}), window({ reservation: 2, user: 'ann', gpus: [] }), window({ reservation: 3, user: 'eve', from: iso(300), to: iso(301) })]
    page.handler = () => json({ from: iso(-24), to: iso(24), now: iso(0), gpus: [{ index: 0, uuid: 'GPU-0', name: 'Card' }], runs: [], truncated: false, reservation: null, windows })
    await page.mount(TimelinePage)
    expect(page.text('timeline-reserved')).toMatch(/^GPU 0: bob, /)
    expect(page.text('timeline-reserved')).not.toMatch(/ann|eve/)
  })
})

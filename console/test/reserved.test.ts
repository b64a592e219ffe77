import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Gpu } from '@/api/gpus'
import type { Reservation } from '@/api/reservations'
import { setLanguage } from '@/i18n'
import GpuReservation from '@/parts/gpu/GpuReservation.vue'
import { useReservationsStore } from '@/store/reservations'
import { reservedWindows } from '@/timeline/reserved'

import { MountedPage } from './mountedPage'

const HOUR = 3_600_000
const WEEK = 7 * 24 * HOUR
const iso = (time: number): string => new Date(time).toISOString()
const page = new MountedPage()

function reservation(id: number, start: number, over: Partial<Reservation> = {}): Reservation {
  return { id, user: null, group: 'vision', gpu_count: 1, devices: null, kept_gpus: [1], from: iso(start), seconds: 2 * 3600, weekly: false, note: '', created_by: 'root', window_from: iso(start), window_to: iso(start + 2 * HOUR), ...over }
}

describe('reserved times of a timeline', () => {
  const now = Date.UTC(2026, 0, 5, 12)
  const shown = { from: now - 12 * HOUR, to: now + 2 * WEEK }
  const say = (one: Reservation): string => String(one.id)

  it('are those of the next window, on the GPUs that Berth keeps for it', () => {
    expect(reservedWindows([reservation(1, now + HOUR, { weekly: true })], shown, now, say)).toEqual([{ gpus: [1], start: now + HOUR, end: now + 3 * HOUR, text: '1' }])
    expect(reservedWindows([reservation(1, now + HOUR, { kept_gpus: [] })], shown, now, say)).toEqual([])
  })

  it('repeat where the GPUs are named', () => {
    const windows = reservedWindows([reservation(2, now + HOUR, { weekly: true, devices: [0, 3] })], shown, now, say)
    expect(windows.map((one) => [one.gpus, one.end - one.start])).toEqual([[[0, 3], 2 * HOUR], [[0, 3], 2 * HOUR]])
  })
})

describe('a GPU', () => {
  beforeEach(() => page.set())
  afterEach(() => page.clear())

  const mount = (...reservations: Reservation[]): Promise<void> => page.mount(GpuReservation, { index: 1 satisfies Gpu['index'] }, () => (useReservationsStore().item = reservations))

  it('says for whom it is reserved now, and soon', async () => {
    const now = Date.now()
    await mount(reservation(1, now - HOUR))
    expect(page.text('gpu-1-reserved')).toMatch(/^Reserved: Group vision, /)
    page.clear()
    page.set()
    await mount(reservation(2, now + HOUR, { group: null }))
    expect(page.text('gpu-1-reserved')).toMatch(/^Reserved soon: Quiet hours, /)
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('gpu-1-reserved')).toMatch(/^即将预留：安静时段，/)
  })

  it('says nothing of other GPUs, of other days and of what is over', async () => {
    const now = Date.now()
    await mount(reservation(1, now - HOUR, { kept_gpus: [0] }), reservation(2, now + 30 * HOUR), reservation(3, now - 3 * HOUR))
    expect(page.part('gpu-1-reserved')).toBeNull()
  })
})

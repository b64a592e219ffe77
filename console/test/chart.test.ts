import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { History } from '@/api/history'
import { areaPath, bandPath, linePath, nearest, readingAt, roundUp, stretches, timeTicks, type Reading } from '@/chart/geometry'
import HistoryCharts from '@/parts/shared/HistoryCharts.vue'

import { MountedPage } from './mountedPage'

const read = (t: number, mean: number | null, peak: number | null = null): Reading => ({ t, mean, peak })
const same = (value: number): number => value

describe('a line', () => {
  it('ends where nobody looked, and begins anew', () => {
    const all = stretches([read(0, 1), read(60, 2), read(240, 3), read(300, 4)], 60)
    expect(all.map((one) => one.map(({ t }) => t))).toEqual([[0, 60], [240, 300]])
    expect(linePath(all, same, same)).toBe('M0.0 1.0L60.0 2.0M240.0 3.0L300.0 4.0')
  })

  it('ends where a reading failed', () => {
    expect(stretches([read(0, 1), read(60, null), read(120, 3)], 60)).toHaveLength(2)
  })

  it('does not end where a second came a little late', () => {
    expect(stretches([read(0, 1), read(1, 1), read(5, 1)], 1)).toHaveLength(1)
    expect(stretches([read(0, 1), read(1, 1), read(9, 1)], 1)).toHaveLength(2)
  })

  it('of one reading is a dot', () => {
    expect(linePath(stretches([read(7, 3)], 60), same, same)).toBe('M7.0 3.0h0')
  })

  it('has a band up to the peak, which is never below the mean', () => {
    const all = stretches([read(0, 5, 9), read(60, 6, 2)], 60)
    expect(bandPath(all, same, same)).toBe('M0.0 9.0L60.0 6.0L60.0 6.0L0.0 5.0Z')
    expect(areaPath(all, same, same)).toBe('M0.0 0.0L0.0 5.0L60.0 6.0L60.0 0.0Z')
  })

  it('without readings is nothing', () => {
    expect(linePath(stretches([], 60), same, same)).toBe('')
    expect(nearest([], 5)).toBe(-1)
    expect(readingAt([], 5, 1, 0)).toBeNull()
  })
})

describe('pointing', () => {
  const readings = [read(0, 1), read(60, 2), read(120, null), read(600, 3)]
  it('finds what is nearest', () => {
    expect([-50, 29, 31, 200, 400, 9999].map((t) => nearest(readings, t))).toEqual([0, 0, 1, 2, 3, 3])
  })

  it('finds nothing in a gap, unless it is as narrow as a finger', () => {
    expect(readingAt(readings, 70, 60, 0)?.mean).toBe(2)
    expect(readingAt(readings, 120, 60, 0)).toBeNull()
    expect(readingAt(readings, 400, 60, 0)).toBeNull()
    expect(readingAt(readings, 400, 60, 250)?.mean).toBe(3)
  })
})

describe('an axis', () => {
  it.each([
    [3600, 6],
    [6 * 3600, 10],
    [86_400, 8],
    [7 * 86_400, 8],
    [30 * 86_400, 10],
    [365 * 86_400, 12],
    [365 * 86_400, 3],
  ])('of %d s has between 2 and %d round moments', (span, most) => {
    const from = Date.UTC(2026, 0, 15, 7, 13, 11) / 1000
    const ticks = timeTicks(from, from + span, most)
    expect(ticks.length).toBeGreaterThanOrEqual(2)
    expect(ticks.length).toBeLessThanOrEqual(most + 1)
    for (const t of ticks) {
      expect(t).toBeGreaterThanOrEqual(from)
      expect(t).toBeLessThanOrEqual(from + span)
      expect(new Date(t * 1000).getSeconds()).toBe(0)
    }
  })

  it('goes up to a round number', () => {
    expect([0, 1, 11.4, 95, 43, 100].map(roundUp)).toEqual([1, 1, 12, 100, 50, 100])
  })
})

describe('charts', () => {
  const page = new MountedPage()
  const FROM = Date.UTC(2026, 0, 1, 0, 0, 0) / 1000
  const iso = (t: number): string => new Date(t * 1000).toISOString()
  const history = (count: number): History => ({
    from: iso(FROM), to: iso(FROM + count * 5), step_seconds: 5, gpu: 0, memory_total_mb: 81_920,
    points: Array.from({ length: count }, (_, i) => ({ t: FROM + i * 5, memory_mb: 1024 * (i + 1), memory_peak_mb: 1024 * (i + 2), utilization: 50, utilization_peak: 50, temperature: null, temperature_peak: null })),
  })
  beforeEach(() => page.set())
  afterEach(() => page.clear())

  it('show the newest value, and with the keyboard every other, in all of them at once', async () => {
    await page.mount(HistoryCharts, { history: history(4), hasTemperature: true, testid: 'c' })
    const slider = page.part('c-memory')!.querySelector('svg')!
    expect(page.text('c-memory-value')).toBe('4 GiB')
    expect(page.text('c-utilization-value')).toBe('50 %')
    expect(page.text('c-temperature-value')).toBe('nothing measured')
    const press = async (key: string): Promise<void> => {
      slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      await page.settle()
    }
    await press('Home')
    expect(page.text('c-memory-value')).toBe('1 GiB')
    expect(page.part('c-utilization-at')).not.toBeNull()
    await press('ArrowRight')
    expect(page.text('c-memory-value')).toBe('2 GiB')
    expect(slider.getAttribute('aria-valuetext')).toContain('2 GiB, peak 3 GiB')
    await press('Escape')
    expect(page.text('c-memory-value')).toBe('4 GiB')
    expect(page.part('c-utilization-at')).toBeNull()
  })

  it('compare a GPU with its total, and a task with what it asked for', async () => {
    await page.mount(HistoryCharts, { history: history(4), testid: 'c' })
    expect(page.text('c-memory')).toContain('total 80 GiB')
    page.clear()
    page.set()
    await page.mount(HistoryCharts, { history: history(4), askedMib: 8192, testid: 'c' })
    expect(page.text('c-memory')).toContain('requested 8 GiB')
    expect(page.text('c-memory')).not.toContain('80 GiB')
  })

  it('of 720 readings are drawn with a handful of elements', async () => {
    await page.mount(HistoryCharts, { history: history(720), hasTemperature: true, testid: 'c' })
    expect(page.part('c-memory')!.querySelectorAll('*').length).toBeLessThan(60)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Timeline, TimelineRun } from '@/api/timeline'
import { startClock, stopClock } from '@/format/clock'
import TimelinePage from '@/pages/TimelinePage.vue'
import { router } from '@/routes'
import { fitted } from '@/timeline/fitted'
import { blockAt, reached, rowsOf, runsWithin, type Row } from '@/timeline/layout'
import { covers, loadRange, MAX_SPAN, moved, parametersOf, shownRange, SPANS, spanned, viewOf, zoomed, zoomedIn } from '@/timeline/view'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 5, 12)
const iso = (hours: number): string => new Date(NOW + hours * HOUR).toISOString()
const run = (id: number, start: number, end: number | null, over: Partial<TimelineRun> = {}): TimelineRun => ({ task_id: id, name: `run ${id}`, owner: 'alice', status: 'completed', gpus: [0], start: iso(start), end: end === null ? null : iso(end), is_predicted: false, end_latest: null, ...over })
const timeline = (runs: TimelineRun[], over: Partial<Timeline> = {}): Timeline => ({ from: iso(-24), to: iso(24), now: iso(0), gpus: [0, 1].map((index) => ({ index, uuid: `GPU-${index}`, name: 'Card' })), runs, truncated: false, reservation: null, ...over })

describe('the shown time', () => {
  it('follows now until it is moved, and keeps the pointed time where it is when it is zoomed', () => {
    const view = viewOf({})
    expect(view).toEqual({ from: null, span: SPANS.day })
    expect(shownRange(view, NOW + HOUR).from - shownRange(view, NOW).from).toBe(HOUR)
    expect(zoomedIn(view, NOW).from).toBeNull()
    const at = NOW - 3 * HOUR
    const closer = zoomed(view, 0.5, NOW, at)
    const share = (range: { from: number; to: number }): number => (at - range.from) / (range.to - range.from)
    expect(share(shownRange(closer, NOW))).toBeCloseTo(share(shownRange(view, NOW)), 9)
    expect(moved(closer, 1, NOW).from! - closer.from!).toBe(closer.span)
    expect(spanned(closer, 'week', NOW).span).toBe(SPANS.week)
    expect(zoomed(view, 1e9, NOW).span).toBe(MAX_SPAN)
  })

  it('is in the address and is read from it, also from a wrong one', () => {
    for (const view of [{ from: null, span: SPANS.day }, { from: NOW, span: SPANS.hour }, { from: NOW, span: 5_400_000 }]) expect(viewOf(parametersOf(view))).toEqual(view)
    expect(parametersOf({ from: null, span: SPANS.day })).toEqual({})
    expect(parametersOf({ from: NOW, span: SPANS.week })).toEqual({ from: '2026-01-05T12:00:00Z', zoom: 'week' })
    expect(viewOf({ from: 'nonsense', zoom: '<b>' })).toEqual({ from: null, span: SPANS.day })
    expect(viewOf({ zoom: '999999999' }).span).toBe(MAX_SPAN)
  })

  it('is loaded with as much again on both sides, and loaded anew where that does not serve', () => {
    const shown = { from: NOW, to: NOW + HOUR }
    const loaded = loadRange(shown)
    expect(loaded).toEqual({ from: NOW - HOUR / 2, to: NOW + 1.5 * HOUR })
    expect(covers(loaded, { from: NOW + 0.4 * HOUR, to: NOW + 1.4 * HOUR })).toBe(true)
    expect(covers(loaded, { from: NOW + HOUR, to: NOW + 2 * HOUR })).toBe(false)
    expect(covers(loaded, { from: NOW, to: NOW + HOUR / 10 })).toBe(false)
  })
})

const under = (row: Row, hours: number, share: number, reach: number) => blockAt(row, NOW, { time: NOW + hours * HOUR, share, reach: reach * HOUR })

describe('the rows', () => {
  it('put runs that share a GPU beside each other, and others not', () => {
    const [first, second] = rowsOf(timeline([run(1, -9, -8), run(2, -5, -1), run(3, -4, -2), run(4, -1.5, -0.5), run(5, -3, -2, { gpus: [0, 1] })]))
    expect(first!.blocks.map(({ run: { task_id }, lane, lanes }) => [task_id, lane, lanes])).toEqual([[1, 0, 1], [2, 0, 3], [3, 1, 3], [5, 2, 3], [4, 1, 3]])
    expect(second!.blocks.map(({ run: { task_id } }) => task_id)).toEqual([5])
  })

  it('draw as certain only what has happened', () => {
    const at = (one: TimelineRun) => rowsOf(timeline([one]))[0]!.blocks[0]!
    const running = at(run(1, -1, 2, { status: 'running', end_latest: iso(4) }))
    expect([running.solidUntil, running.end, running.latest]).toEqual([NOW, NOW + 2 * HOUR, NOW + 4 * HOUR])
    expect(at(run(2, -1, null, { status: 'running' })).end).toBe(NOW)
    // While the page is open, what runs goes on.
    expect(reached(at(run(2, -1, null, { status: 'running' })), NOW + HOUR)).toEqual({ end: NOW + HOUR, solidUntil: NOW + HOUR })
    expect(reached(running, NOW + HOUR)).toEqual({ end: NOW + 2 * HOUR, solidUntil: NOW + HOUR })
    expect(reached(at(run(4, -3, -1)), NOW + HOUR).end).toBe(NOW - HOUR)
    const expected = at(run(3, 1, 3, { status: 'queued', is_predicted: true }))
    expect(expected.solidUntil).toBe(expected.start)
    expect(at(run(4, -3, -1)).solidUntil).toBe(NOW - HOUR)
  })

  it('have one for tasks without a GPU only if there are any', () => {
    expect(rowsOf(timeline([run(1, -2, -1)])).map((row) => row.gpu)).toEqual([0, 1])
    expect(rowsOf(timeline([run(1, -2, -1, { gpus: [] })])).map((row) => row.gpu)).toEqual([0, 1, null])
  })

  it('are found under the pointer, in the right lane and with some tolerance', () => {
    const [row] = rowsOf(timeline([run(1, -4, -2), run(2, -3, -1)]))
    expect(under(row!, -2.5, 0.2, 0)?.run.task_id).toBe(1)
    expect(under(row!, -2.5, 0.8, 0)?.run.task_id).toBe(2)
    expect(under(row!, -0.9, 0.8, 0)).toBeNull()
    expect(under(row!, -0.9, 0.8, 0.2)?.run.task_id).toBe(2)
  })

  it('are listed for the shown time, and names are cut to the room there is', () => {
    expect(runsWithin(timeline([run(3, -1, 1), run(1, -9, -8), run(2, -5, -1)]), NOW - 6 * HOUR, NOW).map((one) => one.task_id)).toEqual([2, 3])
    expect([fitted('a long name', 40), fitted('short', 400), fitted('数据预处理', 40), fitted('abc', 8)]).toEqual(['a lon…', 'short', '数据…', ''])
  })
})

describe('the page', () => {
  const page = new MountedPage()
  let answer: Response | Timeline
  beforeEach(async () => {
    page.set()
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'], now: NOW })
    startClock()
    answer = timeline([run(1, -3, -1), run(2, -0.5, 1, { status: 'running', end_latest: iso(2) }), run(3, 1, 2, { status: 'queued', is_predicted: true, gpus: [0, 1] })], { reservation: { task_id: 3, gpus: [0, 1], start: iso(1) } })
    page.handler = (path) => (!path.startsWith('/api/timeline') ? json([]) : answer instanceof Response ? answer.clone() : json(answer))
    await router.push('/timeline')
  })
  afterEach(() => {
    page.clear()
    stopClock()
    vi.useRealTimers()
  })
  const settle = async (): Promise<void> => {
    await vi.advanceTimersByTimeAsync(1000)
    await page.settle()
  }

  it('has all that is drawn as a table too, with links', async () => {
    await page.mount(TimelinePage)
    expect(page.part('timeline-canvas')!.dataset.rows).toBe('2')
    await page.click('timeline-list-open')
    const rows = [...page.part('timeline-list')!.querySelectorAll('tbody tr')]
    expect(rows.map((row) => row.querySelector('a')!.getAttribute('href'))).toEqual(['/ui/tasks/1', '/ui/tasks/2', '/ui/tasks/3'])
    expect(rows.map((row) => (row as HTMLElement).dataset.predicted)).toEqual(['false', 'false', 'true'])
    expect(rows[2]!.textContent).toContain('expected')
  })

  it('moves and zooms with buttons and keys, loads what it needs, and has it in the address', async () => {
    await page.mount(TimelinePage)
    expect(page.sent('GET').filter((one) => one.includes('/api/timeline'))).toHaveLength(1)
    await page.click('timeline-zoom-hour')
    await settle()
    expect(router.currentRoute.value.query).toEqual({ zoom: 'hour' })
    const canvas = page.part('timeline-canvas')!
    const from = Number(canvas.dataset.from)
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageUp' }))
    await settle()
    // A second has passed, which a view that follows now takes along.
    expect(Math.abs(from - HOUR - Number(canvas.dataset.from))).toBeLessThan(2500)
    expect(router.currentRoute.value.query.zoom).toBe('hour')
    expect(Date.parse(String(router.currentRoute.value.query.from))).toBeLessThan(NOW - HOUR)
    expect(page.sent('GET').filter((one) => one.includes('/api/timeline')).length).toBeGreaterThan(1)
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }))
    await settle()
    expect(router.currentRoute.value.query).toEqual({ zoom: 'hour' })
    await page.click('timeline-out')
    await settle()
    expect(router.currentRoute.value.query).toEqual({ zoom: '5400' })
  })

  it('shows what an address says, also when it changes by the back button', async () => {
    await router.push('/timeline?from=2026-01-01T00:00:00Z&zoom=week')
    await page.mount(TimelinePage)
    expect(Number(page.part('timeline-canvas')!.dataset.from)).toBe(Date.UTC(2026, 0, 1))
    await router.push('/timeline?from=2026-01-02T00:00:00Z&zoom=hour')
    await page.settle()
    expect(Number(page.part('timeline-canvas')!.dataset.to)).toBe(Date.UTC(2026, 0, 2, 1))
  })

  it('tells when there is nothing, too much, no GPU, no answer, or an older server', async () => {
    answer = timeline([], { truncated: true })
    await page.mount(TimelinePage)
    expect([page.part('timeline-none') !== null, page.part('timeline-truncated') !== null]).toEqual([true, true])
    answer = timeline([], { gpus: [] })
    await page.click('timeline-refresh')
    expect(page.part('timeline-no-gpus')).not.toBeNull()
    page.clear()
    page.set()
    answer = json({ detail: 'broken', code: 'novel', field: null, params: {} }, 500)
    await page.mount(TimelinePage)
    expect(page.text('timeline-failed')).toContain('broken')
    page.clear()
    page.set()
    answer = json({ detail: '', code: 'path.unknown', field: null, params: {} }, 404)
    await page.mount(TimelinePage)
    expect(page.text('timeline-failed')).toContain('This server has no timeline.')
  })
})

import { MAX_TIMELINE_MS } from '@/api/timeline'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const ZOOMS = ['hour', 'day', 'week'] as const
export type Zoom = (typeof ZOOMS)[number]
export const SPANS: Record<Zoom, number> = { hour: HOUR, day: DAY, week: 7 * DAY }

export const MIN_SPAN = 10 * MINUTE
/** As much again is loaded before and after what is shown. */
export const MAX_SPAN = MAX_TIMELINE_MS / 2 - DAY
const STEP = 1.5
/** Where now is while the view follows it: more of the past than of the future is usually known. */
const NOW_SHARE = 0.55

/** The shown time. Without `from` it follows the present. Milliseconds. */
export interface View {
  from: number | null
  span: number
}

export interface Range {
  from: number
  to: number
}

export const shownRange = ({ from, span }: View, now: number): Range => {
  const begin = from ?? now - span * NOW_SHARE
  return { from: begin, to: begin + span }
}

const within = (span: number): number => Math.min(MAX_SPAN, Math.max(MIN_SPAN, span))

/** Zooms around a time, which keeps its place. Around now, a view that follows it goes on doing so. */
export function zoomed(view: View, factor: number, now: number, at: number | null = null): View {
  const span = within(view.span * factor)
  if (at === null && view.from === null) return { from: null, span }
  const { from } = shownRange(view, now)
  const fixed = at ?? from + view.span / 2
  return { from: fixed - ((fixed - from) / view.span) * span, span }
}

export const zoomedIn = (view: View, now: number, at: number | null = null): View => zoomed(view, 1 / STEP, now, at)
export const zoomedOut = (view: View, now: number, at: number | null = null): View => zoomed(view, STEP, now, at)

/** Moves by a share of what is shown. */
export const moved = (view: View, share: number, now: number): View => ({ ...view, from: shownRange(view, now).from + share * view.span })

/** Changes to one of the named spans. */
export const spanned = (view: View, zoom: Zoom, now: number): View => zoomed(view, SPANS[zoom] / view.span, now)

export const zoomOf = (view: View): Zoom | null => ZOOMS.find((zoom) => SPANS[zoom] === view.span) ?? null

type Parameters = Record<string, unknown>

/** The view of an address: `from` is a time, `zoom` a named span or seconds. What cannot be read is left out. */
export function viewOf(query: Parameters): View {
  const from = typeof query.from === 'string' ? Date.parse(query.from) : NaN
  const named = ZOOMS.find((zoom) => zoom === query.zoom)
  const seconds = typeof query.zoom === 'string' && /^\d{1,9}$/.test(query.zoom) ? Number(query.zoom) : null
  return { from: Number.isNaN(from) ? null : from, span: named !== undefined ? SPANS[named] : seconds === null ? SPANS.day : within(seconds * 1000) }
}

/** The address of a view, to the second; the default is left out. */
export function parametersOf(view: View): Record<string, string> {
  const zoom = zoomOf(view)
  return {
    ...(view.from === null ? {} : { from: new Date(Math.round(view.from / 1000) * 1000).toISOString().replace('.000Z', 'Z') }),
    ...(zoom === 'day' ? {} : { zoom: zoom ?? String(Math.round(view.span / 1000)) }),
  }
}

/** What to load for a shown time: as much again on both sides, so that a move shows what is there at once. */
export function loadRange({ from, to }: Range): Range {
  const margin = Math.min((to - from) / 2, (MAX_TIMELINE_MS - (to - from)) / 2)
  return { from: from - margin, to: to + margin }
}

/** What was loaded serves for what is shown, also in detail: a much longer time may have been cut off. */
export const covers = (loaded: Range, shown: Range): boolean => loaded.from <= shown.from && loaded.to >= shown.to && loaded.to - loaded.from <= 8 * (shown.to - shown.from)

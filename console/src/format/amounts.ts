/** Memory in GiB: one decimal below 100 GiB, none above. */
export function gib(mib: number, locale: string): string {
  const value = mib / 1024
  return value.toLocaleString(locale, { maximumFractionDigits: value < 100 ? 1 : 0 })
}

export function percent(part: number | null, whole: number): number | null {
  return part === null || whole <= 0 ? null : Math.min(100, Math.max(0, (100 * part) / whole))
}

export interface Span {
  unit: 'seconds' | 'minutes' | 'hours' | 'days'
  major: number
  minor: number
}

/** A duration in its two largest units. */
export function span(ms: number): Span {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds < 60) return { unit: 'seconds', major: seconds, minor: 0 }
  if (minutes < 60) return { unit: 'minutes', major: minutes, minor: seconds % 60 }
  if (hours < 24) return { unit: 'hours', major: hours, minor: minutes % 60 }
  return { unit: 'days', major: Math.floor(hours / 24), minor: hours % 24 }
}

export function durationMs(from: string, to: string | number): number {
  return (typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from)
}

/** The time until then, rounded up to seconds; null if it is past or not set. */
export function remainingMs(until: string | null | undefined, now: number): number | null {
  if (until == null) return null
  const left = Date.parse(until) - now
  return left > 0 ? Math.ceil(left / 1000) * 1000 : null
}

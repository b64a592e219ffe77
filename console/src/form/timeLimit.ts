const UNITS: Record<string, number> = { d: 86_400, h: 3_600, m: 60, min: 60, s: 1 }
const PART = /(\d+(?:\.\d+)?)\s*(d|h|min|m|s)/g

/** Parses `2h`, `90m`, `1h 30m`, `0.5h` to seconds; null if it is not a duration. A number needs a unit. */
export function readTimeLimit(text: string): number | null {
  const typed = text.trim().toLowerCase()
  if (typed.replaceAll(PART, '').trim() !== '') return null
  let seconds = 0
  for (const [, amount, unit] of typed.matchAll(PART)) seconds += Number(amount) * UNITS[unit!]!
  const whole = Math.round(seconds)
  return whole >= 1 ? whole : null
}

/** The inverse of readTimeLimit: `1h 30m`. */
export function timeLimitText(seconds: number): string {
  let rest = seconds
  const parts: string[] = []
  for (const unit of ['h', 'm', 's']) {
    const amount = Math.floor(rest / UNITS[unit]!)
    rest -= amount * UNITS[unit]!
    if (amount > 0) parts.push(`${amount}${unit}`)
  }
  return parts.join(' ')
}

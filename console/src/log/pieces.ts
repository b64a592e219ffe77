import type { Run } from './ansi'
import { places } from './search'
import { BOLD, DIM, INVERSE, ITALIC, STRIKE, UNDERLINE, type Look } from './sgr'

/** A part of a line with one style. */
export interface Piece {
  text: string
  classes: string[]
  style: Record<string, string> | undefined
  isHit: boolean
}

/** The runs of a line, split at the start and the end of each match. */
export function pieces(runs: readonly Run[], searched: string): Piece[] {
  const whole = searched === '' ? '' : runs.map((run) => run.text).join('')
  const starts = searched === '' ? [] : places(whole, searched)
  const out: Piece[] = []
  let at = 0
  let hit = 0
  for (const run of runs) {
    const end = at + run.text.length
    while (at < end) {
      while (hit < starts.length && starts[hit]! + searched.length <= at) hit++
      const start = starts[hit] ?? Infinity
      const isHit = start <= at
      const until = Math.min(end, isHit ? start + searched.length : start)
      out.push(piece(run.text.slice(run.text.length - (end - at), run.text.length - (end - until)), run, isHit))
      at = until
    }
  }
  return out
}

function piece(text: string, run: Run, isHit: boolean): Piece {
  return { text, classes: classes(run), style: style(run.look), isHit }
}

const FLAG_CLASSES: [number, string][] = [
  [BOLD, 'bold'],
  [DIM, 'dim'],
  [ITALIC, 'italic'],
  [UNDERLINE, 'underline'],
  [STRIKE, 'strike'],
]

function classes(run: Run): string[] {
  const { look } = run
  const names = FLAG_CLASSES.filter(([flag]) => look.flags & flag).map(([, name]) => name)
  const [fg, bg] = colours(look)
  if (typeof fg === 'number') names.push(`fg-${fg}`)
  if (typeof bg === 'number') names.push(`bg-${bg}`)
  if (look.flags & INVERSE && look.fg === null && look.bg === null) names.push('inverse')
  if (run.isMark) names.push('mark')
  return names
}

function style(look: Look): Record<string, string> | undefined {
  const [fg, bg] = colours(look)
  if (typeof fg !== 'string' && typeof bg !== 'string') return undefined
  return { ...(typeof fg === 'string' ? { color: fg } : {}), ...(typeof bg === 'string' ? { backgroundColor: bg } : {}) }
}

function colours(look: Look): [Look['fg'], Look['bg']] {
  return look.flags & INVERSE ? [look.bg, look.fg] : [look.fg, look.bg]
}

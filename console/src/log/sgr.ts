/** The style of text. A colour is a palette index or `#rrggbb`. */
export interface Look {
  readonly fg: number | string | null
  readonly bg: number | string | null
  readonly flags: number
}

export const BOLD = 1
export const DIM = 2
export const ITALIC = 4
export const UNDERLINE = 8
export const INVERSE = 16
export const STRIKE = 32

export const PLAIN: Look = { fg: null, bg: null, flags: 0 }

const SET: Record<number, number> = { 1: BOLD, 2: DIM, 3: ITALIC, 4: UNDERLINE, 7: INVERSE, 9: STRIKE }
const CLEAR: Record<number, number> = { 22: BOLD | DIM, 23: ITALIC, 24: UNDERLINE, 27: INVERSE, 29: STRIKE }
/** More than any program sends. */
const MAX_PARAMETERS = 32

/** The style after a "select graphic rendition" sequence with these parameters. */
export function rendered(look: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/, MAX_PARAMETERS).map((part) => (part === '' ? 0 : Number(part)))
  let next = look
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i + 1)
      i += used
      if (colour !== null) next = code === 38 ? { ...next, fg: colour } : { ...next, bg: colour }
    } else {
      next = simple(next, code)
    }
  }
  return next
}

function simple(look: Look, code: number): Look {
  if (code === 0) return PLAIN
  if (code in SET) return { ...look, flags: look.flags | SET[code]! }
  if (code in CLEAR) return { ...look, flags: look.flags & ~CLEAR[code]! }
  if (code >= 30 && code <= 37) return { ...look, fg: code - 30 }
  if (code >= 90 && code <= 97) return { ...look, fg: code - 82 }
  if (code >= 40 && code <= 47) return { ...look, bg: code - 40 }
  if (code >= 100 && code <= 107) return { ...look, bg: code - 92 }
  if (code === 39) return { ...look, fg: null }
  if (code === 49) return { ...look, bg: null }
  return look
}

/** `5;N` or `2;R;G;B`, and how many codes were consumed. */
function extended(codes: number[], at: number): [number | string | null, number] {
  const kind = codes[at]
  if (kind === 5) {
    const index = codes[at + 1] ?? -1
    return [isByte(index) ? indexed(index) : null, 2]
  }
  if (kind === 2) {
    const parts = [codes[at + 1] ?? -1, codes[at + 2] ?? -1, codes[at + 3] ?? -1]
    return [parts.every(isByte) ? hex(parts) : null, 4]
  }
  return [null, codes.length]
}

const isByte = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 255

const hex = (parts: number[]): string => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** The first 16 colours come from the theme; the others are a 6×6×6 cube and 24 greys. */
function indexed(index: number): number | string {
  if (index < 16) return index
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return hex([grey, grey, grey])
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40)
  const cube = index - 16
  return hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)])
}

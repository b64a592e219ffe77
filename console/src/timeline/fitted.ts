/** A character is this wide: a Latin letter, and a Chinese one. */
const NARROW = 6.2
const WIDE = 11.5

const widthOf = (character: string): number => (character.codePointAt(0)! < 0x2e80 ? NARROW : WIDE)

export const fittedWidth = (text: string): number => [...text].reduce((sum, one) => sum + widthOf(one), 0)

/** The text cut to a width; empty if almost nothing of it fits. */
export function fitted(text: string, width: number): string {
  let used = 0
  let taken = 0
  for (const one of text) {
    used += widthOf(one)
    if (used > width) return taken < 3 ? '' : `${text.slice(0, taken - 1)}…`
    taken += one.length
  }
  return text
}

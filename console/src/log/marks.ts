/**
 * Characters that change how their neighbours are read without being seen: directions, and zero
 * widths. They are shown by their number, so that nothing can pose as something else.
 */
// eslint-disable-next-line no-misleading-character-class
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/
const ALL_INVISIBLE = new RegExp(INVISIBLE.source, 'g')

export function isInvisible(char: string): boolean {
  return INVISIBLE.test(char)
}

export function mark(char: string): string {
  return `‹U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`
}

/** Text from people and programs, as it can be shown anywhere. */
export function visible(text: string): string {
  return INVISIBLE.test(text) ? text.replace(ALL_INVISIBLE, mark) : text
}

/**
 * Invisible characters that change how the text around them is displayed: text direction and zero
 * width. They are shown as code points, so that no text can be disguised as another.
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

/** Makes text from users and programs safe to show. */
export function visible(text: string): string {
  return INVISIBLE.test(text) ? text.replace(ALL_INVISIBLE, mark) : text
}

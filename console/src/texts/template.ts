import type { Language } from '@/i18n'

export type Values = Readonly<Record<string, string>>

type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'value'; name: string }
  | { kind: 'plural'; name: string; one: string; other: string }
  | { kind: 'seconds'; name: string }
  | { kind: 'time'; name: string }
  | { kind: 'optional'; inner: Template }

const BRACES = '{}[]'

/**
 * A sentence with places for values: the same grammar as `dev.berth.texts.Template`, and the same examples in the
 * tests (templates.txt).
 */
export class Template {
  private readonly pieces: readonly Piece[]

  private constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
  }

  /** Throws if a brace or bracket is not closed. */
  static parse(text: string): Template {
    const end = { at: 0 }
    const pieces = Template.pieces(text, end, false)
    return new Template(pieces)
  }

  /** The names of the values outside of brackets. */
  get ownNames(): string[] {
    return this.pieces.flatMap((piece) => ('name' in piece ? [piece.name] : []))
  }

  /** The names of all values. */
  get names(): string[] {
    return this.pieces.flatMap((piece) => (piece.kind === 'optional' ? piece.inner.names : 'name' in piece ? [piece.name] : []))
  }

  render(values: Values, language: Language): string {
    return this.pieces.map((piece) => rendered(piece, values, language)).join('')
  }

  /** The values of a rendered sentence; null if the text is not this sentence. Only for templates of plain places. */
  match(text: string): Record<string, string> | null {
    const form = this.pieces.map((piece) => (piece.kind === 'text' ? piece.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : '(.*?)')).join('')
    const found = new RegExp(`^${form}$`, 's').exec(text)
    return found === null ? null : Object.fromEntries(this.ownNames.map((name, at) => [name, found[at + 1]!]))
  }

  private static pieces(text: string, cursor: { at: number }, isOptional: boolean): Piece[] {
    const pieces: Piece[] = []
    let literal = ''
    const flush = (): void => {
      if (literal !== '') pieces.push({ kind: 'text', text: literal })
      literal = ''
    }
    while (cursor.at < text.length) {
      const c = text[cursor.at]!
      const isEscaped = c === '\\' && cursor.at + 1 < text.length && BRACES.includes(text[cursor.at + 1]!)
      if (isEscaped || !BRACES.includes(c)) {
        literal += isEscaped ? text[cursor.at + 1]! : c
        cursor.at += isEscaped ? 2 : 1
        continue
      }
      flush()
      if (c === ']' && isOptional) return pieces
      cursor.at++
      if (c === '{') pieces.push(place(text, cursor))
      else if (c === '[') {
        pieces.push({ kind: 'optional', inner: new Template(Template.pieces(text, cursor, true)) })
        cursor.at++
      } else throw unclosed(text)
    }
    if (isOptional) throw unclosed(text)
    flush()
    return pieces
  }
}

function place(text: string, cursor: { at: number }): Piece {
  const end = text.indexOf('}', cursor.at)
  if (end < 0) throw unclosed(text)
  const inside = text.slice(cursor.at, end)
  cursor.at = end + 1
  const colon = inside.indexOf(':')
  if (colon < 0) return { kind: 'value', name: inside }
  const name = inside.slice(0, colon)
  const form = inside.slice(colon + 1)
  if (form === 'duration') return { kind: 'seconds', name }
  if (form === 'time') return { kind: 'time', name }
  const bar = form.indexOf('|')
  if (bar < 0) throw new Error(`value: ${inside}`)
  return { kind: 'plural', name, one: form.slice(0, bar), other: form.slice(bar + 1) }
}

function rendered(piece: Piece, values: Values, language: Language): string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'value':
      return values[piece.name] ?? '-'
    case 'plural': {
      const count = values[piece.name] ?? '-'
      return (count === '1' ? piece.one : piece.other).replaceAll('#', () => count)
    }
    case 'seconds': {
      const value = values[piece.name] ?? '-'
      return /^[0-9]{1,15}$/.test(value) ? duration(Number(value), language) : value
    }
    case 'time':
      return (values[piece.name] ?? '-').replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC')
    case 'optional':
      return piece.inner.ownNames.some((name) => (values[name] ?? '') === '') ? '' : piece.inner.render(values, language)
  }
}

const unclosed = (text: string): Error => new Error(`not closed: ${text}`)

const UNITS: Record<Language, readonly string[]> = { en: [' d', ' h', ' min', ' s'], 'zh-CN': [' \u5929', ' \u5c0f\u65f6', ' \u5206', ' \u79d2'] }

/** The two largest units; a unit that is zero is left out. */
function duration(seconds: number, language: Language): string {
  const amounts = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
  const first = amounts.findIndex((amount) => amount > 0)
  if (first < 0) return `0${UNITS[language][3]!}`
  const parts = amounts.map((amount, unit) => (amount === 0 ? '' : `${amount}${UNITS[language][unit]!}`)).slice(first, first + 2)
  return parts.filter((part) => part !== '').join(' ')
}

import { isInvisible, mark } from './invisible'
import { PLAIN, rendered, type Look } from './sgr'

export interface Run {
  readonly text: string
  readonly look: Look
  readonly isMark: boolean
}

export interface Shown {
  readonly runs: Run[]
  /** The style at the start of the next line. */
  readonly end: Look
  /** About how many characters of the line are hidden. */
  readonly hidden: number
}

interface Cell {
  text: string
  look: Look
  isMark: boolean
}

// Anything but plain text: control characters, C1 controls, and invisible characters.
// eslint-disable-next-line no-control-regex
const SPECIAL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/
const LONGEST_SEQUENCE = 256
// Links contain whole URLs, so the limit is high. A longer sequence is shown as text.
const LONGEST_TEXT = 8192

export function isSpecial(line: string): boolean {
  return SPECIAL.test(line)
}

/** What a terminal would show of one line, up to `most` characters. */
export function show(line: string, start: Look, most: number): Shown {
  if (!isSpecial(line)) {
    const text = line.length > most ? cut(line, most) : line
    const runs = text === '' ? [] : [{ text, look: start, isMark: false }]
    return { runs, end: start, hidden: line.length - text.length }
  }
  return new Terminal(line, start, most).shown()
}

/** Does not split a surrogate pair. */
function cut(line: string, most: number): string {
  const code = line.charCodeAt(most - 1)
  return line.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most)
}

class Terminal {
  private readonly line: string
  private readonly most: number
  private readonly cells: Cell[] = []
  private look: Look
  private column = 0
  private at = 0
  /** Where the next string sequence ends. It is searched once: otherwise a line of openings would take quadratic time. */
  private textEnd: { from: number; to: number } | null = null

  constructor(line: string, start: Look, most: number) {
    this.line = line
    this.look = start
    this.most = most
  }

  shown(): Shown {
    while (this.at < this.line.length && this.column < this.most) this.step()
    return { runs: this.runs(), end: this.look, hidden: this.line.length - this.at }
  }

  private step(): void {
    const code = this.line.codePointAt(this.at)!
    const char = String.fromCodePoint(code)
    this.at += char.length
    if (code === 0x1b) this.escape()
    else if (code === 0x9b) this.control()
    else if (code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f)) this.text()
    else if (code === 0x0d) this.column = 0
    else if (code === 0x08) this.column = Math.max(0, this.column - 1)
    else if (code === 0x07 || (code >= 0x7f && code <= 0x9f)) return
    else if (code < 0x20 && code !== 0x09) this.put(String.fromCharCode(0x2400 + code), true)
    else if (isInvisible(char)) this.put(mark(char), true)
    else this.put(char, false)
  }

  private put(text: string, isMark: boolean): void {
    this.cells[this.column++] = { text, look: this.look, isMark }
  }

  private escape(): void {
    const next = this.line[this.at]
    if (next === '[') {
      this.at++
      this.control()
    } else if (next !== undefined && ']PX^_'.includes(next)) {
      this.at++
      this.text()
    } else {
      while (this.at < this.line.length && this.line[this.at]! >= ' ' && this.line[this.at]! <= '/') this.at++
      this.at++
    }
  }

  /** `CSI parameters final`: colours and erasing are applied, everything else is dropped. */
  private control(): void {
    const limit = Math.min(this.line.length, this.at + LONGEST_SEQUENCE)
    for (let end = this.at; end < limit; end++) {
      const final = this.line[end]!
      if (final >= '@' && final <= '~') {
        const parameters = this.line.slice(this.at, end)
        this.at = end + 1
        if (final === 'm' && /^[\d;:]*$/.test(parameters)) this.look = rendered(this.look, parameters)
        if (final === 'K') this.erase(parameters)
        return
      }
      if (final < ' ') return
    }
  }

  private erase(parameters: string): void {
    if (parameters === '1') {
      for (let i = 0; i < this.column; i++) this.cells[i] = { text: ' ', look: PLAIN, isMark: false }
    } else {
      this.cells.length = Math.min(this.cells.length, parameters === '2' ? 0 : this.column)
    }
  }

  /** Skips a title, a link or a clipboard command. A sequence without an end hides no text. */
  private text(): void {
    if (this.textEnd !== null && this.textEnd.from < this.at) this.textEnd = null
    this.textEnd ??= this.nextEnd()
    if (this.textEnd.from - this.at <= LONGEST_TEXT) this.at = this.textEnd.to
  }

  private nextEnd(): { from: number; to: number } {
    const end = /\u0007|\u009c|\u001b\\/g
    end.lastIndex = this.at
    const found = end.exec(this.line)
    return found === null ? { from: Infinity, to: Infinity } : { from: found.index, to: end.lastIndex }
  }

  private runs(): Run[] {
    const runs: Run[] = []
    let text = ''
    let from: Cell | null = null
    const flush = (): void => {
      if (from !== null && text !== '') runs.push({ text, look: from.look, isMark: from.isMark })
      text = ''
    }
    for (let i = 0; i < this.cells.length; i++) {
      const cell: Cell = this.cells[i] ?? { text: ' ', look: PLAIN, isMark: false }
      if (from === null || cell.look !== from.look || cell.isMark !== from.isMark) {
        flush()
        from = cell
      }
      text += cell.text
    }
    flush()
    return runs
  }
}

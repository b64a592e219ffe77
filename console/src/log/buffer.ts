import { isSpecial, show, type Shown } from './ansi'
import { PLAIN, type Look } from './sgr'

export const MAX_LINES = 20_000
export const MAX_CHARS = 16_000_000
export const MAX_LINE_LENGTH = 65_536
const MAX_CACHED = 2_000

interface Entry {
  readonly text: string
  readonly start: Look
  /** Where the line begins in the log; known of the first line of each piece. */
  readonly offset: number | null
}

/** Successive lines of a log. A line keeps its number when others are dropped. */
export class LogBuffer {
  private entries: Entry[] = []
  private head = 0
  private chars = 0
  private next: Look = PLAIN
  private isOpen = false
  private shownLines = new Map<number, Shown>()
  /** The number of the oldest kept line. */
  first = 0

  get length(): number {
    return this.entries.length - this.head
  }

  /** One past the number of the newest line. */
  get end(): number {
    return this.first + this.length
  }

  /** Where the first line begins in the log; null if that is not known. */
  get startOffset(): number | null {
    return this.entries[this.head]?.offset ?? null
  }

  /** The last line of a partial piece is incomplete: the next piece contains it again. */
  append(lines: readonly string[], isPartial: boolean, offset: number | null = null): void {
    if (lines.length === 0) return
    if (this.isOpen) this.dropNewest()
    lines.forEach((line, i) => this.push(clipped(line), i === 0 ? offset : null))
    this.isOpen = isPartial
    this.forgetOldest()
  }

  /**
   * Adds the lines before the first one. If there are too many now, the newest pieces are dropped; returns
   * the offset at which they begin, or null if none was dropped.
   */
  prepend(lines: readonly string[], offset: number): number | null {
    const added = lines.map((line, i) => ({ text: clipped(line), start: PLAIN, offset: i === 0 ? offset : null }))
    this.entries = [...added, ...this.entries.slice(this.head)]
    this.head = 0
    this.first -= added.length
    this.chars += added.reduce((sum, entry) => sum + entry.text.length, 0)
    return this.forgetNewest()
  }

  clear(): void {
    this.first = this.end
    this.entries = []
    this.head = 0
    this.chars = 0
    this.next = PLAIN
    this.isOpen = false
    this.shownLines.clear()
  }

  raw(number: number): string {
    return this.entry(number)?.text ?? ''
  }

  /** The displayed text of a line, up to `most` characters. */
  line(number: number, most: number): Shown {
    const cached = this.shownLines.get(number)
    if (cached !== undefined && cached.hidden === 0) return cached
    const entry = this.entry(number)
    if (entry === undefined) return { runs: [], end: PLAIN, hidden: 0 }
    const shown = show(entry.text, entry.start, most)
    if (shown.hidden === 0) this.remember(number, shown)
    return shown
  }

  /** The line without colours, for search and copies. */
  plain(number: number): string {
    const text = this.raw(number)
    if (!isSpecial(text)) return text
    return this.line(number, MAX_LINE_LENGTH)
      .runs.map((run) => run.text)
      .join('')
  }

  private entry(number: number): Entry | undefined {
    return number < this.first ? undefined : this.entries[this.head + number - this.first]
  }

  private push(text: string, offset: number | null): void {
    const start = this.next
    this.entries.push({ text, start, offset })
    this.chars += text.length
    if (isSpecial(text)) this.next = show(text, start, MAX_LINE_LENGTH).end
  }

  private dropNewest(): void {
    const last = this.entries.pop()
    if (last === undefined) return
    this.chars -= last.text.length
    this.next = last.start
    this.shownLines.delete(this.end)
  }

  private get isTooLong(): boolean {
    return this.length > MAX_LINES || (this.chars > MAX_CHARS && this.length > 1)
  }

  /** Whole pieces, so that the lines before can be loaded again. Pieces without an offset are dropped by lines. */
  private forgetOldest(): void {
    const isTooLong = this.isTooLong
    const hasOffsets = this.startOffset !== null
    while (this.isTooLong || (isTooLong && hasOffsets && this.startOffset === null && this.length > 1)) {
      this.chars -= this.entries[this.head]!.text.length
      this.shownLines.delete(this.first)
      this.head++
      this.first++
    }
    // shift() moves the whole array, so the array is cut only once in a while.
    if (this.head > MAX_LINES / 4) {
      this.entries = this.entries.slice(this.head)
      this.head = 0
    }
  }

  private forgetNewest(): number | null {
    if (!this.isTooLong) return null
    let end: number | null = null
    while (this.length > 1 && (this.isTooLong || end === null)) {
      end = this.entries.at(-1)!.offset
      this.dropNewest()
    }
    this.isOpen = false
    return end
  }

  private remember(number: number, shown: Shown): void {
    if (this.shownLines.size >= MAX_CACHED) this.shownLines.clear()
    this.shownLines.set(number, shown)
  }
}

/** A progress bar rewrites its line with \r: of a very long line only the last rewrite is kept. */
function clipped(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line
  const last = line.lastIndexOf('\r', line.length - 2)
  const text = last >= 0 ? line.slice(last + 1) : line
  return text.length <= MAX_LINE_LENGTH ? text : `${text.slice(0, MAX_LINE_LENGTH)} [… +${text.length - MAX_LINE_LENGTH}]`
}

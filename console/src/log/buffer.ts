import { isSpecial, show, type Shown } from './ansi'
import { PLAIN, type Look } from './sgr'

export const MOST_LINES = 20_000
export const MOST_CHARS = 16_000_000
export const LONGEST_LINE = 65_536
const MOST_CACHED = 2_000

interface Entry {
  readonly text: string
  readonly start: Look
}

/** The last lines of a log. A line keeps its number for ever, also when older ones are forgotten. */
export class LogBuffer {
  private entries: Entry[] = []
  private head = 0
  private chars = 0
  private next: Look = PLAIN
  private isOpen = false
  private shownLines = new Map<number, Shown>()
  /** The number of the oldest line that is still here. */
  first = 0

  get length(): number {
    return this.entries.length - this.head
  }

  /** One past the number of the newest line. */
  get end(): number {
    return this.first + this.length
  }

  /** The last line of a partial piece has no end yet: the next piece brings it again, grown. */
  append(lines: readonly string[], isPartial: boolean): void {
    if (lines.length === 0) return
    if (this.isOpen) this.dropNewest()
    for (const line of lines) this.push(clipped(line))
    this.isOpen = isPartial
    this.forgetOldest()
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

  /** What there is to see of a line, at most so many characters. */
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
    return this.line(number, LONGEST_LINE)
      .runs.map((run) => run.text)
      .join('')
  }

  private entry(number: number): Entry | undefined {
    return number < this.first ? undefined : this.entries[this.head + number - this.first]
  }

  private push(text: string): void {
    const start = this.next
    this.entries.push({ text, start })
    this.chars += text.length
    if (isSpecial(text)) this.next = show(text, start, LONGEST_LINE).end
  }

  private dropNewest(): void {
    const last = this.entries.pop()
    if (last === undefined) return
    this.chars -= last.text.length
    this.next = last.start
    this.shownLines.delete(this.end)
  }

  private forgetOldest(): void {
    while (this.length > MOST_LINES || (this.chars > MOST_CHARS && this.length > 1)) {
      this.chars -= this.entries[this.head]!.text.length
      this.shownLines.delete(this.first)
      this.head++
      this.first++
    }
    // Shifting an array moves all of it, so that is done once in a while.
    if (this.head > MOST_LINES / 4) {
      this.entries = this.entries.slice(this.head)
      this.head = 0
    }
  }

  private remember(number: number, shown: Shown): void {
    if (this.shownLines.size >= MOST_CACHED) this.shownLines.clear()
    this.shownLines.set(number, shown)
  }
}

/** A progress bar draws itself again and again: of a very long line its last picture is kept. */
function clipped(line: string): string {
  if (line.length <= LONGEST_LINE) return line
  const last = line.lastIndexOf('\r', line.length - 2)
  const text = last >= 0 ? line.slice(last + 1) : line
  return text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)} [… +${text.length - LONGEST_LINE}]`
}

import type { LogBuffer } from './buffer'

/** Which lines hold a text. Lines that arrive later are looked at alone. */
export class LogSearch {
  private readonly needle: string
  private seen = 0
  private found: number[] = []

  constructor(text: string) {
    this.needle = text.toLowerCase()
  }

  /** The numbers of the lines, in order. */
  matches(buffer: LogBuffer): readonly number[] {
    if (this.needle === '') return []
    // The newest line may have grown since.
    const from = Math.max(buffer.first, this.seen - 1)
    this.found = this.found.filter((number) => number >= buffer.first && number < from)
    for (let number = from; number < buffer.end; number++) {
      if (buffer.plain(number).toLowerCase().includes(this.needle)) this.found.push(number)
    }
    this.seen = buffer.end
    return this.found
  }
}

const MOST_PER_LINE = 500

/** Where a text begins in a line. */
export function places(line: string, text: string): number[] {
  const haystack = line.toLowerCase()
  const needle = text.toLowerCase()
  const starts: number[] = []
  // Lower case can be longer than the letter it came from; then places would be wrong, so none are given.
  if (needle === '' || haystack.length !== line.length) return starts
  for (let at = haystack.indexOf(needle); at >= 0 && starts.length < MOST_PER_LINE; at = haystack.indexOf(needle, at + needle.length)) {
    starts.push(at)
  }
  return starts
}

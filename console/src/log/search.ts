import type { LogBuffer } from './buffer'

/** Finds the lines that contain a text. When lines are added, only those are searched. */
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

const MAX_MATCHES_PER_LINE = 500

/** The positions in the line at which the text starts. */
export function places(line: string, text: string): number[] {
  const haystack = line.toLowerCase()
  const needle = text.toLowerCase()
  const starts: number[] = []
  // The lower case of some letters is longer. Then positions would be wrong, so none are returned.
  if (needle === '' || haystack.length !== line.length) return starts
  for (let at = haystack.indexOf(needle); at >= 0 && starts.length < MAX_MATCHES_PER_LINE; at = haystack.indexOf(needle, at + needle.length)) {
    starts.push(at)
  }
  return starts
}

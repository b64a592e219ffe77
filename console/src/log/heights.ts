import type { LogBuffer } from './buffer'

export const LINE_PX = 20
const SPARE_LINES = 30

export interface Slice {
  from: number
  to: number
  /** The distance of the first line from the top, in pixels. */
  top: number
}

/** The vertical position of each line. The height of a wrapped line is known only after it was drawn. */
export class Heights {
  private measured = new Map<number, number>()
  private tops: Float64Array = new Float64Array(1)
  private first = 0
  private count = 0
  private isWrapped = false

  get total(): number {
    return this.tops[this.count]!
  }

  /** Follows changes of the buffer. Returns by how many pixels the remaining lines moved up; negative if they moved down. */
  update(buffer: LogBuffer, isWrapped: boolean): number {
    if (isWrapped !== this.isWrapped) this.forget()
    this.isWrapped = isWrapped
    const gone = Math.min(Math.max(0, buffer.first - this.first), this.count)
    const added = Math.max(0, this.first - buffer.first)
    const moved = this.tops[gone]!
    for (let number = this.first; number < buffer.first && this.measured.size > 0; number++) this.measured.delete(number)
    this.first = buffer.first
    this.count = buffer.length
    this.sum()
    return added > 0 ? -this.tops[Math.min(added, this.count)]! : moved
  }

  /** Takes measured heights. Returns true if any of them is new. */
  measure(drawn: Iterable<readonly [number: number, px: number]>): boolean {
    let isNews = false
    for (const [number, px] of drawn) {
      if (px <= 0 || (this.measured.get(number) ?? LINE_PX) === px) continue
      this.measured.set(number, px)
      isNews = true
    }
    if (isNews) this.sum()
    return isNews
  }

  /** Forgets all measured heights, because the width has changed. */
  forget(): void {
    this.measured.clear()
    this.sum()
  }

  topOf(number: number): number {
    return this.tops[Math.min(Math.max(0, number - this.first), this.count)]!
  }

  /** The lines in this range of pixels, and some around it. */
  slice(top: number, height: number): Slice {
    const from = Math.max(0, this.at(top) - SPARE_LINES)
    const to = Math.min(this.count, this.at(top + height) + 1 + SPARE_LINES)
    return { from: this.first + from, to: this.first + to, top: this.tops[from]! }
  }

  private at(px: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.tops[middle]! <= px) low = middle
      else high = middle - 1
    }
    return low
  }

  private sum(): void {
    if (this.tops.length <= this.count) this.tops = new Float64Array(this.count * 2 + 1)
    let top = 0
    for (let i = 0; i < this.count; i++) {
      this.tops[i] = top
      top += this.isWrapped ? (this.measured.get(this.first + i) ?? LINE_PX) : LINE_PX
    }
    this.tops[this.count] = top
  }
}

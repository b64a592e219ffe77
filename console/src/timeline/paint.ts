import { timeTicks } from '@/chart/geometry'
import { taskTone } from '@/format/tones'
import type { Tone } from '@/ui/Pill.vue'

import { fitted, fittedWidth } from './fitted'
import { reached, type Block, type Row } from './layout'
import type { Range } from './view'

export const AXIS_HEIGHT = 30
export const GUTTER = 62
const TICK_WIDTH = 84
const MIN_NAMED = 44
const MIN_BLOCK = 2
const PAD = 3

/** A time in which GPUs are reserved for somebody. */
export interface ReservedWindow {
  gpus: readonly number[]
  start: number
  end: number
  text: string
}

/** What is drawn, in CSS pixels. Only the rows within `height` from `scrollTop` on are. */
export interface Scene {
  rows: readonly Row[]
  shown: Range
  now: number
  reservation: { gpus: readonly number[]; start: number } | null
  windows: readonly ReservedWindow[]
  hovered: Block | null
  width: number
  height: number
  rowHeight: number
  scrollTop: number
  sayTick: (seconds: number, spanSeconds: number) => string
  sayRow: (row: Row) => string
  sayText: (block: Block) => string
  nowText: string
}

type Styles = Record<'text' | 'faint' | 'line' | 'surface' | 'raised' | 'accent' | 'now' | 'font', string>

/** The token of each tone, and how a run in it is filled. */
const TONES = ['good', 'work', 'warn', 'bad', 'still', 'draft'] as const
interface Fill {
  solid: string
  edge: string
  hatch: CanvasPattern | string
}

/** Draws the timeline. The colours are the tokens of the theme: call `readTheme` when it changes. */
export class TimelinePainter {
  private readonly context: CanvasRenderingContext2D | null
  private styles: Styles | null = null
  private fills = new Map<Tone, Fill>()

  private readonly canvas: HTMLCanvasElement

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas
    this.context = canvas.getContext('2d')
  }

  readTheme(): void {
    if (this.context === null) return
    const root = getComputedStyle(document.documentElement)
    const token = (name: string): string => root.getPropertyValue(`--${name}`).trim()
    this.styles = { text: token('text'), faint: token('text-3'), line: token('line'), surface: token('surface'), raised: token('sunken'), accent: token('accent'), now: token('bad-fill'), font: getComputedStyle(document.body).fontFamily }
    this.fills = new Map(TONES.map((tone) => [tone, this.fillOf(token(`${tone === 'draft' ? 'still' : tone}-fill`))]))
  }

  private fillOf(colour: string): Fill {
    const tile = document.createElement('canvas')
    tile.width = tile.height = 8
    const drawn = tile.getContext('2d')!
    drawn.globalAlpha = 0.7
    drawn.strokeStyle = colour
    drawn.lineWidth = 1.4
    drawn.beginPath()
    for (const shift of [-8, 0, 8]) {
      drawn.moveTo(shift - 1, 9)
      drawn.lineTo(shift + 9, -1)
    }
    drawn.stroke()
    return { solid: colour, edge: colour, hatch: this.context!.createPattern(tile, 'repeat') ?? colour }
  }

  paint(scene: Scene): void {
    const { context } = this
    if (context === null) return
    if (this.styles === null) this.readTheme()
    const ratio = window.devicePixelRatio || 1
    const [width, height] = [Math.round(scene.width * ratio), Math.round(scene.height * ratio)]
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, scene.width, scene.height)
    context.font = `11px ${this.styles!.font}`
    context.textBaseline = 'middle'
    const first = Math.max(0, Math.floor(scene.scrollTop / scene.rowHeight))
    const last = Math.min(scene.rows.length, Math.ceil((scene.scrollTop + scene.height - AXIS_HEIGHT) / scene.rowHeight))
    const x = (time: number): number => GUTTER + ((time - scene.shown.from) / (scene.shown.to - scene.shown.from)) * (scene.width - GUTTER)
    const y = (index: number): number => AXIS_HEIGHT + index * scene.rowHeight - scene.scrollTop
    this.ground(scene, first, last, y)
    const ticks = this.ticks(scene, x)
    context.save()
    context.beginPath()
    context.rect(GUTTER, AXIS_HEIGHT, scene.width - GUTTER, scene.height - AXIS_HEIGHT)
    context.clip()
    this.grid(scene, ticks, x)
    for (let i = first; i < last; i++) this.windows(scene, scene.rows[i]!, x, y(i))
    for (let i = first; i < last; i++) this.whiskers(scene, scene.rows[i]!, x, y(i))
    for (let i = first; i < last; i++) this.row(scene, scene.rows[i]!, x, y(i))
    this.reserved(scene, first, last, x, y)
    context.restore()
    this.axis(scene, ticks, x)
  }

  private ground(scene: Scene, first: number, last: number, y: (index: number) => number): void {
    const { text, faint, line, raised } = this.styles!
    const context = this.context!
    context.textAlign = 'left'
    for (let i = first; i < last; i++) {
      if (i % 2 === 1) {
        context.fillStyle = raised
        context.globalAlpha = 0.55
        context.fillRect(0, y(i), scene.width, scene.rowHeight)
        context.globalAlpha = 1
      }
      context.fillStyle = scene.rows[i]!.gpu === null ? faint : text
      context.fillText(scene.sayRow(scene.rows[i]!), 10, y(i) + scene.rowHeight / 2)
    }
    context.fillStyle = line
    context.fillRect(GUTTER - 1, AXIS_HEIGHT, 1, scene.height)
  }

  private ticks(scene: Scene, x: (time: number) => number): { at: number; text: string }[] {
    const [from, to] = [scene.shown.from / 1000, scene.shown.to / 1000]
    return timeTicks(from, to, Math.max(2, Math.floor((scene.width - GUTTER) / TICK_WIDTH)))
      .map((second) => ({ at: x(second * 1000), text: scene.sayTick(second, to - from) }))
      .filter(({ at }) => at >= GUTTER)
  }

  private grid(scene: Scene, ticks: readonly { at: number }[], x: (time: number) => number): void {
    const context = this.context!
    context.fillStyle = this.styles!.line
    for (const { at } of ticks) context.fillRect(Math.round(at), AXIS_HEIGHT, 1, scene.height)
    const now = x(scene.now)
    if (now >= scene.width) return
    // What lies ahead is not yet certain.
    context.fillStyle = this.styles!.accent
    context.globalAlpha = 0.05
    context.fillRect(Math.max(GUTTER, now), AXIS_HEIGHT, scene.width, scene.height)
    context.globalAlpha = 1
  }

  /** Reserved times, below all runs. */
  private windows(scene: Scene, row: Row, x: (time: number) => number, top: number): void {
    const context = this.context!
    for (const { gpus, start, end, text } of scene.windows) {
      if (row.gpu === null || !gpus.includes(row.gpu) || start > scene.shown.to || end < scene.shown.from) continue
      const left = Math.max(GUTTER, x(start))
      const right = Math.min(scene.width, Math.max(x(end), x(start) + MIN_BLOCK))
      context.fillStyle = this.styles!.accent
      context.globalAlpha = 0.14
      context.fillRect(left, top, right - left, scene.rowHeight)
      context.globalAlpha = 0.8
      context.fillRect(x(start), top, 1, scene.rowHeight)
      context.fillRect(x(end) - 1, top, 1, scene.rowHeight)
      context.globalAlpha = 1
      const isFree = !row.blocks.some((block) => block.start < end && reached(block, scene.now).end > start)
      if (isFree && right - left >= MIN_NAMED) this.name(text, false, { left, right, y: top + scene.rowHeight / 2 })
    }
  }

  private row(scene: Scene, row: Row, x: (time: number) => number, top: number): void {
    // Many short runs in one pixel are drawn once.
    const drawn: number[] = []
    for (const block of row.blocks) {
      if (block.start > scene.shown.to) break
      const { end, solidUntil } = reached(block, scene.now)
      if (end < scene.shown.from) continue
      const left = Math.max(GUTTER - 4, x(block.start))
      const right = Math.min(scene.width + 4, Math.max(x(end), x(block.start) + MIN_BLOCK))
      if (right - left <= MIN_BLOCK && right <= (drawn[block.lane] ?? -1)) continue
      drawn[block.lane] = Math.ceil(right)
      const height = (scene.rowHeight - 2 * PAD) / block.lanes
      this.block(scene, block, { left, right, solid: solidUntil > block.start ? Math.min(right, x(solidUntil)) : left, top: top + PAD + block.lane * height, height: Math.max(2, height - (block.lanes > 1 ? 1 : 0)) })
    }
  }

  private block(scene: Scene, block: Block, at: { left: number; right: number; solid: number; top: number; height: number }): void {
    const context = this.context!
    const { solid, edge, hatch } = this.fills.get(taskTone[block.run.status]) ?? this.fills.get('still')!
    const { left, right, top, height } = at
    const mid = at.solid > left ? Math.max(left + 1, at.solid) : left
    if (mid > left) {
      context.globalAlpha = scene.hovered === block ? 0.62 : 0.42
      context.fillStyle = solid
      context.fillRect(left, top, mid - left, height)
    }
    context.globalAlpha = 1
    if (right > mid + 0.5) {
      context.fillStyle = hatch
      context.fillRect(mid, top, right - mid, height)
    }
    context.fillStyle = edge
    context.fillRect(left, top, 2, height)
    if (right - left >= 8 || scene.hovered === block) {
      context.strokeStyle = edge
      context.lineWidth = scene.hovered === block ? 2 : 1
      context.strokeRect(left + 0.5, top + 0.5, right - left - 1, height - 1)
    }
    if (right - left >= MIN_NAMED && height >= 11) this.name(scene.sayText(block), right > mid + 0.5, { left: Math.max(left, GUTTER), right, y: top + height / 2 })
  }

  /** From the expected end to the latest, below all runs: the next run may begin before that. */
  private whiskers(scene: Scene, row: Row, x: (time: number) => number, top: number): void {
    const context = this.context!
    for (const block of row.blocks) {
      if (block.start > scene.shown.to) break
      if (block.latest === null || block.latest < scene.shown.from) continue
      const [from, to] = [x(block.end), x(block.latest)]
      if (to <= from + 2) continue
      const y = top + PAD + ((block.lane + 0.5) * (scene.rowHeight - 2 * PAD)) / block.lanes
      context.fillStyle = (this.fills.get(taskTone[block.run.status]) ?? this.fills.get('still')!).edge
      context.fillRect(from, Math.round(y), to - from, 1)
      context.fillRect(to - 1, y - 4, 1, 8)
    }
  }

  private name(whole: string, isHatched: boolean, { left, right, y }: { left: number; right: number; y: number }): void {
    const text = fitted(whole, right - left - 10)
    if (text === '') return
    const context = this.context!
    context.textAlign = 'left'
    if (isHatched) {
      // Hatching behind letters is hard to read.
      context.strokeStyle = this.styles!.surface
      context.lineWidth = 3
      context.strokeText(text, left + 6, y)
    }
    context.fillStyle = this.styles!.text
    context.fillText(text, left + 6, y)
  }

  private reserved(scene: Scene, first: number, last: number, x: (time: number) => number, y: (index: number) => number): void {
    if (scene.reservation === null) return
    const context = this.context!
    const at = x(scene.reservation.start)
    context.fillStyle = this.styles!.accent
    for (let i = first; i < last; i++) {
      const { gpu } = scene.rows[i]!
      if (gpu === null || !scene.reservation.gpus.includes(gpu)) continue
      context.fillRect(at - 1.5, y(i), 3, scene.rowHeight)
      context.beginPath()
      context.moveTo(at, y(i) + 1)
      context.lineTo(at + 9, y(i) + 6)
      context.lineTo(at, y(i) + 11)
      context.fill()
    }
  }

  private axis(scene: Scene, ticks: readonly { at: number; text: string }[], x: (time: number) => number): void {
    const context = this.context!
    const { surface, line, faint, now: red } = this.styles!
    context.fillStyle = surface
    context.fillRect(0, 0, scene.width, AXIS_HEIGHT)
    context.fillStyle = line
    context.fillRect(0, AXIS_HEIGHT - 1, scene.width, 1)
    const now = x(scene.now)
    const isShown = now >= GUTTER && now <= scene.width
    const half = fittedWidth(scene.nowText) / 2 + 6
    context.textAlign = 'center'
    context.fillStyle = faint
    for (const { at, text } of ticks) {
      const side = fittedWidth(text) / 2
      if (at + side > scene.width || at - side < GUTTER - 20 || (isShown && Math.abs(at - now) < side + half)) continue
      context.fillText(text, at, AXIS_HEIGHT / 2)
    }
    if (!isShown) return
    context.fillStyle = red
    context.fillRect(now - 1, AXIS_HEIGHT - 6, 2, scene.height)
    context.fillText(scene.nowText, Math.min(scene.width - half, Math.max(GUTTER + half, now)), AXIS_HEIGHT / 2 - 1)
  }
}

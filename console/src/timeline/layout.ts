import type { Timeline, TimelineRun } from '@/api/timeline'

/** A run on one GPU, with its place among runs that share the GPU. Times are milliseconds. */
export interface Block {
  run: TimelineRun
  start: number
  end: number
  /** Up to here it has really run; the rest is expected. */
  solidUntil: number
  latest: number | null
  lane: number
  lanes: number
}

/** A GPU, or the tasks without one (`gpu` null). */
export interface Row {
  gpu: number | null
  name: string
  blocks: Block[]
}

/** One row for each GPU, and one for tasks without GPUs if there are any. */
export function rowsOf(timeline: Timeline): Row[] {
  const now = Date.parse(timeline.now)
  const rows = timeline.gpus.map((gpu): Row => ({ gpu: gpu.index, name: gpu.name, blocks: [] }))
  const byGpu = new Map(rows.map((row) => [row.gpu, row]))
  const rest: Row = { gpu: null, name: '', blocks: [] }
  for (const run of timeline.runs) {
    const times = timesOf(run, now)
    if (run.gpus.length === 0) rest.blocks.push({ run, ...times, lane: 0, lanes: 1 })
    for (const gpu of run.gpus) byGpu.get(gpu)?.blocks.push({ run, ...times, lane: 0, lanes: 1 })
  }
  const all = rest.blocks.length > 0 ? [...rows, rest] : rows
  for (const row of all) arrange(row.blocks)
  return all
}

function timesOf(run: TimelineRun, now: number): Pick<Block, 'start' | 'end' | 'solidUntil' | 'latest'> {
  const start = Date.parse(run.start)
  const isRunning = run.status === 'running'
  // Where the end is not known, nothing is drawn beyond what has happened.
  const end = run.end !== null ? Math.max(start, Date.parse(run.end)) : isRunning ? Math.max(start, now) : start
  const latest = run.end_latest === null ? null : Math.max(end, Date.parse(run.end_latest))
  return { start, end, latest, solidUntil: isRunning ? Math.min(end, Math.max(start, now)) : run.is_predicted ? start : end }
}

/** Puts overlapping runs beside each other: each group of them has as many lanes as it needs. */
function arrange(blocks: Block[]): void {
  blocks.sort((one, other) => one.start - other.start || one.end - other.end || one.run.task_id - other.run.task_id)
  let group: Block[] = []
  let laneEnds: number[] = []
  const close = (): void => {
    for (const block of group) block.lanes = laneEnds.length
    group = []
    laneEnds = []
  }
  for (const block of blocks) {
    if (laneEnds.length > 0 && laneEnds.every((end) => end <= block.start)) close()
    const free = laneEnds.findIndex((end) => end <= block.start)
    block.lane = free < 0 ? laneEnds.length : free
    laneEnds[block.lane] = block.end
    group.push(block)
  }
  close()
}

/** How far a run has come: a running one goes on while the page is open. */
export function reached(block: Block, now: number): { end: number; solidUntil: number } {
  if (block.run.status !== 'running') return block
  const end = block.run.end === null ? Math.max(block.end, now) : block.end
  return { end, solidUntil: Math.min(end, Math.max(block.start, now)) }
}

/** The run at a place of a row: `share` is 0 at its upper and 1 at its lower edge, `reach` the tolerance. */
export function blockAt(row: Row, now: number, at: { time: number; share: number; reach: number }): Block | null {
  const { time, share, reach } = at
  let best: Block | null = null
  let distance = reach
  for (const block of row.blocks) {
    if (block.start - reach > time) break
    if (Math.min(block.lanes - 1, Math.floor(share * block.lanes)) !== block.lane) continue
    const { end } = reached(block, now)
    const away = time < block.start ? block.start - time : time > end ? time - end : 0
    if (away > distance || (best !== null && away === distance)) continue
    best = block
    distance = away
    if (away === 0) return block
  }
  return best
}

/** The runs that overlap with a time, in the order of their starts. */
export function runsWithin(timeline: Timeline, from: number, to: number): TimelineRun[] {
  const now = Date.parse(timeline.now)
  return timeline.runs
    .map((run) => ({ run, ...timesOf(run, now) }))
    .filter(({ start, end }) => start < to && end >= from)
    .sort((one, other) => one.start - other.start || one.run.task_id - other.run.task_id)
    .map(({ run }) => run)
}

import type { RouteLocationRaw } from 'vue-router'

/** A part of a sentence; with `to` it is a link. */
export interface TextPiece {
  text: string
  to?: RouteLocationRaw
}

// Control characters cannot be part of a value: visible() has replaced them.
const BEGIN = '\u0001'
const END = '\u0002'

/** Which values of a sentence name a thing that has a page. */
const LINKS: Record<string, (value: string) => RouteLocationRaw> = {
  task: (id) => ({ name: 'task', params: { id } }),
  head: (id) => ({ name: 'task', params: { id } }),
  gpu: (index) => ({ name: 'gpu', params: { index } }),
  gpu_id: (index) => ({ name: 'gpu', params: { index } }),
  run: (pid) => ({ name: 'state', hash: `#run-${pid}` }),
}

/** Marks these values, so that they can be found in the sentence that is made of them. */
export function marked(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, name in LINKS && /^\d+$/.test(value) ? `${BEGIN}${name}:${value}${END}` : value]))
}

/** The pieces of a sentence with marked values. */
export function piecesOf(sentence: string): TextPiece[] {
  return sentence
    .split(BEGIN)
    .flatMap((part, i): TextPiece[] => {
      const end = part.indexOf(END)
      if (i === 0 || end < 0) return [{ text: part }]
      const [name, value] = part.slice(0, end).split(':') as [string, string]
      return [{ text: value, to: LINKS[name]!(value) }, { text: part.slice(end + 1) }]
    })
    .filter((piece) => piece.text !== '')
}

import type { LineProblem, Problem } from '@/api/problems'

/** Normalises line ends, as browsers do with the text of a field. */
export function editable(content: string): string {
  return content.replaceAll(/\r\n?/g, '\n')
}

/** Restores CRLF if all line ends of the file were CRLF. An unchanged text is returned as it was. */
export function toFile(text: string, before: string): string {
  if (text === editable(before)) return before
  const ends = before.match(/\r\n|\r|\n/g) ?? []
  return ends.length > 0 && ends.every((end) => end === '\r\n') ? text.replaceAll('\n', '\r\n') : text
}

export function lineCount(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** The start and end of a line in a text, or of the last line if there are fewer. */
export function lineRange(text: string, line: number): [number, number] {
  let start = 0
  for (let number = 1; number < line; number++) {
    const end = text.indexOf('\n', start)
    if (end < 0) break
    start = end + 1
  }
  const end = text.indexOf('\n', start)
  return [start, end < 0 ? text.length : end]
}

/** The problems in a refusal, by line. A refusal with only a `line` parameter is one problem. */
export function problemsOf(refused: Problem): LineProblem[] {
  if (refused.problems !== undefined && refused.problems.length > 0) return [...refused.problems].sort((a, b) => a.line - b.line)
  const line = Number(refused.params.line)
  return Number.isInteger(line) && line > 0 ? [{ line, code: refused.code, detail: refused.detail }] : []
}

/** An example of each form of a task. */
export const EXAMPLES = {
  plain: ['1', 'python train.py --lr 0.1', '20', '', '2', 'bash eval.sh', '25'].join('\n'),
  multi: ['1', 'torchrun train.py', '2-4', '40'].join('\n'),
  quoted: ['1', '"source env.sh"', '"python train.py --id {uni_id}"', '20'].join('\n'),
  quotedMulti: ['1', '"source env.sh"', '"torchrun train.py"', '2', '40'].join('\n'),
  comma: ['cd {work_dir}', 'python train.py', '3,20'].join('\n'),
} as const

/** Placeholders in commands. */
export const REPLACED = { workDir: '{work_dir}', uniId: '{uni_id}' } as const

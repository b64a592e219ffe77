/** One parameter of a model task, as the user typed it. */
export interface ParamRow {
  name: string
  value: string
}

/** How parameters are entered: one row each, or as one JSON object. */
export interface ParamsForm {
  view: 'rows' | 'json'
  rows: ParamRow[]
  json: string
}

export type Params = Record<string, unknown>

export const MAX_PARAMS_BYTES = 1 << 20

export const emptyParams = (): ParamsForm => ({ view: 'rows', rows: [{ name: '', value: '' }], json: '{}' })

/** The parameters, or the key of the message that says what is wrong. */
export type ReadParams = { params: Params; error: null } | { params: null; error: { key: string; params: Record<string, string> } }

const wrong = (key: string, params: Record<string, string> = {}): ReadParams => ({ params: null, error: { key, params } })

export function readParams(form: ParamsForm): ReadParams {
  const read = form.view === 'json' ? readJson(form.json) : readRows(form.rows)
  if (read.params !== null && new TextEncoder().encode(JSON.stringify(read.params)).length > MAX_PARAMS_BYTES) return wrong('call.error.tooLong')
  return read
}

function readJson(text: string): ReadParams {
  if (text.trim() === '') return { params: {}, error: null }
  const value = parsed(text)
  if (value === undefined) return wrong('call.error.json')
  return isObject(value) ? { params: value, error: null } : wrong('call.error.object', { sample: '{"n": 7}' })
}

function readRows(rows: readonly ParamRow[]): ReadParams {
  const params = new Map<string, unknown>()
  for (const { name, value } of rows) {
    const key = name.trim()
    if (key === '' && value.trim() === '') continue
    if (key === '') return wrong('call.error.nameless', { value })
    if (params.has(key)) return wrong('call.error.twice', { name: key })
    params.set(key, valueOf(value))
  }
  return { params: Object.fromEntries(params), error: null }
}

/** `5`, `true`, `[1, 2]` and `"text"` are JSON; everything else is a text. */
function valueOf(typed: string): unknown {
  const value = parsed(typed)
  return value === undefined ? typed : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Params => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The form that reads as these parameters. */
export function paramsForm(params: unknown): ParamsForm {
  if (!isObject(params)) return emptyParams()
  const rows = Object.entries(params).map(([name, value]) => ({ name, value: textOf(value) }))
  return { view: 'rows', rows: rows.length === 0 ? emptyParams().rows : rows, json: JSON.stringify(params, null, 2) }
}

const textOf = (value: unknown): string => (typeof value === 'string' && parsed(value) === undefined ? value : JSON.stringify(value))

/** The same parameters in the other view; null if they cannot be read. */
export function turned(form: ParamsForm, view: ParamsForm['view']): ParamsForm | null {
  const { params } = readParams(form)
  return params === null ? null : { ...paramsForm(params), view }
}

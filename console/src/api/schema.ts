import type { components } from '@openapi'

type Schemas = components['schemas']
type SchemaName = keyof Schemas

/** The JSON body of an answer, as openapi.json describes it. */
export type AnswerBody<N extends SchemaName> = Schemas[N]

/** The JSON body of a request, as openapi.json describes it. */
export type RequestBody<N extends SchemaName> = Schemas[N]

/** Gives some fields a more precise type than openapi.json does, like a list of words instead of string. */
export type Narrow<T, F extends Partial<T>> = Omit<T, keyof F> & F

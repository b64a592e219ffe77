import { call } from './request'
import type { GpuReservation } from './reservations'
import type { AnswerBody, Narrow } from './schema'

export const GPU_STATUSES = ['free', 'busy', 'unknown', 'error'] as const
export type GpuStatus = (typeof GPU_STATUSES)[number]

export type GpuProcess = Narrow<AnswerBody<'Process'>, { kind: 'compute' | 'graphics' }>

export type GpuHolder = AnswerBody<'Holder'>

export const FAULT_KINDS = ['missing', 'xid', 'ecc', 'hot', 'failures', 'worker', 'person'] as const
export const FAULT_STAGES = ['testing', 'out'] as const

/** Why a GPU is out of use, and what happens next. */
export type GpuFault = Narrow<AnswerBody<'Fault'>, { stage: (typeof FAULT_STAGES)[number] }>

export type Gpu = Narrow<AnswerBody<'GpuInfo'>, { status: GpuStatus; processes: GpuProcess[] | null; fault: GpuFault | null }> & { reservations?: GpuReservation[] }

export const gpuApi = {
  all: async (): Promise<Gpu[]> => (await call<Gpu[]>('/api/gpus?processes=true')).body,

  /** Without force, the GPU goes back into use only if it passes a test. */
  recover: async (index: number, isForced: boolean): Promise<Gpu> =>
    (await call<Gpu>(`/api/gpus/${index}/recover`, { method: 'POST', body: isForced ? { force: true } : {} })).body,

  quarantine: async (index: number, reason: string): Promise<Gpu> =>
    (await call<Gpu>(`/api/gpus/${index}/quarantine`, { method: 'POST', body: { reason } })).body,
}

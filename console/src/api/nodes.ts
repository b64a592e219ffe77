import { call } from './request'

/** A machine that runs tasks: the server's own, or a node of a Slurm cluster. `state` is as Slurm names it. */
export interface NodeInfo {
  name: string
  state: string
  is_usable: boolean
  reason: string | null
  gpu_types: string[]
  gpus: number
  gpus_used: number
  task_ids: number[]
  users: string[]
}

export const nodesApi = {
  all: async (): Promise<NodeInfo[]> => (await call<NodeInfo[]>('/api/nodes')).body,
}

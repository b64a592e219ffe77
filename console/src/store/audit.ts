import { defineStore } from 'pinia'

import { auditOf, type AuditFilter } from '@/api/audit'

import { viewedResource } from './viewedResource'

export interface AuditView {
  filter: AuditFilter
  limit: number
}

/** Who did what. More rows are a new view with a higher limit, so that a reload keeps them. */
export const useAuditStore = defineStore('audit', () => viewedResource(({ filter, limit }: AuditView) => auditOf(filter, limit)))

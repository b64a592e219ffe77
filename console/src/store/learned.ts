import { defineStore } from 'pinia'

import { forecastApi } from '@/api/forecast'

import { viewedResource } from './viewedResource'

/** What earlier runs have taught. */
export const useLearnedStore = defineStore('learned', () => {
  const resource = viewedResource((_key: 'all') => forecastApi.learned())

  /** Null forgets everything. */
  async function forget(fingerprint: string | null): Promise<void> {
    try {
      await forecastApi.forget(fingerprint)
      resource.item.value = fingerprint === null ? [] : (resource.item.value ?? []).filter((one) => one.fingerprint !== fingerprint)
    } finally {
      await resource.load()
    }
  }

  return { ...resource, forget }
})

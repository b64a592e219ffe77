import { defineStore } from 'pinia'

import { peopleApi, type PersonChange } from '@/api/people'

import { editableResource } from './editableResource'

/** Everybody's shares, use and limits. */
export const usePeopleStore = defineStore('people', () =>
  editableResource(peopleApi.all, async (user: string, change: PersonChange) => {
    await peopleApi.change(user, change)
    // Shares of others change with one weight.
    return peopleApi.all()
  }),
)

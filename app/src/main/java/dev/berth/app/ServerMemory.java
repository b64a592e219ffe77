package dev.berth.app;

/**
 * How the heap is divided. What grows with the number of tasks or clients has a limit of its own,
 * so that none of it can take the memory that the rest of the server needs.
 *
 * @param heapBytes the maximum size of the heap
 */
record ServerMemory(long heapBytes) {

    static ServerMemory ofThisProcess() {
        return new ServerMemory(Runtime.getRuntime().maxMemory());
    }

    /** For unfinished tasks: what a scheduling pass and a garbage collection need stays free. */
    long taskBytes() {
        return heapBytes * 2 / 5;
    }
}

package dev.berth.cli.client;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Arrays for the contents of replies that are read, used and no longer needed. A long log comes in
 * pieces of one length; with new arrays for each of them the heap would grow to its limit.
 */
final class SpareArrays {

    private static final int MAX_ARRAYS = 2;

    private final BlockingQueue<byte[]> arrays = new ArrayBlockingQueue<>(MAX_ARRAYS);

    /** Any content; the caller fills it. */
    byte[] take(int length) {
        byte[] spare = arrays.poll();
        return spare != null && spare.length == length ? spare : new byte[length];
    }

    void give(byte[] array) {
        // One too many is garbage.
        boolean ignored = arrays.offer(array);
    }
}

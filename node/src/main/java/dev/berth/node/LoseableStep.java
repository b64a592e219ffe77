package dev.berth.node;

import java.io.IOException;

/** A step after which the state of an attempt may be unknown. */
interface LoseableStep {
    /** False if the state cannot be determined. */
    boolean run() throws IOException, InterruptedException;
}

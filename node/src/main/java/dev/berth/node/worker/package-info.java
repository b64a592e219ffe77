/**
 * A <em>worker</em> is a process that keeps a model loaded and runs tasks of the model, one at a
 * time. It is started like any attempt; a <em>channel</em> of two FIFOs carries one JSON object per
 * line in each direction.
 */
@NullMarked
package dev.berth.node.worker;

import org.jspecify.annotations.NullMarked;
